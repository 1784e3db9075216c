package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
	"maru/bot/learning"
	"maru/bot/reply"
	"maru/bot/turn"
	"maru/phrase"
	"maru/phrase/fit"
)

// conclusion is all that is known when a run has ended for now.
type conclusion struct {
	exchange

	p      *reply.Presenter
	extras *extras
	res    agent.Result
	trace  agent.Trace
	err    error
}

// conclude delivers the final card and finishes the item with reply and
// transcript in one transaction.
func (b *Bot) conclude(ctx context.Context, l bot.Lease, it bot.Item, c conclusion) error {
	if c.err != nil && slices.Contains([]bot.Code{bot.CodeInternal, bot.CodeStoreAway}, bot.AsError(c.err).Code) {
		// A run cannot go on without its record: then it is the record that
		// failed, and the item waits for it instead of being answered with an
		// excuse.
		if err := b.workers.Renew(ctx, l); err != nil {
			return fmt.Errorf("run: %w (%w)", c.err, err)
		}
	}
	card, outcome := b.finalCard(ctx, c)
	var saved sync.WaitGroup
	saved.Go(func() { b.saveTrace(ctx, it, c, outcome) }) // whoever sees the answer may ask why: see awaitTrace
	reply, err := c.p.Finish(ctx, card)
	saved.Wait()
	if err != nil {
		return err
	}
	// People have seen the answer: a program that is stopping still says so in
	// the record, else the next one would deliver it again.
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	out, err := b.outcome(ctx, it, c, card)
	if err != nil {
		return err
	}
	out.Reply = &reply
	if errors.Is(c.err, turn.ErrRolledBack) {
		if err := b.cfg.Runner.Amend(ctx, it.Thread, c.m.Key(), "", true); err != nil {
			return fmt.Errorf("roll back: %w", err)
		}
		if err := b.cfg.Record.SetNote(ctx, bot.UnsaidNote(c.m.Key()), "1"); err != nil { // the transcript keeps it
			return fmt.Errorf("roll back: %w", err)
		}
	}
	b.handOut(ctx, c, card, &out)
	if c.err == nil {
		out.Jobs = append(out.Jobs, b.learner.Jobs(ctx, learning.Answer{Message: c.m, Run: c.p.Run, Memory: c.set.Memory, Events: c.trace.Events, Result: c.res})...)
	}
	out.Jobs = append(out.Jobs, c.p.Owed(ctx)...)
	if err := b.cfg.Record.Finish(ctx, l, it.ID, out); err != nil {
		return fmt.Errorf("finish item: %w", err)
	}
	b.questions.EndWithdrawn(ctx, out.Withdraw)
	if c.spoken && outcome != bot.RunStopped {
		b.pointUp(ctx, it, c)
	}
	if len(out.Jobs) > 0 {
		b.jobs.Wake()
	}
	if c.log != "" { // an aside leaves no log: what was said is in the transcript
		if err := b.cfg.Runner.Forget(ctx, c.log); err != nil {
			b.log.WarnContext(ctx, "forget an aside", "run", c.p.Run, "err", err)
		}
	}
	b.cfg.Observe.Finished(c.set.Agent, outcome, b.cfg.Now().Sub(c.m.At))
	return nil
}

// outcome is what an item comes to whose reply ends with card.
func (b *Bot) outcome(ctx context.Context, it bot.Item, c conclusion, card bot.Card) (out bot.Outcome, err error) {
	if len(c.decisions) > 0 || it.Attempts > 0 { // else it has never asked
		if out.Withdraw, err = b.questions.StillAsked(ctx, it.Thread, c.p.Run); err != nil {
			return out, err
		}
	}
	if c.p.IsFirst() {
		out.Title = c.m.Title()
	}
	if card.Text == "" {
		return out, nil
	}
	sources, err := json.Marshal(card.Sources)
	if err != nil {
		return out, fmt.Errorf("encode sources: %w", err)
	}
	out.Entry = &bot.Entry{ID: c.p.Run, Thread: it.Thread, Own: true, Text: card.Text, Run: c.p.Run, Sources: sources, At: b.cfg.Now()}
	return out, nil
}

// finalCard is what the reply shows in the end.
func (b *Bot) finalCard(ctx context.Context, c conclusion) (bot.Card, string) {
	if c.err != nil {
		outcome := bot.RunFailed
		e := bot.AsError(c.err)
		switch {
		case errors.Is(c.err, turn.ErrStop):
			e, outcome = &bot.Error{Code: bot.CodeStopped}, bot.RunStopped
		case errors.Is(c.err, turn.ErrWithdrawn):
			e, outcome = &bot.Error{Code: bot.CodeWithdrawn}, bot.RunStopped
		case errors.Is(c.err, turn.ErrInterrupted):
			e, outcome = &bot.Error{Code: bot.CodeInterrupted}, bot.RunStopped
		case errors.Is(c.err, turn.ErrRolledBack):
			e, outcome = &bot.Error{Code: bot.CodeRolledBack}, bot.RunStopped
		case slices.Contains([]bot.Code{bot.CodeOverBudget, bot.CodeBusy, bot.CodeRedoGone, bot.CodeRedoStep}, e.Code):
			outcome = bot.RunRefused
		case e.Code == bot.CodeMayNot:
			outcome = bot.RunRefused
			if !e.Noted {
				b.audit(ctx, c.m.Thread, c.m.User, "question.refused", map[string]any{"run": c.p.Run, "reach": c.m.Reach})
			}
		case errors.Is(c.err, agent.ErrUnknownAgent) && len(c.decisions) > 0:
			e = &bot.Error{Code: bot.CodeAgentGone, Err: c.err}
		case errors.Is(c.err, agent.ErrUnknownAgent) && c.item.Attempts > 0:
			e = &bot.Error{Code: bot.CodeAgentLost, Err: c.err}
		case errors.Is(c.err, agent.ErrUnknownAgent):
			e = &bot.Error{Code: bot.CodeNoAgent, Err: c.err}
		}
		if outcome == bot.RunFailed {
			if e.Ref == "" {
				e.Ref = bot.Reference()
			}
			b.log.ErrorContext(ctx, "run failed", "run", c.p.Run, "agent", c.set.Agent, "ref", e.Ref, "err", c.err)
		}
		card := e.Notice(c.lang)
		if outcome == bot.RunStopped && c.p.Text() != "" && !errors.Is(c.err, turn.ErrWithdrawn) && !errors.Is(c.err, turn.ErrRolledBack) {
			card = bot.Card{Kind: bot.CardText, Text: c.p.Text(), Footer: e.Text(c.lang), Language: c.lang, Final: true, Stopped: true}
		}
		return b.dressed(card, c), outcome
	}
	card := b.dressed(bot.Card{
		Kind: bot.CardText, Text: c.res.Text + c.extras.missing, Sources: b.openable(reply.Sources(c.res.Sources), c.p.Run), Nearest: reply.Sources(c.res.Nearest),
		Language: c.lang, Final: true, Buttons: c.extras.buttons, Footer: b.runsLow(ctx, c),
		Files: reply.FilesOf(c.p.Run, c.res.Artifacts, false), Own: c.extras.own,
	}, c)
	if cutShort(c.trace.Events) {
		card.Footer = fit.Dots(phrase.Say(c.lang, "bot.answer.cut"), card.Footer)
	}
	if c.m.Again != "" {
		card.Footer = fit.Dots(card.Footer, phrase.Say(c.lang, "bot.edited.answered"))
	}
	if c.beside {
		card.Footer = fit.Dots(card.Footer, phrase.Say(c.lang, "bot.approval.still_waits"))
	}
	return b.rateable(b.knowing(card, c), c), bot.RunDone
}

// forAnswer is the purpose of the model calls that write answers.
const forAnswer = "answer"

// cutShort reports whether the model had to stop in the middle of the answer: a
// text that ends so reads like a whole one and is not.
func cutShort(events []agent.Event) bool {
	for _, e := range slices.Backward(events) {
		if e.Kind == agent.EventModelCall && e.Name == forAnswer {
			return e.Cut
		}
	}
	return false
}

// dressed adds to a run's last card what people decided about it, how far its
// plan came, and the way to its trace.
func (b *Bot) dressed(card bot.Card, c conclusion) bot.Card {
	card.Run, card.Fields = c.p.Run, c.history
	title, steps := c.p.Steps()
	if card.Steps = steps; len(steps) > 0 {
		card.Title = title
		if b.cfg.TraceURL != "" {
			card.Buttons = append(card.Buttons, bot.Button{Label: phrase.Say(c.lang, "bot.button.trace"), URL: b.cfg.TraceURL + c.p.Run})
		}
	}
	return card
}

// openable gives sources the address of where they are read: the page of their run, at the
// passage. Whoever may open that page is asked by it.
func (b *Bot) openable(sources []bot.Source, run string) []bot.Source {
	for i, s := range sources {
		if b.cfg.TraceURL != "" && s.URL == "" && s.Chunk != "" {
			sources[i].URL = b.cfg.TraceURL + url.PathEscape(run) + "#source-" + strconv.Itoa(s.N)
		}
	}
	return sources
}

// saveTrace keeps the run for "why". The answer does not wait for it to work: a
// failure is logged and no more. A run that was over before a crash comes back
// without events and leaves the trace that was saved then; where the crash came
// before that, what is left to tell is what the answer cites.
func (b *Bot) saveTrace(ctx context.Context, it bot.Item, c conclusion, outcome string) {
	if len(c.trace.Events) == 0 && (c.err != nil || b.traced(ctx, c.p.Run)) {
		return
	}
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	now := b.cfg.Now()
	started, worked := c.p.Started, now.Sub(c.p.Started)
	if len(c.decisions) > 0 || c.exchange.reworded || it.Attempts > 0 {
		before := b.joinTrace(ctx, &c)
		started, worked = before.Started, worked+before.Worked
	}
	usage, err1 := json.Marshal(c.trace.Usage)
	events, err2 := json.Marshal(slices.Concat(impersonal(c.trace.Events), citing(c.p.Run, c.res.Sources, now)))
	if err := errors.Join(err1, err2); err != nil {
		b.log.WarnContext(ctx, "encode trace", "run", c.p.Run, "err", err)
		return
	}
	err := b.cfg.Record.SaveRun(ctx, bot.Run{
		ID: c.p.Run, Thread: it.Thread, Agent: c.set.Agent, User: c.m.User.ID, Status: outcome,
		Started: started, Ended: now, Worked: worked, Usage: usage, Trace: events, Day: b.today(),
	})
	if err != nil {
		b.log.WarnContext(ctx, "save trace", "run", c.p.Run, "err", err)
	}
}

// traced reports whether a run's trace was saved, or may have been.
func (b *Bot) traced(ctx context.Context, run string) bool {
	_, err := b.cfg.Record.RunByID(ctx, run)
	return !errors.Is(err, bot.ErrNotFound)
}

// citing is the event that says under which number the answer cites which passage.
func citing(run string, sources []agent.Source, at time.Time) []agent.Event {
	if len(sources) == 0 {
		return nil
	}
	cited := make([]agent.Source, len(sources))
	for i, s := range sources {
		s.Quote = "" // it stands among those found
		cited[i] = s
	}
	return []agent.Event{{Kind: agent.EventCustom, Name: agent.CustomCited, Run: run, At: at, Sources: cited}}
}

// joinTrace puts what a run did before it waited or was broken off in front of what it did now,
// and returns what it did then; with nothing kept, that it begins now.
func (b *Bot) joinTrace(ctx context.Context, c *conclusion) bot.Run {
	before, err := b.cfg.Record.RunByID(ctx, c.p.Run)
	var events []agent.Event
	var usage agent.Usage
	if err != nil || json.Unmarshal(before.Trace, &events) != nil || json.Unmarshal(before.Usage, &usage) != nil {
		return bot.Run{Started: c.p.Started}
	}
	usage.Add(c.trace.Usage)
	c.trace.Usage = usage
	c.trace.Events = shortened(append(events, c.trace.Events...))
	return before
}

// shortened leaves out the middle of events that are too many.
func shortened(events []agent.Event) []agent.Event {
	over := len(events) - agent.MaxTrace
	if over <= 0 {
		return events
	}
	return append(events[:agent.MaxTrace/2:agent.MaxTrace/2], events[agent.MaxTrace/2+over:]...)
}

// concludeHalted ends a run that a person stopped, if it was not over before, and the note of it.
func (b *Bot) concludeHalted(ctx context.Context, l bot.Lease, it bot.Item, c conclusion) error {
	if err := b.conclude(ctx, l, it, c); err != nil {
		return err
	}
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	if c.err != nil && len(c.trace.Events) == 0 { // it did nothing more: what it did before stands in its trace
		b.ended(ctx, c.p.Run, bot.RunStopped)
	}
	b.Runs.ForgetHalt(ctx, c.p.Run)
	return nil
}
