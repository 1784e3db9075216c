package service

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
	"maru/phrase"
)

// presenter shows one run's reply on its platform: a placeholder when the run
// takes a while, edits while the text grows, and in the end the final card. The
// reply's row exists before the first post and knows the message from the moment
// it stands, so a crash at any point leads to the same one reply. The run itself
// does not wait for the row.
type presenter struct {
	b       *Bot
	adapter bot.Adapter
	lease   bot.Lease
	to      bot.Target
	look
	message string    // id of the message that is answered, for reactions
	asked   time.Time // when that was said, by the clock of its platform; zero if that did not say
	signs   signs
	started time.Time
	draft   *draft
	run     string    // its reply's run
	reply   bot.Reply // owned by the loop until it has ended
	held    time.Time // when the lease was last known to be ours; owned as reply is
	broken  error     // why nothing can be shown: ErrFenced when somebody else has the lease; owned as reply is

	delivered bool          // an earlier attempt had shown its final card
	opened    chan struct{} // closed: the reply has its row, or is broken
	first     bool          // the reply is the thread's first; not read before

	stopOnce sync.Once
	stop     chan struct{}  // closed: the loop shall end
	ended    sync.WaitGroup // of the loop: the final card waits for it
	cleared  sync.WaitGroup // of the signs of life: they may end after the final card

	mu     sync.Mutex
	ref    bot.Ref // a copy of reply.Ref for other goroutines
	unsure bool    // a post failed in a way that may have posted
}

// look is how a reply is shown.
type look struct {
	lang  string
	react bool // mark the message that is answered
	// history is what people have decided about the run. A run with one goes on
	// after a click: its card changes at once.
	history []bot.Field
	still   bool // nothing is at work: only settle shows something
}

// present opens the reply to an item and begins to show it.
func (b *Bot) present(ctx context.Context, l bot.Lease, it bot.Item, m bot.Message, as look) (*presenter, error) {
	a, ok := b.adapters[m.Thread.Platform]
	if !ok {
		return nil, fmt.Errorf("no adapter for platform %q", m.Thread.Platform)
	}
	p := &presenter{
		b: b, adapter: a, lease: l, look: as, message: m.ID, asked: m.Stamped(), run: m.Run(), started: b.cfg.Now(),
		to:    bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, Title: m.Title(), User: m.User},
		draft: newDraft(), stop: make(chan struct{}), opened: make(chan struct{}),
	}
	p.held = p.started
	p.reply = bot.Reply{Run: p.run, Thread: it.Thread, Item: it.ID, State: bot.ReplyOpen, At: p.started}
	fresh := it.Kind == bot.ItemMessage && it.Attempts == 0 && !as.still // nobody has opened it, and it is shown later
	if !fresh {
		p.open(ctx)
		if p.delivered = p.reply.State != bot.ReplyOpen; p.broken != nil || p.delivered {
			return p, p.broken
		}
	}
	b.unmark(ctx, it, p)
	if as.still {
		return p, nil
	}
	p.ended.Go(func() {
		if fresh {
			p.open(ctx)
		}
		if p.broken == nil && p.reply.State == bot.ReplyOpen {
			chore.Guard(ctx, b.log, "drafts", func() { p.loop(ctx) })
		}
	})
	p.cleared.Go(func() { chore.Guard(ctx, b.log, "signs", func() { p.decorate(ctx) }) })
	return p, nil
}

// open makes the reply's row, or finds the one of an earlier attempt.
func (p *presenter) open(ctx context.Context) {
	defer close(p.opened)
	stored, created, err := p.b.cfg.Record.Open(ctx, p.lease, p.reply)
	if err != nil {
		p.broken = fmt.Errorf("open reply: %w", err)
		return
	}
	p.reply, p.first = stored, stored.First
	p.mu.Lock()
	p.ref = stored.Ref
	p.mu.Unlock()
	p.unsure = !created // an earlier attempt may have posted and died before it knew
	if !created && p.react {
		p.signs.seen.Store(true) // and put its mark
	}
}

// isFirst reports whether the reply is the thread's first.
func (p *presenter) isFirst() bool {
	<-p.opened
	return p.first
}

// event passes a run's event to the draft.
func (p *presenter) event(e agent.Event) { p.draft.event(e) }

// text returns what has been streamed so far.
func (p *presenter) text() string { return p.draft.soFar() }

// snapshot is what a later process needs to show the reply as it is now.
func (p *presenter) snapshot() (text string, plan agent.Plan) { return p.draft.snapshot() }

// restore makes the reply show what a snapshot says.
func (p *presenter) restore(text string, plan agent.Plan) { p.draft.restore(text, plan) }

// again empties the reply of a run that begins again, and says why it does.
func (p *presenter) again(status string) { p.draft.again(status) }

// steps are the plan as it stands when its run is over.
func (p *presenter) steps() (title string, steps []bot.Step) { return p.draft.ended(p.lang) }

// shown returns what the reply shows right now.
func (p *presenter) shown() bot.PostedCard {
	card, _ := p.card(p.run)
	p.mu.Lock()
	defer p.mu.Unlock()
	return bot.PostedCard{Ref: p.ref, Card: card, At: p.started}
}

// card is what the reply shows while the run is at work: after a while also for
// how long, and how to stop it.
func (p *presenter) card(run string) (bot.Card, int) {
	card, version := p.draft.card(run, p.lang)
	card.Fields = p.history
	plan, text := p.draft.planned()
	elapsed := p.b.cfg.Now().Sub(p.started)
	if card.Status != "" && !text && elapsed >= longRun {
		card.Status += " · " + lasting(elapsed, p.lang)
	}
	if plan || elapsed >= longRun {
		card.Buttons = []bot.Button{{ID: run, Verb: bot.VerbStop, Style: bot.ButtonDanger, Label: phrase.Say(p.lang, "bot.stop")}}
	}
	return card, version
}

// From longRun on a run says how long it has been at work, and tells anew so
// often.
const (
	longRun   = 10 * time.Second
	tellEvery = 5 * time.Second
)

// lasting is a time in words.
func lasting(d time.Duration, lang string) string {
	m, s := int(d.Minutes()), int(d.Seconds())%60
	if m == 0 {
		return phrase.Say(lang, "bot.s", s)
	}
	return phrase.Say(lang, "bot.min_s", m, s)
}

// close ends all that the presenter started, and waits for it.
func (p *presenter) close() {
	defer p.b.queue.lend(p.lease.Thread)()
	p.stopOnce.Do(func() { close(p.stop) })
	p.ended.Wait()
	p.cleared.Wait()
}

// holds returns why nothing can be shown, ErrFenced when somebody else has the
// thread's lease. It asks the record after every pause in which the lease may have
// ended: a process that was stopped and goes on, or a machine that slept, would
// else write an old draft over the answer that its successor has given. While the
// record is away nobody can have taken the lease; the heartbeat says when to stop.
func (p *presenter) holds(ctx context.Context) error {
	if p.broken != nil {
		return p.broken
	}
	now := p.b.cfg.Now()
	if now.Sub(p.held) < p.b.cfg.LeaseTTL/3 {
		return nil
	}
	err := p.b.renew(ctx, p.lease)
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
func (p *presenter) post(ctx context.Context, card bot.Card) error {
	if done, err := p.retake(ctx, card); done || err != nil {
		return err
	}
	return p.postAnew(ctx, card)
}

// retake shows the card where an earlier attempt may have posted the reply, and
// reports whether it stands there now.
func (p *presenter) retake(ctx context.Context, card bot.Card) (done bool, err error) {
	f, ok := p.adapter.(bot.Finder)
	if !ok || !p.unsure {
		return false, nil
	}
	ref, found, err := f.Find(ctx, p.to, p.key())
	if err != nil || !found {
		return false, err
	}
	p.unsure = false
	p.moved(ctx, ref)
	e, ok := p.adapter.(bot.Editor)
	if !ok {
		return true, nil
	}
	ref, err = e.Edit(ctx, ref, card)
	if err == nil || !ref.IsZero() {
		p.moved(ctx, ref)
	}
	return err == nil, err
}

// postAnew posts the reply wherever it stood before, and stores where.
func (p *presenter) postAnew(ctx context.Context, card bot.Card) error {
	ref, err := p.adapter.Post(ctx, p.to, card, p.key())
	p.observe("post", err)
	if err != nil {
		p.unsure = true
		return err
	}
	p.unsure = false
	if card.Final { // committed with the outcome, in one transaction
		p.reply.Ref = ref
		return nil
	}
	p.moved(ctx, ref)
	return nil
}

// key names the reply towards the platform.
func (p *presenter) key() string { return p.run }

// moved stores the reply's new place, if it has one.
func (p *presenter) moved(ctx context.Context, ref bot.Ref) {
	if sameRef(p.reply.Ref, ref) {
		return
	}
	p.reply.Ref = ref
	p.mu.Lock()
	p.ref = ref
	p.mu.Unlock()
	if p.quick() {
		return // posting it again after a crash finds it; the outcome's commit stores it
	}
	if err := p.b.cfg.Record.SetRef(ctx, p.lease, p.run, ref); err != nil && ctx.Err() == nil {
		p.b.log.WarnContext(ctx, "store reply reference", "run", p.run, "err", err)
	}
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
