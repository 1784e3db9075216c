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
	decisions []agent.Decision
	history   []Field // what people have decided about the run, for its reply
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
	return b.take(ctx, l, it, turn{m: m, set: set, lang: languageOf(set.Language, m.Text, m.User.Locale)})
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
	res, trace, err := b.run(run, it.Thread, t, p)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil { // shutdown or lost lease: somebody goes on later
			return cause
		}
		if cause := context.Cause(run); errors.Is(cause, errStop) || errors.Is(cause, errWithdrawn) {
			err = cause
		}
	}
	c := conclusion{turn: t, p: p, res: res, trace: trace, err: err}
	if err == nil && len(res.Interrupts) > 0 {
		return b.ask(ctx, l, it, c)
	}
	return b.conclude(ctx, l, it, c)
}

// run prepares the request and runs the agent.
func (b *Bot) run(ctx context.Context, thread string, t turn, p *presenter) (agent.Result, agent.Trace, error) {
	m, set := t.m, t.set
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
		before = b.before(ctx, m, p)
	}
	req := agent.Request{
		Run: p.reply.Run, Message: m.Key(), Thread: thread, Fence: p.lease.Token, Agent: set.Agent, Text: m.Text,
		User: agent.User{ID: userKey(m.Thread, m.User), Name: m.User.Name, Locale: m.User.Locale, TimeZone: m.User.TimeZone},
		// The item's time, not now: a run that goes on after a crash must not
		// see another clock than the one it began with.
		Now: m.At, Scopes: scopesFor(m.Thread, m.User), Home: channelScope(m.Thread),
		Files: files, Context: before, Language: t.lang, Persona: set.Persona, Decisions: t.decisions,
		Approvals: agent.Approvals{Clarification: set.Approvals.Clarification, Plan: set.Approvals.Plan, Step: set.Approvals.Step},
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
	})
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
	if err := b.cfg.Record.Finish(ctx, l, it.ID, out); err != nil {
		return fmt.Errorf("finish item: %w", err)
	}
	b.cfg.Observe.Finished(c.set.Agent, outcome, b.cfg.Now().Sub(c.m.At))
	return nil
}

// finalCard is what the reply shows in the end.
func (b *Bot) finalCard(ctx context.Context, c conclusion) (Card, string) {
	if c.err != nil {
		outcome := "failed"
		e := asError(c.err)
		switch {
		case errors.Is(c.err, errStop):
			e, outcome = &Error{Code: CodeStopped}, "stopped"
		case errors.Is(c.err, errWithdrawn):
			e, outcome = &Error{Code: CodeWithdrawn}, "stopped"
		case errors.Is(c.err, agent.ErrUnknownAgent):
			e = &Error{Code: CodeNoAgent, Err: c.err}
		}
		if outcome == "failed" {
			if e.Ref == "" {
				e.Ref = reference()
			}
			b.log.ErrorContext(ctx, "run failed", "run", c.p.reply.Run, "agent", c.set.Agent, "ref", e.Ref, "err", c.err)
		}
		card := e.notice(c.lang)
		card.Run, card.Fields = c.p.reply.Run, c.history
		if outcome == "stopped" && c.p.text() != "" && !errors.Is(c.err, errWithdrawn) {
			card = Card{Kind: CardText, Text: c.p.text(), Footer: e.Text(c.lang), Language: c.lang, Final: true, Run: c.p.reply.Run, Fields: c.history}
		}
		return card, outcome
	}
	card := Card{
		Kind: CardText, Text: c.res.Text, Sources: cardSources(c.res.Sources),
		Language: c.lang, Final: true, Run: c.p.reply.Run, Buttons: c.p.offered(), Fields: c.history,
	}
	return card, "done"
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
	usage, err1 := json.Marshal(c.trace.Usage)
	events, err2 := json.Marshal(c.trace.Events)
	if err := errors.Join(err1, err2); err != nil {
		b.log.WarnContext(ctx, "encode trace", "run", c.p.run, "err", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := b.cfg.Record.SaveRun(ctx, Run{
		ID: c.p.run, Thread: it.Thread, Agent: c.set.Agent, User: c.m.User.ID, Status: outcome,
		Started: c.p.started, Ended: b.cfg.Now(), Usage: usage, Trace: events,
	})
	if err != nil {
		b.log.WarnContext(ctx, "save trace", "run", c.p.run, "err", err)
	}
}

// applyChange makes the agents forget or relearn a message that was changed.
func (b *Bot) applyChange(ctx context.Context, l Lease, it Item, c Change) error {
	key := Message{ID: c.Message, Thread: c.Thread}.Key()
	if err := b.cfg.Runner.Amend(ctx, it.Thread, key, c.Text, c.Deleted); err != nil {
		return fmt.Errorf("amend memory: %w", err)
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
