package reply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
	"maru/phrase"
	"maru/phrase/fit"
)

// Presenter shows one run's reply on its platform: a placeholder if the run takes a while, edits while the text
// grows, and finally the final card. The reply's row exists before the first post and stores the message's
// reference as soon as it exists, so a crash at any point leads to the same single reply. The run does not wait
// for the row.
type Presenter struct {
	all     *Replies
	Adapter bot.Adapter
	Lease   bot.Lease
	To      bot.Target
	Look
	message string    // id of the message that is answered, for reactions
	Asked   time.Time // platform time of the message; zero if unknown
	signs   signs
	place   string // place of the next card, "" for the reply's place: see [Presenter.MoveBelow]
	ends    bool   // the next card is the run's last: see [Presenter.EndBelow]
	Started time.Time
	draft   *draft
	Run     string    // its reply's run
	Row     bot.Reply // owned by the loop until it has ended
	held    time.Time // when the lease was last verified; guarded like reply
	broken  error     // why nothing may be shown: ErrFenced if another worker has the lease; guarded like reply

	Delivered bool          // an earlier attempt had shown its final card
	opened    chan struct{} // closed: the reply has its row, or is broken
	first     bool          // the reply is the thread's first; not read before

	stopOnce sync.Once
	stop     chan struct{}  // closed to stop the loop
	ended    sync.WaitGroup // of the loop: the final card waits for it
	cleared  sync.WaitGroup // of the signs of life: they may end after the final card

	mu     sync.Mutex
	ref    bot.Ref // a copy of reply.Ref for other goroutines
	lefts  []left  // messages that the reply has moved from and that are not closed yet
	unsure bool    // a failed post may have been posted
	made   made

	// What is needed to find second copies; owned as Row is.
	item    string   // that is answered
	again   bool     // a post of an earlier attempt may still take effect: its process may have died, or had no answer
	doubted bool     // a request of this presenter that may post a message got no answer, and may still take effect
	keys    []string // with which the reply was posted, or may have been
	stays   []left   // messages that it left and that stay
}

// Look configures how a reply is shown.
type Look struct {
	Lang  string
	React bool // mark the message that is answered
	// History lists people's decisions on the run. A run with history continues after a click, so
	// its card changes at once.
	History []bot.Field
	Still   bool // no active run: only Settle shows something
}

// Begin opens the reply to an item and begins to show it.
func (rs *Replies) Begin(ctx context.Context, l bot.Lease, it bot.Item, m bot.Message, as Look) (*Presenter, error) {
	a, ok := rs.adapters[m.Thread.Platform]
	if !ok {
		return nil, fmt.Errorf("no adapter for platform %q", m.Thread.Platform)
	}
	p := &Presenter{
		all: rs, Adapter: a, Lease: l, Look: as, message: m.ID, Asked: m.Stamped(), Run: m.Run(), Started: rs.now(),
		To:   bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, Title: m.Title(), User: m.User},
		item: it.ID, again: it.Attempts > 0, draft: newDraft(), stop: make(chan struct{}), opened: make(chan struct{}),
	}
	p.held = p.Started
	p.Row = bot.Reply{Run: p.Run, Thread: it.Thread, Item: it.ID, State: bot.ReplyOpen, At: p.Started}
	fresh := it.Kind == bot.ItemMessage && it.Attempts == 0 && !as.Still // not opened yet, to be shown later
	if !fresh {
		p.open(ctx)
		if p.Delivered = p.Row.State != bot.ReplyOpen; p.broken != nil || p.Delivered {
			return p, p.broken
		}
	}
	rs.unmark(ctx, it, p)
	if as.Still {
		return p, nil
	}
	p.ended.Go(func() {
		if fresh {
			p.open(ctx)
		}
		if p.broken == nil && p.Row.State == bot.ReplyOpen {
			chore.Guard(ctx, rs.log, "drafts", func() { p.loop(ctx) })
		}
	})
	p.cleared.Go(func() { chore.Guard(ctx, rs.log, "signs", func() { p.decorate(ctx, fresh) }) })
	if ahead, ok := a.(preparer); ok && fresh {
		to := p.To
		p.cleared.Go(func() { chore.Guard(ctx, rs.log, "place", func() { ahead.Prepare(ctx, to) }) })
	}
	return p, nil
}

// preparer makes the place of an answer while the answer is made, such as a thread. Adapters implement it whose posts
// would have to wait for that. It is best effort, and the post must not depend on it.
type preparer interface {
	Prepare(ctx context.Context, to bot.Target)
}

// open creates the reply's row, or finds that of an earlier attempt.
func (p *Presenter) open(ctx context.Context) {
	defer close(p.opened)
	stored, created, err := p.all.record.Open(ctx, p.Lease, p.Row)
	if err != nil {
		p.broken = fmt.Errorf("open reply: %w", err)
		return
	}
	p.Row, p.first = stored, stored.First
	p.keys = fit.Distinct([]string{p.Run, p.key()})
	p.mu.Lock()
	p.ref = stored.Ref
	p.mu.Unlock()
	p.unsure = !created // an earlier attempt may have posted and died before it knew
	p.again = !created && (p.again || stored.Ref.IsZero())
	if !created && p.React {
		p.signs.seen.Store(true) // and put its mark
	}
}

// IsFirst reports whether the reply is the thread's first.
func (p *Presenter) IsFirst() bool {
	<-p.opened
	return p.first
}

// Event passes a run's event to the draft.
func (p *Presenter) Event(e agent.Event) { p.draft.event(e) }

// Text returns the text streamed so far.
func (p *Presenter) Text() string { return p.draft.soFar() }

// Snapshot returns the state another process needs to show the reply.
func (p *Presenter) Snapshot() (text string, plan agent.Plan) { return p.draft.snapshot() }

// Restore sets the reply's state from a snapshot.
func (p *Presenter) Restore(text string, plan agent.Plan) { p.draft.restore(text, plan) }

// Again clears the reply of a restarted run and shows the reason.
func (p *Presenter) Again(status string) { p.draft.again(status) }

// Steps returns the final state of the plan.
func (p *Presenter) Steps() (title string, steps []bot.Step) { return p.draft.ended(p.Lang) }

// Shown returns the reply's present state.
func (p *Presenter) Shown() bot.PostedCard {
	card, _ := p.card(p.Run)
	p.mu.Lock()
	defer p.mu.Unlock()
	return bot.PostedCard{Ref: p.ref, Card: card, At: p.Started}
}

// card returns the reply's card while the run is active, after a while with its duration and a stop button.
func (p *Presenter) card(run string) (bot.Card, int) {
	card, version := p.draft.card(run, p.Lang)
	card.Fields = p.History
	plan, text := p.draft.planned()
	elapsed := p.all.now().Sub(p.Started)
	if card.Status != "" && !text && elapsed >= longRun {
		card.Status += " · " + lasting(elapsed, p.Lang)
	}
	if plan || elapsed >= longRun {
		card.Buttons = []bot.Button{{ID: run, Verb: bot.VerbStop, Style: bot.ButtonDanger, Label: phrase.Say(p.Lang, "bot.button.stop")}}
	}
	return card, version
}

// After longRun the reply shows the run's duration, updated at this interval.
const (
	longRun   = 10 * time.Second
	tellEvery = 5 * time.Second
)

// lasting formats a duration.
func lasting(d time.Duration, lang string) string {
	m, s := int(d.Minutes()), int(d.Seconds())%60
	if m == 0 {
		return phrase.Say(lang, "bot.elapsed.seconds", s)
	}
	return phrase.Say(lang, "bot.elapsed.minutes", m, s)
}

// Close stops the presenter's goroutines and waits for them.
func (p *Presenter) Close() {
	defer p.all.workers.Lend(p.Lease.Thread)()
	p.stopOnce.Do(func() { close(p.stop) })
	p.ended.Wait()
	p.cleared.Wait()
}

// holds returns why nothing may be shown, ErrFenced after another process took the lease. It asks
// the record after every pause that may have outlived the lease: a suspended process or machine
// could otherwise overwrite its successor's answer with an old draft. While the record is
// unavailable nobody can take the lease; the heartbeat decides when to stop.
func (p *Presenter) holds(ctx context.Context) error {
	if p.broken != nil {
		return p.broken
	}
	now := p.all.now()
	if now.Sub(p.held) < p.all.leaseTTL/3 {
		return nil
	}
	err := p.all.renew(ctx, p.Lease)
	switch {
	case errors.Is(err, bot.ErrFenced):
		p.broken = bot.ErrFenced
		return bot.ErrFenced
	case err == nil:
		p.held = now
	}
	return nil
}

// post posts the reply, unless an earlier attempt did, and stores where.
func (p *Presenter) post(ctx context.Context, card bot.Card) error {
	if done, err := p.retake(ctx, card); done || err != nil {
		return err
	}
	return p.postAnew(ctx, card)
}

// retake shows the card on the message of an earlier attempt, if there may be one, and reports
// whether it is shown now.
func (p *Presenter) retake(ctx context.Context, card bot.Card) (done bool, err error) {
	f, ok := p.Adapter.(bot.Finder)
	if !ok || !p.unsure {
		return false, nil
	}
	ref, found, err := f.Find(ctx, p.To, p.key())
	if err != nil || !found {
		return false, err
	}
	p.unsure = false
	p.moved(ctx, ref)
	e, ok := p.Adapter.(bot.Editor)
	if !ok {
		return true, nil
	}
	ref, err = e.Edit(ctx, p.Row.Ref, card) // with its key
	if err == nil || !ref.IsZero() {
		p.moved(ctx, ref)
	}
	return err == nil, err
}

// postAnew posts the reply as a new message and stores its place.
func (p *Presenter) postAnew(ctx context.Context, card bot.Card) error {
	ref, err := p.Adapter.Post(ctx, p.To, card, p.key())
	p.observe("post", err)
	if err != nil {
		p.unsure, p.doubted = true, true
		return err
	}
	if ref.IsZero() { // a draft that the platform skipped
		p.unsure, p.doubted = p.unsure || ref.Doubtful, p.doubted || ref.Doubtful
		return nil
	}
	p.unsure = false
	if card.Final { // committed with the outcome, in one transaction
		p.Row.Ref = p.placed(ref)
		return nil
	}
	p.moved(ctx, ref)
	return nil
}

// key names the reply towards the platform.
func (p *Presenter) key() string { return cmp.Or(p.Row.Ref.Key, p.Run) }

// moved stores the reply's new place, if it has one.
func (p *Presenter) moved(ctx context.Context, ref bot.Ref) {
	ref = p.placed(ref)
	if sameRef(p.Row.Ref, ref) {
		return
	}
	p.setRef(ref)
	p.leave(ctx) // what an earlier attempt had not closed: the reference below would replace it
	if p.quick() {
		return // posting it again after a crash finds it; the outcome's commit stores it
	}
	stored := p.Row.Ref
	stored.Left = p.toClose()
	if err := p.all.record.SetRef(ctx, p.Lease, p.Run, stored); err != nil && ctx.Err() == nil {
		p.all.log.WarnContext(ctx, "store reply reference", "run", p.Run, "err", err)
	}
}

// setRef sets the reference of the reply, for other goroutines as well.
func (p *Presenter) setRef(ref bot.Ref) {
	p.Row.Ref = ref
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ref = ref
}

func sameRef(a, b bot.Ref) bool {
	if len(a.Messages) != len(b.Messages) || a.Channel != b.Channel || a.Stream != b.Stream {
		return false
	}
	for i := range a.Messages {
		if a.Messages[i] != b.Messages[i] {
			return false
		}
	}
	return true
}
