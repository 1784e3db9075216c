package task

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"maru/agent"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase"
)

// Config is what tasks are run with.
type Config struct {
	Definition workflow.Definition // of the agent
	Build      func(*tool.Registry) (agent.Agent, error)
	Tools      []tool.Tool
	Scopes     []string // documents that the tasks may read
	Language   string   // of answers, "" for that of each task
	TimeZone   string   // of whoever asks, "" if unknown
	Limit      time.Duration
	Clock      func() time.Time
	Log        *slog.Logger
	Progress   func(done int, text string)
	Sink       agent.Sink // hears what answers cost
}

// Runner runs tasks, one at a time.
type Runner struct {
	cfg     Config
	tools   *journal
	agents  *agent.Runner
	agentID string
	known   map[string]agent.Effect // tools, by name
}

// Routes returns the ports by which the routers of a definition leave.
func Routes(d workflow.Definition) []string {
	var out []string
	for _, e := range d.Edges {
		if e.Port != "" && !slices.Contains(out, e.Port) {
			out = append(out, e.Port)
		}
	}
	return out
}

// New builds the agent.
func New(c Config) (*Runner, error) {
	r := &Runner{cfg: c, tools: &journal{}, known: map[string]agent.Effect{}}
	tools := make([]tool.Tool, len(c.Tools))
	for i, t := range c.Tools {
		tools[i] = recorded{t, r.tools}
		r.known[t.Spec().Name] = t.Spec().Policy.Effect()
	}
	registry, err := tool.NewRegistry(tools...)
	if err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	a, err := c.Build(registry)
	if err != nil {
		return nil, err
	}
	r.agentID, r.agents = a.Name(), agent.NewRunner(c.Log, c.Limit, c.Clock, a)
	return r, nil
}

// Run runs every task of a file. A task that fails is counted as failed; only the end of ctx ends the run, with the
// report of the tasks before it.
func (r *Runner) Run(ctx context.Context, f File) (Report, error) {
	out := Report{File: f.Name, Agent: r.agentID}
	for i, t := range f.Tasks {
		if r.cfg.Progress != nil {
			r.cfg.Progress(i, t.Text)
		}
		seen, err := r.run(ctx, f.Setup, t)
		if ctx.Err() != nil {
			out.count()
			return out, ctx.Err()
		}
		out.Outcomes = append(out.Outcomes, r.judge(t, seen, err))
	}
	out.count()
	return out, nil
}

// seen is what one task did.
type seen struct {
	language string
	visited  []string // nodes, in order
	asked    bool     // what was unclear
	plan     *agent.Ask
	calls    []made
	result   agent.Result
	usage    agent.Usage
	took     time.Duration
}

// maxQuestions bounds how often a task may ask its person.
const maxQuestions = 16

// run runs one task to its end and answers its questions.
func (r *Runner) run(ctx context.Context, setup Setup, t Task) (s seen, err error) {
	req := r.request(setup, t)
	s.language = req.Language
	start := r.cfg.Clock()
	r.tools.take()
	defer func() { s.calls, s.took = r.tools.take(), r.cfg.Clock().Sub(start) }()
	times := map[string]int{}
	for range maxQuestions {
		res, _, err := r.agents.Run(ctx, req, s.hear(r.cfg.Sink))
		if err != nil {
			return s, err
		}
		s.result = res
		if len(res.Interrupts) == 0 {
			return s, nil
		}
		for _, i := range res.Interrupts {
			reply := s.answer(t, i, times)
			value, err := json.Marshal(reply)
			if err != nil {
				return s, err
			}
			req.Decisions = append(req.Decisions, agent.Decision{Interrupt: i.ID, By: req.User.ID, At: req.Now, Value: value})
		}
	}
	return s, fmt.Errorf("it asked %d times and came to no end", maxQuestions)
}

// request returns a task as a person's message, in a thread of its own.
func (r *Runner) request(setup Setup, t Task) agent.Request {
	name := fmt.Sprint("task/", t.Line)
	req := agent.Request{
		Run: name, Message: name, Thread: name, Agent: r.agentID, Text: t.Text, User: agent.User{ID: "eval", TimeZone: r.cfg.TimeZone},
		Now: setup.Now, Scopes: r.cfg.Scopes, Home: r.cfg.Scopes[0], NoMemory: true, Language: r.cfg.Language,
		Approvals: agent.Approvals{Clarification: true, Plan: true, Step: true},
	}
	if req.Now.IsZero() {
		req.Now = r.cfg.Clock()
	}
	if req.Language == "" {
		req.Language = phrase.Spoken(t.Text, "")
	}
	for i, turn := range t.Conversation {
		req.Context = append(req.Context, agent.Turn{ID: fmt.Sprint(name, "/", i), Own: turn.Role == "assistant", Text: turn.Text, At: req.Now})
	}
	return req
}

// hear records the visited nodes and the cost of models.
func (s *seen) hear(sink agent.Sink) agent.Sink {
	return func(e agent.Event) {
		switch e.Kind {
		case agent.EventNodeStart:
			if n := len(s.visited); n == 0 || s.visited[n-1] != e.Node { // a node that asked starts again
				s.visited = append(s.visited, e.Node)
			}
		case agent.EventModelCall:
			if e.Usage != nil {
				s.usage.Add(*e.Usage)
			}
		}
		if sink != nil {
			sink(e)
		}
	}
}

// answer returns the decision of a task's person: they clarify, and accept plans and calls. A question that comes a third
// time is left out, or ends the run.
func (s *seen) answer(t Task, i agent.Interrupt, times map[string]int) any {
	var ask agent.Ask
	if json.Unmarshal(i.Payload, &ask) != nil || len(ask.Actions) == 0 {
		return map[string]bool{"approved": true}
	}
	if i.Kind == "plan" && s.plan == nil {
		s.plan = &ask
	}
	offers := func(verb string) bool {
		return slices.ContainsFunc(ask.Actions, func(a agent.Action) bool { return a.Verb == verb })
	}
	first := func(verbs ...string) agent.Reply {
		for _, v := range verbs {
			if offers(v) {
				return agent.Reply{Action: v}
			}
		}
		return agent.Reply{Action: ask.Actions[0].Verb}
	}
	times[i.Node+ask.Question]++
	switch n := times[i.Node+ask.Question]; {
	case n > 2:
		return first(agent.VerbSkip, agent.VerbProceed, agent.VerbStop, agent.VerbReject)
	case offers(agent.VerbClarify):
		s.asked = true
		if n == 1 && t.Clarify != "" {
			return agent.Reply{Action: agent.VerbClarify, Text: t.Clarify}
		}
		return first(agent.VerbProceed, agent.VerbStop)
	}
	return first(agent.VerbAccept, agent.VerbProceed, agent.VerbDone)
}
