package discord

// Idle reports whether no event waits.
func (a *Adapter) Idle() bool { return a.queue.Idle() }
