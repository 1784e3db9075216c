package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/command"
	"maru/bot/place"
	"maru/bot/privacy"
	"maru/bot/reply"
	"maru/bot/turn"
	"maru/config"
	"maru/phrase"
	"maru/phrase/intent"
)

// Handle works on one inbox item. It returns nil when the item is finished, and
// an error when it stays pending: the program is stopping, the lease is lost or
// the record cannot commit.
func (b *Bot) Handle(ctx context.Context, l bot.Lease, it bot.Item) error {
	if spent, err := b.tries.Spent(ctx, it); err != nil {
		return err
	} else if spent {
		return b.bury(ctx, l, it)
	}
	switch it.Kind {
	case bot.ItemMessage:
		var m bot.Message
		if err := json.Unmarshal(it.Body, &m); err != nil {
			return b.drop(ctx, l, it, err)
		}
		return b.answer(ctx, l, it, m)
	case bot.ItemResume:
		return b.resume(ctx, l, it)
	case bot.ItemChange:
		var c bot.Change
		if err := json.Unmarshal(it.Body, &c); err != nil {
			return b.drop(ctx, l, it, err)
		}
		return b.applyChange(ctx, l, it, c)
	case bot.ItemExpire:
		e, err := privacy.ReadExpiry(it)
		if err != nil {
			return b.drop(ctx, l, it, err)
		}
		return b.keeper.Expire(ctx, l, it, e)
	case bot.ItemStop:
		return b.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
	}
	return b.drop(ctx, l, it, fmt.Errorf("unknown kind %q", it.Kind))
}

// drop ends an item that nobody can work on.
func (b *Bot) drop(ctx context.Context, l bot.Lease, it bot.Item, why error) error {
	b.log.ErrorContext(ctx, "item dropped", "item_kind", it.Kind, "err", why)
	return b.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Dead: true, Why: why.Error()})
}

// exchange is a message on its way to its answer: with the settings that held when
// it began, and the decisions it goes on with after it waited for people.
type exchange struct {
	m         bot.Message
	set       config.Resolved
	lang      string
	left      place.Budget // what the place may still spend
	decisions []agent.Decision
	history   []bot.Field // what people have decided about the run, for its reply
	log       string      // of the agent, if not the thread's own; see aside
	beside    bool        // questions wait in its thread, for its author too, while it is answered
	spoken    bool        // it goes on after somebody's words in the thread
	item      bot.Item    // what is worked on
	reworded  bool        // its run had come to something before its question was edited
	redo      agent.Redo
}

// extras is what goes with an answer beside what its agent says.
type extras struct {
	buttons []bot.Button
	own     bool   // the answer is the bot's own words
	missing string // what could not be read or added of the question's files
}

// unread keeps what could not be read of the question's files: the answer says it.
func (x *extras) unread(files []agent.File) {
	for _, f := range files {
		if f.Unread != "" {
			x.missing += "\n\n" + f.Unread
		}
	}
}

// answer runs the thread's agent on a message and delivers the reply.
func (b *Bot) answer(ctx context.Context, l bot.Lease, it bot.Item, m bot.Message) error {
	if m.Overheard {
		if ours, err := b.addressed(ctx, m); err != nil {
			return err
		} else if !ours {
			return b.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
		}
	}
	set, err := b.settings(ctx, m.Thread, m.User)
	if err != nil {
		return err
	}
	t := exchange{m: m, set: set, lang: phrase.LanguageOf(set.Language, m.Text, m.User.Locale)}
	if t.left, err = b.budgetOf(ctx, m.Thread, set, agent.Usage{}); err != nil {
		return err
	}
	if it.Attempts > 0 { // an aside that was broken off goes on as one
		if t.log, err = b.cfg.Record.Note(ctx, bot.AsideNote(m.Run())); err != nil {
			return fmt.Errorf("read note: %w", err)
		}
	}
	waiting, err := b.questions.In(ctx, it, m)
	switch {
	case err != nil:
		return err
	case waiting.Own:
		t.log = waiting.Log
	case len(waiting.Rows) > 0 && t.log == "" && !b.begun(ctx, it, m):
		if t, err = b.asItReads(ctx, t); errors.Is(err, errUnasked) { // a yes that was deleted is none
			return b.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
		}
		if err != nil {
			return err
		}
		switch heard, err := b.questions.Hear(ctx, t.m, t.lang, waiting.Rows); {
		case err != nil:
			return err
		case heard.Tell != "":
			return b.tell(ctx, l, it, t.m, heard.Tell)
		case heard.Taken:
			return b.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
		}
		if t.log, err = b.aside(ctx, m); err != nil {
			return err
		}
		if t.beside, err = b.remindsOf(ctx, m, waiting.Rows); err != nil {
			return err
		}
	}
	return b.take(ctx, l, it, t)
}

// begun reports whether a message has a run already, from before a crash.
func (b *Bot) begun(ctx context.Context, it bot.Item, m bot.Message) bool {
	if it.Attempts == 0 {
		return false
	}
	_, err := b.cfg.Record.Reply(ctx, m.Run())
	return err == nil
}

// take runs a turn until it has answered or waits for people, and finishes item
// it with what came of it.
func (b *Bot) take(ctx context.Context, l bot.Lease, it bot.Item, t exchange) error {
	t.item = it
	var gone error
	if !it.Begun {
		b.Runs.Expect(t.m.Run())
		t, gone = b.asItReads(ctx, t)
	}
	switch {
	case gone == nil:
	case !errors.Is(gone, errUnasked):
		return gone
	default:
		if _, err := b.cfg.Record.Reply(ctx, t.m.Run()); errors.Is(err, bot.ErrNotFound) { // nobody has seen anything of it
			return b.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
		}
	}
	was, halted, err := b.Runs.Halted(ctx, it, t.m.Run(), len(t.decisions) > 0)
	if err != nil {
		return err
	}
	p, err := b.replies.Begin(ctx, l, it, t.m, reply.Look{Lang: t.lang, React: t.set.React, History: t.history, Still: halted})
	if err != nil {
		return err
	}
	defer p.Settled(ctx)
	defer p.Close()
	if p.Delivered { // delivered before a crash, but not finished
		return b.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Reply: &p.Row, Jobs: p.Owed(ctx)})
	}
	unfollow := b.follows.Open(ctx, p.Run, it.Thread)
	defer unfollow()
	c := conclusion{exchange: t, p: p, extras: &extras{}, err: gone}
	switch {
	case gone != nil:
		return b.conclude(ctx, l, it, c)
	case halted:
		p.Restore(was.Text, was.Plan)
		c.err = turn.StopCause(was.Why)
		return b.concludeHalted(ctx, l, it, c)
	}
	return b.attempt(ctx, l, it, c)
}

// attempt runs a turn and finishes item it with what came of it.
func (b *Bot) attempt(ctx context.Context, l bot.Lease, it bot.Item, c conclusion) error {
	run, end := b.Runs.Begin(ctx, it.Thread, c.m.User.ID, c.p)
	defer end()
	var part agent.Trace
	t, err := b.redoes(ctx, c.exchange)
	if c.exchange = t; err != nil {
		if no := (*bot.Error)(nil); !errors.As(err, &no) {
			return err
		}
		c.err = err
		return b.conclude(ctx, l, it, c)
	}
	c.res, part, c.err = b.run(run, it.Thread, c.exchange, c.p, c.extras)
	c.trace.Usage.Add(part.Usage)
	c.trace.Events = shortened(append(c.trace.Events, part.Events...))
	if cause := context.Cause(ctx); c.err != nil && cause != nil { // shutdown or lost lease: somebody goes on later
		if errors.Is(cause, bot.ErrShutdown) { // the thread is still ours
			b.saveTrace(ctx, it, c, bot.RunBroken)
		}
		return cause
	}
	if c.err == nil && len(c.res.Interrupts) == 0 {
		b.Runs.Delivers(c.p.Run)
	}
	switch cause := context.Cause(run); {
	case errors.Is(cause, turn.ErrEdited): // also when it had just come to its end
		end()
		return b.anew(ctx, l, it, c)
	case turn.IsPersons(cause):
		if c.err != nil || len(c.res.Interrupts) > 0 { // also when it had just come to a question; else it has its answer
			c.err = cause
		}
		return b.concludeHalted(ctx, l, it, c)
	case c.err == nil && len(c.res.Interrupts) > 0:
		end() // what people say from here on is about the question, "cancel" too
		return b.ask(ctx, l, it, c)
	}
	return b.conclude(ctx, l, it, c)
}

// run prepares the request and runs the agent.
func (b *Bot) run(ctx context.Context, thread string, t exchange, p *reply.Presenter, x *extras) (agent.Result, agent.Trace, error) {
	m, set := t.m, t.set
	if t.left.Gone() {
		return agent.Result{}, agent.Trace{}, &bot.Error{Code: bot.CodeOverBudget}
	}
	if m.User.Stranger() && set.Guests == config.GuestsNone {
		return agent.Result{}, agent.Trace{}, &bot.Error{Code: bot.CodeMayNot, Detail: place.Whom(config.Member, t.lang)}
	}
	if len(t.decisions) == 0 {
		if text, err := b.inOwnWords(ctx, m, t.lang); text != "" || err != nil {
			x.own = true
			return agent.Result{Text: text}, agent.Trace{}, err
		}
	}
	if len(t.decisions) == 0 { // else the run has had what came with the message
		var err error
		if m, err = b.openLinks(ctx, m, t.lang); err != nil {
			return agent.Result{}, agent.Trace{}, err
		}
		t.m = m
	}
	req := b.request(ctx, thread, t, p)
	if len(t.decisions) == 0 {
		files, offer, err := b.takeFiles(ctx, m, t.lang, p, x)
		if err != nil {
			return agent.Result{}, agent.Trace{}, err
		}
		x.buttons = offer
		if note, enough := withoutAgent(m, files, t.lang); enough {
			return agent.Result{Text: note}, agent.Trace{}, nil
		}
		req.Files = files
		x.unread(files)
		if req.Context = b.before(ctx, m, p); t.log != "" {
			if req.Context, err = b.recent(ctx, m); err != nil {
				return agent.Result{}, agent.Trace{}, err
			}
		}
	}
	see := b.watch(ctx, t, p)
	if err := b.awaitAgent(ctx, t, see); err != nil {
		return agent.Result{}, agent.Trace{}, err
	}
	return b.cfg.Runner.Run(ctx, req, see)
}

// inOwnWords answers what needs no agent; "" if one is needed.
func (b *Bot) inOwnWords(ctx context.Context, m bot.Message, lang string) (string, error) {
	switch {
	case intent.Stop(m.Text): // what could stop has: see Message
		return phrase.Say(lang, "bot.stop.nothing"), nil
	case len(m.Files) > 0:
		return "", nil
	case b.cfg.Memory != nil && command.AsksOwnMemory(m.Text):
		return b.Room.Memory.Own(ctx, m, lang)
	case approval.OnlyDecides(m.Text):
		return b.nothingWaits(ctx, m, lang)
	}
	return "", nil
}

// request is what a turn asks of its agent, but for what comes with the message.
func (b *Bot) request(ctx context.Context, thread string, t exchange, p *reply.Presenter) agent.Request {
	m, set := t.m, t.set
	mine := b.rules.Owner(ctx, m.Thread, m.User)
	return agent.Request{
		Run: attemptID(p.Run, m), Message: m.Key(), Thread: thread, Aside: t.log, Fence: p.Lease.Token, Agent: set.Agent, Text: m.Text,
		User: agent.User{ID: m.Thread.Person(m.User), Name: m.User.Name, Locale: m.User.Locale, TimeZone: m.User.TimeZone},
		// The item's time, not now: a run that goes on after a crash must not
		// see another clock than the one it began with.
		Now: m.At, Scopes: place.RunScopes(m.Thread, m.User, set), Tags: set.Means.DocTags, Model: set.Means.Model, Temperature: set.Means.Temperature,
		Quoted: quotesOf(m.Quoted), Home: m.Thread.ChannelScope(), Learn: mine.Home, NoMemory: mine.Off, Language: t.lang, Persona: set.Persona, Decisions: t.decisions, Redo: t.redo,
		Approvals: agent.Approvals{
			Clarification: set.Approvals.Clarification, Plan: set.Approvals.Plan, Step: set.Approvals.Step, AutoStep: set.Decisions.AutoSteps,
		},
	}
}

// watch takes a run's events to its reply, to whoever follows it, and into the
// figures.
func (b *Bot) watch(ctx context.Context, t exchange, p *reply.Presenter) func(agent.Event) {
	started := b.cfg.Now()
	var first, noted sync.Once // nodes that run side by side tell of themselves side by side
	return func(e agent.Event) {
		switch e.Kind {
		case agent.EventToken:
			first.Do(func() { b.cfg.Observe.FirstToken(t.set.Agent, b.cfg.Now().Sub(started)) })
		case agent.EventModelCall:
			if e.Usage != nil {
				b.cfg.Observe.ModelCall(e.Name, *e.Usage, e.Took)
			}
		case agent.EventToolCall:
			b.auditCall(ctx, t, p.Run, e)
		case agent.EventToolResult:
			b.cfg.Observe.ToolCall(e.Name, e.Err != "", e.Took)
		case agent.EventCustom:
			var c agent.Checked
			if e.Name == agent.CustomChecked && json.Unmarshal(e.Data, &c) == nil {
				b.cfg.Observe.Checked(t.set.Agent, c)
			}
		}
		if t.item.Attempts > 0 && gotFurther(e) {
			noted.Do(func() { b.tries.Further(ctx, t.item) })
		}
		p.Event(e)
		b.follows.Event(p.Run, e)
	}
}

// applyChange makes the agents forget or relearn a message that was changed.
func (b *Bot) applyChange(ctx context.Context, l bot.Lease, it bot.Item, c bot.Change) error {
	key := bot.Message{ID: c.Message, Thread: c.Thread}.Key()
	logs, err := b.LogsOf(ctx, it.Thread)
	if err != nil {
		return err
	}
	for _, log := range logs {
		if err := b.cfg.Runner.Amend(ctx, log, key, c.Text, c.Deleted); err != nil {
			return fmt.Errorf("amend memory: %w", err)
		}
	}
	if err := b.learner.Unlearn(ctx, key, c, it.At, b.cfg.Now()); err != nil {
		return err
	}
	return b.reanswer(ctx, l, it, c)
}
