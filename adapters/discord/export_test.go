package discord

// Cards are the cards of the goldens, for the tests that send them.
var Cards = cards

// Update says that goldens are written anew.
var Update = update

// Idle reports whether no event waits.
func (a *Adapter) Idle() bool { return a.queue.idle() }
