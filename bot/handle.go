package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"

	"maru/agent"
	"maru/config"
)

// handle works on one inbox item. It returns nil when the item is finished, and
// an error when it stays pending: the program is stopping, the lease is lost or
// the record cannot commit.
func (b *Bot) handle(ctx context.Context, l Lease, it Item) error {
	if it.Attempts >= b.cfg.Attempts {
		return b.bury(ctx, l, it)
	}
	switch it.Kind {
	case ItemMessage:
		var m Message
		if err := json.Unmarshal(it.Body, &m); err != nil {
			return b.drop(ctx, l, it, err)
		}
		return b.answer(ctx, l, it, m)
	case ItemResume:
		return b.resume(ctx, l, it)
	case ItemChange:
		var c Change
		if err := json.Unmarshal(it.Body, &c); err != nil {
			return b.drop(ctx, l, it, err)
		}
		return b.applyChange(ctx, l, it, c)
	}
	return b.drop(ctx, l, it, fmt.Errorf("unknown kind %q", it.Kind))
}

// drop ends an item that nobody can work on.
func (b *Bot) drop(ctx context.Context, l Lease, it Item, why error) error {
	b.log.ErrorContext(ctx, "item dropped", "item_kind", it.Kind, "err", why)
	return b.cfg.Record.Finish(ctx, l, it.ID, Outcome{Dead: true, Why: why.Error()})
}

// bury ends an item that failed too often, and says so where the answer was
// expected.
func (b *Bot) bury(ctx context.Context, l Lease, it Item) error {
	b.log.ErrorContext(ctx, "item given up", "item_kind", it.Kind, "attempts", it.Attempts)
	out := Outcome{Dead: true, Why: "failed too often"}
	var m Message
	if it.Kind == ItemMessage && json.Unmarshal(it.Body, &m) == nil {
		lang := b.language(ctx, m.Thread, m.User, m.Text)
		e := &Error{Code: CodeInternal, Ref: reference()}
		b.log.ErrorContext(ctx, "run given up", "run", runID(it.ID), "ref", e.Ref)
		p, err := b.present(ctx, l, it, m, look{lang: lang})
		if err == nil {
			reply := p.finish(ctx, e.notice(lang))
			out.Reply = &reply
		}
		b.cfg.Observe.Finished("", "dead", b.cfg.Now().Sub(m.At))
	}
	return b.cfg.Record.Finish(ctx, l, it.ID, out)
}

// turn is a message on its way to its answer: with the settings that held when
// it began, and the decisions it goes on with after it waited for people.
type turn struct {
	m         Message
	set       config.Resolved
	lang      string
	left      budget // what the place may still spend
	decisions []agent.Decision
	history   []Field // what people have decided about the run, for its reply
	log       string  // of the agent, if not the thread's own; see aside
}

// answer runs the thread's agent on a message and delivers the reply.
func (b *Bot) answer(ctx context.Context, l Lease, it Item, m Message) error {
	if m.Overheard {
		if ours, err := b.addressed(ctx, m); err != nil {
			return err
		} else if !ours {
			return b.cfg.Record.Finish(ctx, l, it.ID, Outcome{})
		}
	}
	set, err := b.settings(ctx, m.Thread, m.User)
	if err != nil {
		return err
	}
	t := turn{m: m, set: set, lang: languageOf(set.Language, m.Text, m.User.Locale)}
	if t.left, err = b.budgetOf(ctx, m.Thread, set); err != nil {
		return err
	}
	if it.Attempts > 0 { // an aside that was broken off goes on as one
		if t.log, err = b.cfg.Record.Note(ctx, asideNote(m)); err != nil {
			return fmt.Errorf("read note: %w", err)
		}
	}
	rows, own, log, err := b.waitingRows(ctx, m)
	switch {
	case err != nil:
		return err
	case own:
		t.log = log
	case len(rows) > 0 && t.log == "" && !b.begun(ctx, it, m):
		what, err := b.reply(ctx, l, it, m, rows, t.lang)
		if err != nil || what == saidDone {
			return err
		}
		if t.log, err = b.aside(ctx, m); err != nil {
			return err
		}
	}
	return b.take(ctx, l, it, t)
}

// begun reports whether a message has a run already, from before a crash.
func (b *Bot) begun(ctx context.Context, it Item, m Message) bool {
	if it.Attempts == 0 {
		return false
	}
	_, err := b.cfg.Record.Reply(ctx, runID(m.Key()))
	return err == nil
}

// take runs a turn until it has answered or waits for people, and finishes item
// it with what came of it.
func (b *Bot) take(ctx context.Context, l Lease, it Item, t turn) error {
	p, err := b.present(ctx, l, it, t.m, look{lang: t.lang, react: t.set.React, history: t.history})
	if err != nil {
		return err
	}
	defer p.close()
	if p.reply.State != ReplyOpen { // delivered before a crash, but not finished
		return b.cfg.Record.Finish(ctx, l, it.ID, Outcome{Reply: &p.reply})
	}
	run, end := b.active.begin(ctx, p.reply.Run, it.Thread, t.m.User.ID, p.shown)
	defer end()
	unfollow := b.feed(run, p.run, it.Thread)
	defer unfollow()
	res, trace, err := b.run(run, it.Thread, t, p)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil { // shutdown or lost lease: somebody goes on later
			return cause
		}
		if cause := context.Cause(run); isPersons(cause) {
			err = cause
		}
	}
	c := conclusion{turn: t, p: p, res: res, trace: trace, err: err}
	if err == nil && len(res.Interrupts) > 0 {
		return b.ask(ctx, l, it, c)
	}
	return b.conclude(ctx, l, it, c)
}

// isPersons reports whether a run was ended by what a person did.
func isPersons(cause error) bool {
	for _, e := range []error{errStop, errWithdrawn, errInterrupted, errRolledBack} {
		if errors.Is(cause, e) {
			return true
		}
	}
	return false
}

// run prepares the request and runs the agent.
func (b *Bot) run(ctx context.Context, thread string, t turn, p *presenter) (agent.Result, agent.Trace, error) {
	m, set := t.m, t.set
	if t.left.gone() {
		return agent.Result{}, agent.Trace{}, &Error{Code: CodeOverBudget}
	}
	if stranger(m.User) && set.Guests == config.GuestsNone {
		return agent.Result{}, agent.Trace{}, &Error{Code: CodeMayNot, Detail: whom(config.Member, t.lang)}
	}
	var files []agent.File
	var before []agent.Turn
	if len(t.decisions) == 0 { // else the run has had all this
		var offer []Button
		var err error
		files, offer, err = b.takeFiles(ctx, m, t.lang, p)
		if err != nil {
			return agent.Result{}, agent.Trace{}, err
		}
		p.offer(offer)
		if note, enough := withoutAgent(m, files, t.lang); enough {
			return agent.Result{Text: note}, agent.Trace{}, nil
		}
		if before = b.before(ctx, m, p); t.log != "" {
			if before, err = b.recent(ctx, m); err != nil {
				return agent.Result{}, agent.Trace{}, err
			}
		}
	}
	if t.log != "" {
		thread = t.log
	}
	mine := b.owner(ctx, m.Thread, m.User)
	req := agent.Request{
		Run: p.reply.Run, Message: m.Key(), Thread: thread, Fence: p.lease.Token, Agent: set.Agent, Text: m.Text,
		User: agent.User{ID: userKey(m.Thread, m.User), Name: m.User.Name, Locale: m.User.Locale, TimeZone: m.User.TimeZone},
		// The item's time, not now: a run that goes on after a crash must not
		// see another clock than the one it began with.
		Now: m.At, Scopes: scopesFor(m.Thread, m.User, set), Home: channelScope(m.Thread), Learn: mine.Home, NoMemory: mine.Off,
		Files: files, Context: before, Language: t.lang, Persona: set.Persona, Decisions: t.decisions,
		Approvals: agent.Approvals{
			Clarification: set.Approvals.Clarification, Plan: set.Approvals.Plan, Step: set.Approvals.Step, AutoStep: set.Decisions.AutoSteps,
		},
	}
	started := b.cfg.Now()
	first := false
	return b.cfg.Runner.Run(ctx, req, func(e agent.Event) {
		switch e.Kind {
		case agent.EventToken:
			if !first {
				first = true
				b.cfg.Observe.FirstToken(set.Agent, b.cfg.Now().Sub(started))
			}
		case agent.EventModelCall:
			if e.Usage != nil {
				b.cfg.Observe.ModelCall(e.Name, *e.Usage, e.Took)
			}
		case agent.EventToolResult:
			b.cfg.Observe.ToolCall(e.Name, e.Err != "", e.Took)
		}
		p.event(e)
		b.feeds.event(p.run, e)
	})
}

// feed lets a run be followed, here and from other replicas, until the returned
// func is called.
func (b *Bot) feed(ctx context.Context, run, thread string) (end func()) {
	b.feeds.begin(run, thread, b.cfg.NewID())
	if b.cfg.Events == nil {
		return func() { b.feeds.end(run) }
	}
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() { b.publish(ctx, run) })
	return func() {
		cancel()
		telling.Wait()
		b.feeds.end(run)
	}
}

// conclusion is all that is known when a run has ended for now.
type conclusion struct {
	turn

	p     *presenter
	res   agent.Result
	trace agent.Trace
	err   error
}

// conclude delivers the final card and finishes the item with reply and
// transcript in one transaction.
func (b *Bot) conclude(ctx context.Context, l Lease, it Item, c conclusion) error {
	if c.err != nil && asError(c.err).Code == CodeInternal {
		// A run cannot go on without its record: then it is the record that
		// failed, and the item waits for it instead of being answered with an
		// excuse.
		if err := b.renew(ctx, l); err != nil {
			return fmt.Errorf("run: %w (%w)", c.err, err)
		}
	}
	card, outcome := b.finalCard(ctx, c)
	var saved sync.WaitGroup
	saved.Go(func() { b.saveTrace(ctx, it, c, outcome) }) // whoever sees the answer may ask why: see awaitTrace
	reply := c.p.finish(ctx, card)
	saved.Wait()
	if c.p.lost {
		return ErrFenced
	}
	if ctx.Err() != nil && reply.State != ReplyFinal {
		return context.Cause(ctx)
	}
	// People have seen the answer: a program that is stopping still says so in
	// the record, else the next one would deliver it again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	out := Outcome{Reply: &reply}
	if c.p.reply.First {
		out.Title = title(c.m.Text)
	}
	if card.Text != "" {
		sources, err := json.Marshal(card.Sources)
		if err != nil {
			return fmt.Errorf("encode sources: %w", err)
		}
		out.Entry = &Entry{
			ID: reply.Run, Thread: it.Thread, Own: true, Text: card.Text, Run: reply.Run,
			Sources: sources, At: b.cfg.Now(),
		}
	}
	if len(c.decisions) > 0 {
		have, err := b.cfg.Record.RunApprovals(ctx, it.Thread, c.p.run, maxAsked)
		if err != nil {
			return fmt.Errorf("read approvals: %w", err)
		}
		b.withdraw(ctx, have, nil)
	}
	if errors.Is(c.err, errRolledBack) {
		if err := b.cfg.Runner.Amend(ctx, it.Thread, c.m.Key(), "", true); err != nil {
			return fmt.Errorf("roll back: %w", err)
		}
	}
	out.Jobs = b.lessonsOf(ctx, c)
	if err := b.cfg.Record.Finish(ctx, l, it.ID, out); err != nil {
		return fmt.Errorf("finish item: %w", err)
	}
	if len(out.Jobs) > 0 {
		b.teach()
	}
	if c.log != "" { // an aside leaves no log: what was said is in the transcript
		if err := b.cfg.Runner.Forget(ctx, c.log); err != nil {
			b.log.WarnContext(ctx, "forget an aside", "run", c.p.run, "err", err)
		}
	}
	b.cfg.Observe.Finished(c.set.Agent, outcome, b.cfg.Now().Sub(c.m.At))
	return nil
}

// finalCard is what the reply shows in the end.
func (b *Bot) finalCard(ctx context.Context, c conclusion) (Card, string) {
	if c.err != nil {
		outcome := RunFailed
		e := asError(c.err)
		switch {
		case errors.Is(c.err, errStop):
			e, outcome = &Error{Code: CodeStopped}, "stopped"
		case errors.Is(c.err, errWithdrawn):
			e, outcome = &Error{Code: CodeWithdrawn}, "stopped"
		case errors.Is(c.err, errInterrupted):
			e, outcome = &Error{Code: CodeInterrupted}, "stopped"
		case errors.Is(c.err, errRolledBack):
			e, outcome = &Error{Code: CodeRolledBack}, "stopped"
		case e.Code == CodeOverBudget, e.Code == CodeMayNot:
			outcome = "refused"
		case errors.Is(c.err, agent.ErrUnknownAgent):
			e = &Error{Code: CodeNoAgent, Err: c.err}
		}
		if outcome == RunFailed {
			if e.Ref == "" {
				e.Ref = reference()
			}
			b.log.ErrorContext(ctx, "run failed", "run", c.p.reply.Run, "agent", c.set.Agent, "ref", e.Ref, "err", c.err)
		}
		card := e.notice(c.lang)
		if outcome == "stopped" && c.p.text() != "" && !errors.Is(c.err, errWithdrawn) && !errors.Is(c.err, errRolledBack) {
			card = Card{Kind: CardText, Text: c.p.text(), Footer: e.Text(c.lang), Language: c.lang, Final: true}
		}
		return b.dressed(card, c), outcome
	}
	card := b.dressed(Card{
		Kind: CardText, Text: c.res.Text, Sources: cardSources(c.res.Sources),
		Language: c.lang, Final: true, Buttons: c.p.offered(), Footer: c.left.note(c.lang),
	}, c)
	return b.rateable(b.knowing(card, c), c), "done"
}

// dressed adds to a run's last card what people decided about it, how far its
// plan came, and the way to its trace.
func (b *Bot) dressed(card Card, c conclusion) Card {
	card.Run, card.Fields = c.p.run, c.history
	title, steps := c.p.draft.ended()
	if card.Steps = steps; len(steps) > 0 {
		card.Title = title
		if b.cfg.TraceURL != "" {
			card.Buttons = append(card.Buttons, Button{Label: say(c.lang, "과정 보기", "How it went"), URL: b.cfg.TraceURL + c.p.run})
		}
	}
	return card
}

func cardSources(sources []agent.Source) []Source {
	if len(sources) == 0 {
		return nil
	}
	out := make([]Source, len(sources))
	for i, s := range sources {
		out[i] = Source{
			N: s.N, Title: s.Title, Heading: s.Heading, Page: s.Page,
			Score: s.Score, Quote: s.Quote, Chunk: s.Chunk,
		}
	}
	return out
}

// saveTrace keeps the run for "why". The answer does not wait for it to work: a
// failure is logged and no more. A run that was over before a crash comes back
// without events and leaves the trace that was saved then.
func (b *Bot) saveTrace(ctx context.Context, it Item, c conclusion, outcome string) {
	if len(c.trace.Events) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	started := c.p.started
	if len(c.decisions) > 0 {
		started = b.joinTrace(ctx, &c)
	}
	usage, err1 := json.Marshal(c.trace.Usage)
	events, err2 := json.Marshal(impersonal(c.trace.Events))
	if err := errors.Join(err1, err2); err != nil {
		b.log.WarnContext(ctx, "encode trace", "run", c.p.run, "err", err)
		return
	}
	err := b.cfg.Record.SaveRun(ctx, Run{
		ID: c.p.run, Thread: it.Thread, Agent: c.set.Agent, User: c.m.User.ID, Status: outcome,
		Started: started, Ended: b.cfg.Now(), Usage: usage, Trace: events, Day: b.today(),
	})
	if err != nil {
		b.log.WarnContext(ctx, "save trace", "run", c.p.run, "err", err)
	}
}

// joinTrace puts what a run did before it waited in front of what it did now,
// and returns when it began.
func (b *Bot) joinTrace(ctx context.Context, c *conclusion) time.Time {
	before, err := b.cfg.Record.RunByID(ctx, c.p.run)
	var events []agent.Event
	var usage agent.Usage
	if err != nil || json.Unmarshal(before.Trace, &events) != nil || json.Unmarshal(before.Usage, &usage) != nil {
		return c.p.started // nothing was kept of it
	}
	usage.Add(c.trace.Usage)
	c.trace.Usage = usage
	c.trace.Events = append(events, c.trace.Events...)
	if over := len(c.trace.Events) - agent.MaxTrace; over > 0 {
		c.trace.Events = append(c.trace.Events[:agent.MaxTrace/2:agent.MaxTrace/2], c.trace.Events[agent.MaxTrace/2+over:]...)
	}
	return before.Started
}

// applyChange makes the agents forget or relearn a message that was changed.
func (b *Bot) applyChange(ctx context.Context, l Lease, it Item, c Change) error {
	key := Message{ID: c.Message, Thread: c.Thread}.Key()
	if err := b.cfg.Runner.Amend(ctx, it.Thread, key, c.Text, c.Deleted); err != nil {
		return fmt.Errorf("amend memory: %w", err)
	}
	if err := b.unlearn(ctx, key); err != nil {
		return err
	}
	return b.cfg.Record.Finish(ctx, l, it.ID, Outcome{})
}

// contextTurns bounds what a thread that the bot has just joined is told of
// what was said before.
const contextTurns = 50

// before returns what was said in the thread before the bot took part, once:
// when its transcript holds nothing but this message.
func (b *Bot) before(ctx context.Context, m Message, p *presenter) []agent.Turn {
	h, ok := b.adapters[m.Thread.Platform].(Historian)
	if !ok || !p.reply.First || m.Reach == ReachCommand || m.Thread.ID == "" || m.Thread.ID == m.ID {
		return nil
	}
	hctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	past, err := h.History(hctx, m.Thread, m.ID, contextTurns)
	if err != nil { // not in the scopes, or gone: the question itself can still be answered
		b.log.InfoContext(ctx, "thread history unavailable", "platform", m.Thread.Platform, "err", err)
		return nil
	}
	turns := make([]agent.Turn, 0, len(past))
	for _, p := range past {
		turns = append(turns, agent.Turn{Author: p.User.Name, Own: p.User.Bot, Text: entryText(p), At: p.At})
	}
	return turns
}

// title makes a thread's title of its first question.
func title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	const most = 60
	g := uniseg.NewGraphemes(line)
	n := 0
	for g.Next() {
		if n++; n > most {
			from, _ := g.Positions()
			return strings.TrimSpace(line[:from]) + "…"
		}
	}
	return line
}
