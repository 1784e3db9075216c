package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/place"
	"maru/bot/reply"
	"maru/bot/wording"
	"maru/config"
	"maru/phrase"
)

// Handle processes one inbox item. It returns nil when the item is finished, and
// an error when it stays pending: at shutdown, after a lost lease, or if the record
// cannot commit.
func (ts *Turns) Handle(ctx context.Context, l bot.Lease, it bot.Item) error {
	if ended, err := parkOrGiveUp(ctx, ts, l, it); ended || err != nil {
		return err
	}
	switch it.Kind {
	case bot.ItemMessage:
		var m bot.Message
		if err := json.Unmarshal(it.Body, &m); err != nil {
			return ts.drop(ctx, l, it, err)
		}
		return ts.answerMessage(ctx, l, it, m)
	case bot.ItemResume:
		return ts.resume(ctx, l, it)
	case bot.ItemChange:
		var c bot.Change
		if err := json.Unmarshal(it.Body, &c); err != nil {
			return ts.drop(ctx, l, it, err)
		}
		return ts.applyChange(ctx, l, it, c)
	case bot.ItemExpire:
		err := ts.cfg.Expiries.Expire(ctx, l, it)
		if errors.Is(err, ErrUnreadable) {
			return ts.drop(ctx, l, it, err)
		}
		return err
	case bot.ItemStop:
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
	}
	return ts.drop(ctx, l, it, fmt.Errorf("unknown kind %q", it.Kind))
}

// drop finishes an item that cannot be processed.
func (ts *Turns) drop(ctx context.Context, l bot.Lease, it bot.Item, why error) error {
	ts.cfg.Log.ErrorContext(ctx, "item dropped", "item_kind", it.Kind, "err", why)
	return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Dead: true, Why: why.Error()})
}

// turn is the processing of a message: with the settings from its start, and the decisions that it
// resumes with after waiting for people.
type turn struct {
	m         bot.Message
	set       config.Resolved
	lang      string
	left      place.Budget // remaining budget of the channel
	decisions []agent.Decision
	history   []bot.Field // decisions shown in the reply
	log       string      // name of the agent's log if not the thread's own; see aside
	beside    bool        // the author may decide a pending question of the thread
	parked    bool        // an item of its thread rests while it is answered
	missing   string      // notice from before the run waited, see extras
	spoken    bool        // resumed by a message rather than a click
	item      bot.Item    // the item being processed
	reworded  bool        // the question was edited after the run made progress
	redo      agent.Redo
	handed    bool // handed over to another agent; the first one has consumed the decisions
}

// fresh reports whether the agent gets the message rather than decisions on its own questions.
func (t turn) fresh() bool { return len(t.decisions) == 0 || t.handed }

// extras are additions to the agent's answer.
type extras struct {
	buttons []bot.Button
	own     bool   // the answer is a fixed text, not an agent's
	missing string // notice about files that could not be read or added
}

// answerMessage runs the channel's agent on a message and delivers the reply.
func (ts *Turns) answerMessage(ctx context.Context, l bot.Lease, it bot.Item, m bot.Message) error {
	if m.Overheard {
		if ours, err := ts.addressed(ctx, it, m); err != nil {
			return err
		} else if !ours {
			return finishOverheard(ctx, ts, l, it, m)
		}
	}
	set, err := ts.cfg.Rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return err
	}
	set.Agent = cmp.Or(m.Agent, set.Agent)
	if m.Schedule != nil && m.Schedule.Agent != "" {
		set.Agent = m.Schedule.Agent
	}
	t := turn{m: m, set: set, lang: phrase.LanguageOf(set.Language, m.Text, m.User.Locale)}
	if t.left, err = ts.cfg.Rules.BudgetOf(ctx, m.Thread, m.User, set, agent.Usage{}); err != nil {
		return err
	}
	if it.Attempts > 0 { // an interrupted aside resumes as an aside
		if t.log, err = ts.cfg.Record.Note(ctx, bot.NoteAside+m.Run()); err != nil {
			return fmt.Errorf("read note: %w", err)
		}
	}
	waiting, err := ts.cfg.Questions.In(ctx, it, m)
	switch {
	case err != nil:
		return err
	case waiting.Own:
		t.log = waiting.Log
	case it.Stopped == bot.StopSaid: // a stop also takes back a decision
	case len(waiting.Rows) > 0 && t.log == "" && (waiting.Heard || !ts.begun(ctx, it, m)):
		if t, err = ts.withPresentText(ctx, t); errors.Is(err, errUnasked) { // a deleted yes does not count
			defer ts.cfg.Jobs.Wake()
			return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Jobs: callback(m)})
		}
		if err != nil {
			return err
		}
		switch heard, err := ts.cfg.Questions.Hear(ctx, t.m, t.lang, waiting.Rows); {
		case err != nil:
			return err
		case heard.Tell != "":
			return approval.EndHeard(ctx, ts.cfg.Questions, t.m, ts.tell(ctx, l, it, t.m, heard.Tell))
		case heard.Taken:
			return approval.EndHeard(ctx, ts.cfg.Questions, t.m, ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{}))
		}
		if it.Stopped != "" {
			break
		}
		if t.log, err = ts.asideLog(ctx, m); err != nil {
			return err
		}
		if t.beside, err = ts.remindsOf(ctx, m, waiting.Rows); err != nil {
			return err
		}
	case t.log == "" && it.Stopped == "" && !ts.begun(ctx, it, m):
		if t, err = besideParked(ctx, ts, it, t); err != nil {
			return err
		}
	}
	return ts.runTurn(ctx, l, it, t)
}

// begun reports whether a message's run started before a crash.
func (ts *Turns) begun(ctx context.Context, it bot.Item, m bot.Message) bool {
	if it.Attempts == 0 {
		return false
	}
	_, err := ts.cfg.Record.Reply(ctx, m.Run())
	return err == nil
}

// runTurn runs a turn until it has answered or waits for people, and finishes item it with the
// outcome.
func (ts *Turns) runTurn(ctx context.Context, l bot.Lease, it bot.Item, t turn) error {
	t.item = it
	var gone error
	if !it.Begun {
		ts.cfg.Runs.expect(t.m.Run(), len(t.decisions) > 0)
		t, gone = ts.withPresentText(ctx, t)
	}
	switch {
	case gone == nil:
	case !errors.Is(gone, errUnasked):
		return gone
	default:
		if _, err := ts.cfg.Record.Reply(ctx, t.m.Run()); errors.Is(err, bot.ErrNotFound) { // no reply is visible yet
			defer ts.cfg.Jobs.Wake()
			return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Jobs: callback(t.m)})
		}
	}
	was, halted, err := ts.cfg.Runs.halted(ctx, it, t.m.Run(), len(t.decisions) > 0)
	if err != nil {
		return err
	}
	p, err := ts.cfg.Replies.Begin(ctx, l, it, t.m, reply.Look{Lang: t.lang, React: t.set.React, History: t.history, Still: halted})
	if err != nil {
		return err
	}
	defer p.Settled(ctx)
	defer p.Close()
	if p.Delivered { // a crash came between delivery and commit
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Reply: &p.Row, Jobs: p.Owed(ctx)})
	}
	unfollow := ts.cfg.Follows.Open(ctx, p.Run, it.Thread)
	defer unfollow()
	c := conclusion{turn: t, p: p, extras: &extras{missing: t.missing}, err: gone}
	switch {
	case gone != nil:
		return ts.conclude(ctx, l, it, c)
	case halted:
		p.Restore(was.Text, was.Plan)
		c.err = stopCause(was.Why)
		return ts.concludeHalted(ctx, l, it, c)
	}
	return ts.runOnce(ctx, l, it, c)
}

// runOnce runs a turn once and finishes item it with the outcome.
func (ts *Turns) runOnce(ctx context.Context, l bot.Lease, it bot.Item, c conclusion) error {
	run, end := ts.cfg.Runs.begin(ctx, it, c.m.User.ID, c.p)
	defer end()
	if c.err = context.Cause(run); isPersons(c.err) { // stopped before it began
		return ts.concludeHalted(ctx, l, it, c)
	}
	t, err := ts.cfg.Redos.redoes(ctx, c.turn)
	if c.turn = t; err != nil {
		if no := (*bot.Error)(nil); !errors.As(err, &no) {
			return err
		}
		c.err = err
		return ts.conclude(ctx, l, it, c)
	}
	if c.set.Decisions.OnEdit == config.EditAgain {
		if err := wording.Begin(ctx, ts.cfg.Record, c.m, it.ID); err != nil {
			return err
		}
	}
	for handed := true; handed; {
		var part agent.Trace
		c.res, part, c.err = ts.runAgent(run, it.Thread, c.turn, c.p, c.extras)
		c.trace.Usage.Add(part.Usage)
		c.trace.Parts = agent.AddPart(c.trace.Parts, part.Parts...)
		c.trace.Events = shortened(append(c.trace.Events, part.Events...))
		if handed = c.err == nil && c.res.HandOff != "" && !c.handed; handed {
			c.set.Agent, c.handed = c.res.HandOff, true
		}
	}
	if cause := context.Cause(ctx); c.err != nil && cause != nil { // shutdown or lost lease: resumed later
		if errors.Is(cause, bot.ErrShutdown) { // this process still holds the lease
			ts.saveTrace(ctx, it, c, bot.RunBroken)
		}
		return cause
	}
	if c.err == nil && len(c.res.Interrupts) == 0 {
		ts.cfg.Runs.delivers(c.p.Run)
	}
	switch cause := context.Cause(run); {
	case errors.Is(cause, errEdited): // even if the run has just ended
		end()
		return ts.restartEdited(ctx, l, it, c)
	case isPersons(cause):
		if c.err != nil || len(c.res.Interrupts) > 0 { // even if it has just reached a question; otherwise it has answered
			c.err = cause
		}
		return ts.concludeHalted(ctx, l, it, c)
	case c.err == nil && len(c.res.Interrupts) > 0:
		end() // from here on, people's messages concern the question, even "cancel"
		return ts.ask(ctx, l, it, c)
	}
	if c.err == nil && c.res.Offer != "" {
		if err := c.offerTask(ctx, ts.cfg.Questions); err != nil { // answer without the button
			ts.cfg.Log.WarnContext(ctx, "offer a task", "run", c.p.Run, "err", err)
		}
	}
	if c.err == nil {
		c.offerNote(ctx, ts)
	}
	return ts.conclude(ctx, l, it, c)
}

// runAgent prepares the agent's request and runs it.
func (ts *Turns) runAgent(ctx context.Context, thread string, t turn, p *reply.Presenter, x *extras) (agent.Result, agent.Trace, error) {
	m, set := t.m, t.set
	if m.Schedule != nil && m.Schedule.Say {
		x.own = true
		return agent.Result{Text: m.Text}, agent.Unasked(p.Run, m.At), nil
	}
	if m.Schedule != nil && m.Schedule.Gaps != nil {
		x.own = true
		text, buttons, err := ts.cfg.Gaps.Report(ctx, *m.Schedule.Gaps, t.lang)
		x.buttons = buttons
		return agent.Result{Text: text}, agent.Trace{}, err
	}
	if m.Request != nil {
		x.own = true
		res, err := approval.Requested(m, t.decisions, t.lang)
		return res, agent.Trace{}, err
	}
	if t.left.Gone() {
		return agent.Result{}, agent.Trace{}, t.left.Refusal(t.lang)
	}
	if m.User.Stranger() && set.Guests == config.GuestsNone {
		return agent.Result{}, agent.Trace{}, &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(config.Member, t.lang)}
	}
	if t.fresh() {
		text, err := ts.fixedAnswer(ctx, m, t.lang, x)
		if text != "" || err != nil {
			x.own = true
			return agent.Result{Text: text}, agent.ByRule(p.Run, m.At, err), err
		}
		if m, err = ts.cfg.Files.openLinks(ctx, m, t.lang); err != nil { // a resumed run has the message's files and context already
			return agent.Result{}, agent.Trace{}, err
		}
		t.m = m
	}
	req := ts.request(ctx, thread, t, p)
	if err := holdRestricted(ctx, ts.cfg.Rules, t, req); err != nil {
		return agent.Result{}, agent.Trace{}, err
	}
	if t.fresh() {
		note, err := ts.bring(ctx, t, p, x, &req)
		if err != nil || note != "" {
			return agent.Result{Text: note}, agent.ByRule(p.Run, m.At, err), err
		}
	} else {
		req.Pictures = ts.cfg.Files.refetchPictures(ctx, m, t.lang)
	}
	if ts.cfg.Searches != nil {
		without, end := ts.cfg.Searches.Begin(m, ts.cfg.Adapters[m.Thread.Platform])
		defer end()
		req.Scopes = append(slices.Clip(req.Scopes), without...)
	}
	see := ts.watch(ctx, t, p)
	if err := ts.awaitAgent(ctx, t, see); err != nil {
		return agent.Result{}, agent.Trace{}, err
	}
	return ts.runWithPictures(ctx, req, p, t.lang, see, x)
}

// request builds a turn's request to its agent, without the message's files and context.
func (ts *Turns) request(ctx context.Context, thread string, t turn, p *reply.Presenter) agent.Request {
	m, set := t.m, t.set
	mine := ts.cfg.Rules.Owner(ctx, m.Thread, m.User)
	decisions := t.decisions
	if t.handed {
		decisions = nil
	}
	return agent.Request{
		Run: attemptID(p.Run, m), Message: m.Key(), Thread: thread, Aside: t.log, Fence: p.Lease.Token, Agent: set.Agent, Text: m.Text,
		User: agent.User{ID: m.Thread.Person(m.User), Name: m.User.Name, Locale: m.User.Locale, TimeZone: m.User.TimeZone, Stranger: m.User.Stranger() || m.User.Bot},
		// The item's time rather than now, so that a run resumed after a crash
		// sees the same time.
		Now: m.At, Scopes: ts.cfg.Rules.WithRestricted(ctx, m.Thread, m.User, place.RunScopes(m.Thread, m.User, set)), Tags: set.Means.DocTags, Model: set.Means.Model, Temperature: set.Means.Temperature,
		Quoted: quotesOf(m.Quoted), Home: m.Thread.ChannelScope(), Learn: mine.Home, NoMemory: mine.Off, Language: t.lang, Persona: set.Persona, Decisions: decisions, Redo: t.redo,
		Limits: limits(ctx, ts.cfg.Record, p.Run, set),
		Approvals: agent.Approvals{
			Clarification: set.Approvals.Clarification, Plan: set.Approvals.Plan, Step: set.Approvals.Step, AutoStep: set.Decisions.AutoSteps,
		},
	}
}

// watch forwards a run's events to its reply, its followers and the metrics.
func (ts *Turns) watch(ctx context.Context, t turn, p *reply.Presenter) func(agent.Event) {
	started := ts.cfg.Now()
	var first, noted sync.Once // parallel nodes report concurrently
	return func(e agent.Event) {
		switch e.Kind {
		case agent.EventToken:
			first.Do(func() { ts.cfg.Observe.FirstToken(t.set.Agent, ts.cfg.Now().Sub(started)) })
		case agent.EventModelCall:
			if e.Usage != nil {
				ts.cfg.Observe.ModelCall(e.Name, *e.Usage, e.Took, e.Err)
			}
		case agent.EventToolCall:
			ts.auditCall(ctx, t, p.Run, e)
		case agent.EventToolResult:
			ts.cfg.Observe.ToolCall(e.Name, e.Err != "", e.Took)
		case agent.EventCustom:
			var c agent.Checked
			if e.Name == agent.CustomChecked && json.Unmarshal(e.Data, &c) == nil {
				ts.cfg.Observe.Checked(t.set.Agent, c)
			}
		}
		if t.item.Attempts > 0 && isProgress(e) {
			noted.Do(func() { ts.cfg.Tries.Further(ctx, t.item) })
		}
		p.Event(e)
		ts.cfg.Follows.Event(p.Run, e)
	}
}
