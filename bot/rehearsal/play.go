package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"maru/agent"
	"maru/agent/tool/replay"
	"maru/bot"
	"maru/bot/place"
	"maru/bot/reply"
	"maru/config"
	"maru/phrase"
)

// Stage is one configuration of the program that questions are replayed on. Its agents must be built on tools of
// its desk, on a runtime in memory and without the network. It is safe for concurrent use.
type Stage struct {
	Runner   *agent.Runner
	Desk     *replay.Desk // of the agents' tools
	Resolve  func([]config.Entry) config.Resolved
	Override []config.Entry // override the settings of the channel
	Placed   []bot.Setting  // replace the settings stored for their places; one without a value clears it
	Zone     string         // time zone of the person who asks, "" if unknown
	Now      func() time.Time
	Heard    agent.Sink // receives every event; may be nil

	played atomic.Int64
}

// maxRounds limits the questions to people in one replay.
const maxRounds = 30

// Play replays a question. left limits its cost, 0 for no limit. It only returns ctx's error.
func (s *Stage) Play(ctx context.Context, q Question, left float64) (Answer, error) {
	set := s.settings(q)
	req := s.request(q, set)
	req.Limits.Cost = left
	defer func() { _ = s.Runner.Forget(context.WithoutCancel(ctx), req.Thread) }() // it lives in this process
	run, end := s.Desk.Begin(ctx, replay.Of(q.trace))
	defer end()
	a, began := Answer{Agent: req.Agent}, s.Now()
	decisions := slices.Clone(q.decisions)
	for handed, round := false, 0; round < maxRounds; round++ {
		res, trace, err := s.Runner.Run(run, req, s.Heard)
		a.Usage.Add(trace.Usage)
		a.Took = s.Now().Sub(began)
		if r := routeOf(trace.Events); r != "" {
			a.Route = r
		}
		switch missing := replay.MissingIn(run); {
		case ctx.Err() != nil:
			return a, fmt.Errorf("replay: %w", context.Cause(ctx))
		case missing != nil:
			a.End, a.Why = Unrecorded, missing.Tool+" "+missing.Arguments
			return a, nil
		case err != nil:
			a.End, a.Why = Failed, why(err)
			return a, nil
		case res.HandOff != "" && !handed:
			handed, req.Agent, req.Decisions, a.Agent = true, res.HandOff, nil, res.HandOff
			continue
		case len(res.Interrupts) == 0:
			a.Text, a.Sources = res.Text, reply.Sources(res.Sources, req.Language)
			return a, nil
		}
		for _, i := range res.Interrupts {
			var d agent.Decision
			var ok bool
			if d, decisions, ok = decide(i, decisions); !ok {
				a.End, a.Why = Asks, question(i)
				return a, nil
			}
			d.By, d.At = req.User.ID, req.Now
			req.Decisions = append(req.Decisions, d)
		}
	}
	a.End, a.Why = Failed, "rounds"
	return a, nil
}

// why returns the code of an error for the report; errors without a message for people are internal.
func why(err error) string {
	if errors.Is(err, agent.ErrUnknownAgent) {
		return string(bot.CodeNoAgent)
	}
	return string(bot.AsError(err).Code)
}

// settings returns the settings of the question's channel under this configuration.
func (s *Stage) settings(q Question) config.Resolved {
	places := q.Thread.Places(bot.User{ID: q.User})
	var set []config.Entry
	for _, row := range placed(q.settings, s.Placed) {
		overridden := slices.ContainsFunc(s.Override, func(e config.Entry) bool { return e.Key == row.Key })
		if i := slices.Index(places, row.Place); i >= 0 && !overridden {
			set = append(set, config.Entry{Level: config.Workspace + config.Level(i), Key: row.Key, Value: row.Value})
		}
	}
	return s.Resolve(append(set, s.Override...))
}

// placed replaces rows of settings by others for the same keys.
func placed(rows, others []bot.Setting) []bot.Setting {
	out := slices.DeleteFunc(slices.Clone(rows), func(row bot.Setting) bool {
		return slices.ContainsFunc(others, func(o bot.Setting) bool { return o.Place == row.Place && o.Key == row.Key })
	})
	for _, o := range others {
		if o.Value != nil {
			out = append(out, o)
		}
	}
	return out
}

// request returns the question as bot/turn would ask it now, in a new conversation and without the person's
// memory.
func (s *Stage) request(q Question, set config.Resolved) agent.Request {
	name := fmt.Sprintf("rehearsal/%s/%d", q.Run, s.played.Add(1))
	user := bot.User{ID: q.User, Name: q.Author}
	home := q.Thread.ChannelScope()
	return agent.Request{
		Run: name, Message: name, Thread: name, Agent: set.Agent, Text: q.Text,
		User: agent.User{ID: q.Thread.Person(user), Name: q.Author, TimeZone: s.Zone}, Now: q.At,
		Scopes: place.RunScopes(q.Thread, user, set), Tags: set.Means.DocTags, Model: set.Means.Model, Temperature: set.Means.Temperature,
		Home: home, Learn: home, NoMemory: true, Context: q.Earlier, Language: phrase.LanguageOf(set.Language, q.Text, ""), Persona: set.Persona,
		Approvals: agent.Approvals{
			Clarification: set.Approvals.Clarification, Plan: set.Approvals.Plan, Step: set.Approvals.Step, AutoStep: set.Decisions.AutoSteps,
		},
	}
}

// decide answers a question to people: with the recorded decision on the next question of its kind, otherwise with
// approval, which has no effect in a replay. ok is false for questions that only people can answer.
func decide(i agent.Interrupt, made []decision) (agent.Decision, []decision, bool) {
	if at := slices.IndexFunc(made, func(d decision) bool { return d.kind == i.Kind }); at >= 0 {
		d := made[at]
		return agent.Decision{Interrupt: i.ID, Value: d.value, Expired: d.expired}, slices.Delete(made, at, at+1), true
	}
	var ask agent.Ask
	if json.Unmarshal(i.Payload, &ask) != nil {
		return agent.Decision{}, made, false
	}
	value := json.RawMessage(`{"approved":true}`)
	if len(ask.Actions) > 0 {
		if !slices.ContainsFunc(ask.Actions, func(a agent.Action) bool { return a.Verb == agent.VerbAccept }) {
			return agent.Decision{}, made, false
		}
		value = json.RawMessage(`{"action":"` + agent.VerbAccept + `"}`)
	}
	return agent.Decision{Interrupt: i.ID, Value: value}, made, true
}

// question returns the text of an interrupt.
func question(i agent.Interrupt) string {
	var ask agent.Ask
	if json.Unmarshal(i.Payload, &ask) != nil {
		return i.Kind
	}
	return ask.Question
}
