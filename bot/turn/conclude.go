package turn

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
	"maru/bot/cited"
	"maru/bot/exchange"
	"maru/bot/learning"
	"maru/bot/modeluse"
	"maru/bot/reply"
	"maru/phrase"
	"maru/phrase/chart"
	"maru/phrase/fit"
)

// conclusion collects the outcome of a run that answered, failed, stopped or waits.
type conclusion struct {
	turn

	p      *reply.Presenter
	extras *extras
	res    agent.Result
	trace  agent.Trace
	err    error
}

// conclude delivers the final card, and finishes the item with reply and
// transcript in one transaction.
func (ts *Turns) conclude(ctx context.Context, l bot.Lease, it bot.Item, c conclusion) error {
	if err := ts.recordFailed(ctx, l, it, c.err); err != nil {
		return err
	}
	card, outcome := ts.finalCard(ctx, c)
	var saved sync.WaitGroup
	if outcome != bot.RunStopped { // whoever stopped the run is watching its reply
		c.p.EndBelow()
	}
	whole := c.trace
	saved.Go(func() { whole = ts.saveTrace(ctx, it, c, outcome) }) // readers of the answer may request the trace: see AwaitTrace
	reply, err := c.p.Finish(ctx, card)
	saved.Wait()
	if err != nil {
		return err
	}
	// The answer is visible: commit it even during shutdown, otherwise the next process
	// would deliver it again.
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	out, err := ts.outcome(ctx, it, c, card)
	if err != nil {
		return err
	}
	out.Reply = &reply
	if err := rollBack(ctx, ts, it, c.m, c.err); err != nil {
		return err
	}
	c.p.HandOut(ctx, card, c.res.Artifacts, c.lang, &out)
	if c.err == nil {
		out.Jobs = append(out.Jobs, ts.cfg.Learner.Jobs(ctx, learning.Answer{Message: c.m, Run: c.p.Run, Memory: c.set.Memory, Events: c.trace.Events, Result: c.res})...)
	}
	out.Jobs = append(out.Jobs, c.p.Owed(ctx)...)
	out.Jobs = append(out.Jobs, callback(c.m)...)
	out.Last = !c.spoken && c.log == "" && len(out.Withdraw) == 0 && outcome != bot.RunStopped // concludeHalted goes on
	if err := ts.cfg.Record.Finish(ctx, l, it.ID, out); err != nil {
		return fmt.Errorf("finish item: %w", err)
	}
	ts.cfg.Questions.EndWithdrawn(ctx, out.Withdraw)
	if c.spoken && outcome != bot.RunStopped && !c.p.IsBelow() {
		ts.pointToReply(ctx, it, c)
	}
	if len(out.Jobs) > 0 {
		ts.cfg.Jobs.Wake()
	}
	if c.log != "" { // an aside's log is deleted: its messages are in the transcript
		if err := ts.cfg.Runner.Forget(ctx, c.log); err != nil {
			ts.cfg.Log.WarnContext(ctx, "forget an aside", "run", c.p.Run, "err", err)
		}
	}
	ts.cfg.Observe.Finished(c.set.Agent, outcome, ts.cfg.Now().Sub(c.m.At))
	logAnswer(ctx, ts, it, c, whole, outcome)
	return nil
}

// rollBack hides a message from agents if a newer one took its place. The transcript keeps it.
func rollBack(ctx context.Context, ts *Turns, it bot.Item, m bot.Message, cause error) error {
	if !errors.Is(cause, errRolledBack) {
		return nil
	}
	if err := errors.Join(ts.cfg.Runner.Amend(ctx, it.Thread, m.Key(), "", true), ts.cfg.Record.SetNote(ctx, bot.NoteUnsaid+m.Key(), "1")); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

// callback returns the job that tells a program how its request ended; none for other messages.
func callback(m bot.Message) []bot.Job {
	if m.Request == nil || !m.Request.Told {
		return nil
	}
	return []bot.Job{{ID: bot.JobTell + "/" + m.Request.ID, Kind: bot.JobTell, Body: []byte("{}")}}
}

// unasked says that a question was withdrawn: deleted, or by the program that filed it.
func unasked(m bot.Message, lang string) *bot.Error {
	e := &bot.Error{Code: bot.CodeWithdrawn}
	if m.Request != nil {
		e.Say = phrase.Say(lang, "desk.withdrawn")
	}
	return e
}

// recordFailed returns an error if a run failed because of a failure of the record, even if the record has recovered
// since. The item then stays pending, and the attempt does not count.
func (ts *Turns) recordFailed(ctx context.Context, l bot.Lease, it bot.Item, failed error) error {
	if failed == nil {
		return nil
	}
	e := bot.AsError(failed)
	if e.OfRecord() {
		ts.cfg.Tries.Further(ctx, it)
		return fmt.Errorf("run: %w", failed)
	}
	if e.Code == bot.CodeInternal { // an unclassified error may stem from the record
		if err := ts.cfg.Leases.Renew(ctx, l); err != nil {
			return fmt.Errorf("run: %w (%w)", failed, err)
		}
	}
	return nil
}

// outcome returns the outcome of an item whose reply ends with card.
func (ts *Turns) outcome(ctx context.Context, it bot.Item, c conclusion, card bot.Card) (out bot.Outcome, err error) {
	if len(c.decisions) > 0 || it.Attempts > 0 { // otherwise it has no approvals
		if out.Withdraw, err = ts.cfg.Questions.StillAsked(ctx, it.Thread, c.p.Run); err != nil {
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
	out.Entry = &bot.Entry{ID: c.p.Run, Thread: it.Thread, Own: true, Text: card.Worded().Text, Run: c.p.Run, Sources: sources, At: ts.cfg.Now()}
	return out, nil
}

// finalCard renders the last state of the reply.
func (ts *Turns) finalCard(ctx context.Context, c conclusion) (bot.Card, string) {
	if c.err != nil {
		outcome := bot.RunFailed
		e := bot.AsError(c.err)
		switch {
		case errors.Is(c.err, errStop):
			e, outcome = &bot.Error{Code: bot.CodeStopped}, bot.RunStopped
		case errors.Is(c.err, errWithdrawn):
			e, outcome = unasked(c.m, c.lang), bot.RunStopped
		case errors.Is(c.err, errInterrupted):
			e, outcome = &bot.Error{Code: bot.CodeInterrupted}, bot.RunStopped
		case errors.Is(c.err, errRolledBack):
			e, outcome = &bot.Error{Code: bot.CodeRolledBack}, bot.RunStopped
		case slices.Contains([]bot.Code{bot.CodeOverBudget, bot.CodeBusy, bot.CodeRedoGone, bot.CodeRedoStep}, e.Code):
			outcome = bot.RunRefused
		case e.Code == bot.CodeSpent:
			outcome = bot.RunRefused
			if b := runBudget(ctx, ts.cfg.Record, c); b.Gone() { // otherwise the agent's own limit
				e = b.Refusal(c.lang)
			}
		case e.Code == bot.CodeMayNot:
			outcome = bot.RunRefused
			if !e.Noted {
				ts.cfg.Rules.Audit(ctx, c.m.Thread, c.m.User, "question.refused", map[string]any{"run": c.p.Run, "reach": c.m.Reach})
			}
		case errors.Is(c.err, agent.ErrUnknownAgent) && len(c.decisions) > 0:
			e = &bot.Error{Code: bot.CodeAgentGone, Err: c.err}
		case errors.Is(c.err, agent.ErrUnknownAgent) && c.item.Attempts > 0:
			e = &bot.Error{Code: bot.CodeAgentLost, Err: c.err}
		case errors.Is(c.err, agent.ErrUnknownAgent):
			e = &bot.Error{Code: bot.CodeNoAgent, Err: c.err}
		}
		if outcome == bot.RunFailed {
			e = e.WithReference()
			ts.cfg.Log.ErrorContext(ctx, "run failed", "run", c.p.Run, "agent", c.set.Agent, "ref", e.Ref, "err", c.err)
		}
		card := e.Notice(c.lang)
		if outcome == bot.RunStopped && c.p.Text() != "" && !errors.Is(c.err, errWithdrawn) && !errors.Is(c.err, errRolledBack) {
			card = bot.Card{Kind: bot.CardText, Text: c.p.Text(), Footer: e.Text(c.lang), Language: c.lang, Final: true, Stopped: true}
		}
		return ts.withProgress(card, c), outcome
	}
	card := ts.withProgress(bot.Card{
		Kind: bot.CardText, Text: chart.Complete(c.m.Text, c.res.Text) + c.extras.missing, Sources: openable(reply.Sources(c.res.Sources, c.lang), ts.cfg.TraceURL, c.p.Run), Nearest: reply.Sources(c.res.Nearest, c.lang),
		Language: c.lang, Final: true, Buttons: c.extras.buttons, Footer: ts.runsLow(ctx, c),
		Own: c.extras.own,
	}, c)
	files, left := c.p.Files(ctx, c.res.Artifacts, len(c.decisions) > 0 || c.item.Attempts > 0, c.lang)
	card.Files, card.Text = files, card.Text+left
	if cutShort(c.trace.Events) {
		card.Footer = fit.Dots(phrase.Say(c.lang, "bot.answer.cut"), card.Footer)
	}
	if c.m.Schedule != nil {
		card.Footer = fit.Dots(card.Footer, c.m.Schedule.Note)
	}
	if c.m.Again != "" && c.m.Revision != "" {
		card.Footer = fit.Dots(card.Footer, phrase.Say(c.lang, "bot.edited.answered"))
	}
	if c.beside {
		card.Footer = fit.Dots(card.Footer, phrase.Say(c.lang, "bot.approval.still_waits"))
	}
	if b, ok := cited.Button(c.p.Run, card.Sources, c.lang); ok && !ts.cfg.Adapters.Facts(c.m.Thread.Platform).OpensSources {
		card.Buttons = append(card.Buttons, b)
	}
	return withRating(withMemories(card, c), c), bot.RunDone
}

// forAnswer is the purpose of model calls that write answers.
const forAnswer = "answer"

// cutShort reports whether the model hit its output limit in the answer, which then looks
// complete but is not.
func cutShort(events []agent.Event) bool {
	for _, e := range slices.Backward(events) {
		if e.Kind == agent.EventModelCall && e.Name == forAnswer {
			return e.Cut
		}
	}
	return false
}

// withProgress adds people's decisions, the plan's progress and the link to the trace to
// a run's last card.
func (ts *Turns) withProgress(card bot.Card, c conclusion) bot.Card {
	card.Run, card.Fields = c.p.Run, c.history
	title, steps := c.p.Steps()
	if card.Steps = steps; len(steps) > 0 {
		card.Title = title
		if ts.cfg.TraceURL != "" {
			card.Buttons = append(card.Buttons, bot.Button{Label: phrase.Say(c.lang, "bot.button.trace"), URL: ts.cfg.TraceURL + c.p.Run})
		}
	}
	return card
}

// openable links sources to the passage on the page of their run. That page checks the reader's
// rights.
func openable(sources []bot.Source, traces, run string) []bot.Source {
	for i, s := range sources {
		if traces != "" && s.URL == "" && s.Chunk != "" {
			sources[i].URL = traces + url.PathEscape(run) + "#source-" + strconv.Itoa(s.N)
		}
	}
	return sources
}

// saveTrace saves a run's events and returns the trace of the whole run, including parts before waits
// and crashes. Best effort: failures are logged and do not delay the answer. A run that ended before a
// crash resumes without events; it keeps the trace saved then or, if there is none, gets one that
// lists the answer's citations.
func (ts *Turns) saveTrace(ctx context.Context, it bot.Item, c conclusion, outcome string) agent.Trace {
	if len(c.trace.Events) == 0 && (c.err != nil || ts.hasTrace(ctx, c.p.Run)) {
		return c.trace
	}
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	now := ts.cfg.Now()
	started, worked := c.p.Started, now.Sub(c.p.Started)
	if len(c.decisions) > 0 || c.turn.reworded || it.Attempts > 0 {
		before := ts.joinTrace(ctx, &c)
		started, worked = before.Started, worked+before.Worked
	}
	usage, err1 := json.Marshal(modeluse.Cost{Usage: c.trace.Usage, Parts: c.trace.Parts})
	told, said := exchange.Pack(c.trace.Events)
	if ts.cfg.Exchanges == nil {
		told, said = c.trace.Events, nil
	}
	events, err2 := json.Marshal(append(withoutMemories(told), citing(c.p.Run, c.res.Sources, now)...))
	if err := errors.Join(err1, err2); err != nil {
		ts.cfg.Log.WarnContext(ctx, "encode trace", "run", c.p.Run, "err", err)
		return c.trace
	}
	run := bot.Run{
		ID: c.p.Run, Thread: it.Thread, Agent: c.set.Agent, User: c.m.User.ID, Status: outcome,
		Started: started, Ended: now, Worked: worked, Usage: usage, Trace: events, Day: ts.cfg.Rules.Today(),
	}
	if ts.cfg.Traced != nil && outcome != bot.RunWaiting && outcome != bot.RunBroken {
		ts.cfg.Traced(ctx, run, withoutMemories(c.trace.Events))
	}
	if len(said) > 0 {
		err := ts.cfg.Exchanges.SaveRunWith(ctx, run, now, said)
		if err == nil {
			return c.trace
		}
		ts.cfg.Log.WarnContext(ctx, "save prompts and replies", "run", c.p.Run, "err", err) // the trace can do without
	}
	if err := ts.cfg.Record.SaveRun(ctx, run); err != nil {
		ts.cfg.Log.WarnContext(ctx, "save trace", "run", c.p.Run, "err", err)
	}
	return c.trace
}

// hasTrace reports whether a run's trace was or may have been saved.
func (ts *Turns) hasTrace(ctx context.Context, run string) bool {
	_, err := ts.cfg.Record.RunByID(ctx, run)
	return !errors.Is(err, bot.ErrNotFound)
}

// citing returns the event that maps citation numbers to passages.
func citing(run string, sources []agent.Source, at time.Time) []agent.Event {
	if len(sources) == 0 {
		return nil
	}
	cited := make([]agent.Source, len(sources))
	for i, s := range sources {
		s.Quote = "" // the retrieval event has it
		cited[i] = s
	}
	return []agent.Event{{Kind: agent.EventCustom, Name: agent.CustomCited, Run: run, At: at, Sources: cited}}
}

// joinTrace prepends the saved events of a run's earlier parts to its present ones, and returns the
// earlier ones. Without any it adds a start event.
func (ts *Turns) joinTrace(ctx context.Context, c *conclusion) bot.Run {
	before, err := ts.cfg.Record.RunByID(ctx, c.p.Run)
	var events []agent.Event
	if err != nil || json.Unmarshal(before.Trace, &events) != nil {
		return bot.Run{Started: c.p.Started}
	}
	sum, err := modeluse.Join(before.Usage, c.trace.Usage, c.trace.Parts)
	if err != nil {
		return bot.Run{Started: c.p.Started}
	}
	c.trace.Usage, c.trace.Parts = sum.Usage, sum.Parts
	c.trace.Events = shortened(append(events, c.trace.Events...))
	return before
}

// shortened drops the middle of an overlong list of events.
func shortened(events []agent.Event) []agent.Event {
	over := len(events) - agent.MaxTrace
	if over <= 0 {
		return events
	}
	return append(events[:agent.MaxTrace/2:agent.MaxTrace/2], events[agent.MaxTrace/2+over:]...)
}

// concludeHalted finishes a run that a person stopped unless it is over, and removes the stop note.
func (ts *Turns) concludeHalted(ctx context.Context, l bot.Lease, it bot.Item, c conclusion) error {
	ts.traceUnbegun(ctx, &c)
	if err := ts.conclude(ctx, l, it, c); err != nil {
		return err
	}
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	if c.err != nil && len(c.trace.Events) == 0 { // no new events: the saved trace is complete
		ts.ended(ctx, c.p.Run, bot.RunStopped)
	}
	ts.cfg.Runs.forgetHalt(ctx, c.p.Run)
	return nil
}

// traceUnbegun gives a trace to a run that was stopped before its agent began. The agent's log lacks its message, which
// the thread's next run finds by its trace (memory/history).
func (ts *Turns) traceUnbegun(ctx context.Context, c *conclusion) {
	code := bot.CodeStopped
	if errors.Is(c.err, errInterrupted) {
		code = bot.CodeInterrupted
	}
	if len(c.trace.Events) > 0 || !errors.Is(c.err, errStop) && code == bot.CodeStopped || ts.hasTrace(ctx, c.p.Run) {
		return
	}
	text := (&bot.Error{Code: code}).Text(c.lang)
	c.trace.Events = []agent.Event{{Kind: agent.EventStatus, Run: c.p.Run, At: ts.cfg.Now(), Text: text}}
}
