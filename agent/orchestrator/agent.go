package orchestrator

import (
	"cmp"
	"context"
	_ "embed" // the definition
	"log/slog"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory/longterm"
)

// Name is the agent's name in settings.
const Name = "orchestrator"

//go:embed workflow.json
var definition []byte

// Recommender finds tools that suit a task, best first.
type Recommender interface {
	Recommend(ctx context.Context, w tool.Want) []tool.Recommendation
}

// Config holds the agent's dependencies and limits. Zero numbers mean the defaults.
type Config struct {
	host.Models

	ID        string             // of the agent; default [Name]
	Window    int                // context window in tokens; default 128,000
	Documents workflow.Documents // nil: no documents
	Tools     *tool.Registry     // nil: no tools
	Recommend Recommender        // nil: all tools are offered, by name
	Memory    *longterm.Memory   // nil: no memory of people
	Past      workflow.Past      // nil: past turns come from the thread's state
	Known     int                // tokens of memory in a prompt; default 300, negative: none
	Runtime   *graph.Runtime
	Budget    llm.Budget // per turn, including waits and restarts; default 60 calls, 400,000 tokens
	Limits    Limits
	Log       *slog.Logger
}

// Limits bounds one turn.
type Limits struct {
	Steps     int           // per plan; default 12
	Questions int           // per clarification; default 4
	Tools     int           // recommended per step; default 5
	Rounds    int           // model calls per step; default 6
	Tokens    int           // per step; default 40,000
	StepTime  time.Duration // per step; default 3 minutes
	Tries     int           // attempts per step; default 2
	Replans   int           // after failures; default 1
	Asked     int           // repetitions of one question; default 8
	Messages  int           // of the thread that are kept; default 40
}

func (c Config) withDefaults() Config {
	c.Budget.Calls = cmp.Or(c.Budget.Calls, 60)
	c.Budget.Tokens = cmp.Or(c.Budget.Tokens, 400_000)
	for _, d := range []struct {
		at    *int
		value int
	}{
		{&c.Limits.Steps, 12}, {&c.Limits.Questions, 4}, {&c.Limits.Tools, 5}, {&c.Limits.Rounds, 6}, {&c.Limits.Tokens, 40_000},
		{&c.Limits.Tries, 2}, {&c.Limits.Replans, 1}, {&c.Limits.Asked, 8}, {&c.Limits.Messages, 40},
	} {
		if *d.at <= 0 {
			*d.at = d.value
		}
	}
	c.Limits.StepTime = cmp.Or(max(c.Limits.StepTime, 0), 3*time.Minute)
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// Agent is the orchestrator.
type Agent struct {
	*host.Host

	state   channels
	report  reporter
	lessons teacher
}

var (
	_ agent.Agent   = (*Agent)(nil)
	_ agent.Amender = (*Agent)(nil)
	_ agent.Keeper  = (*Agent)(nil)
	_ agent.Redoer  = (*Agent)(nil)
)

// Definition returns the agent's workflow.
func Definition() (workflow.Definition, error) { return workflow.Parse(definition) }

// Types returns the agent's node types and the state channels they use, to validate definitions without running
// them.
func Types() (*workflow.Registry, *graph.Schema) {
	c := newChannels()
	return workflow.NewRegistry(Config{}.withDefaults().nodes(c)...), c.schema
}

// New compiles the agent's workflow.
func New(cfg Config) (*Agent, error) {
	d, err := Definition()
	if err != nil {
		return nil, err
	}
	if cfg.ID != "" {
		d.ID = cfg.ID
	}
	return newAgent(cfg, d)
}

func newAgent(cfg Config, d workflow.Definition) (*Agent, error) {
	c := cfg.withDefaults()
	state := newChannels()
	a := &Agent{state: state, report: reporter{c.stage(state), c.Limits.Messages, c.Known >= 0}, lessons: teacher{state, c.memories(), c.Log}}
	x := c.Exec(c.Window)
	x.Tools, x.Documents, x.Past = c.Tools, c.Documents, c.Past
	var err error
	a.Host, err = host.New(host.Config{
		Definition: d, Types: workflow.NewRegistry(c.nodes(state)...), Schema: state.schema, Pinned: state.definition, Messages: state.messages,
		Runtime: c.Runtime, Budget: c.Budget, Warn: c.Log, Exec: x,
		Spent: func(s graph.State) (int, llm.Usage) { return state.calls.Get(s), state.spent.Get(s) }, GoesOn: state.showAgain,
	})
	return a, err
}

// stage returns the base of the nodes.
func (c Config) stage(state channels) stage { return stage{channels: state, log: c.Log, now: c.Now} }

// memories returns the access to long-term memory.
func (c Config) memories() memories { return memories{c.Memory, c.Known, c.Log} }

// nodes returns the node types for a state.
func (c Config) nodes(state channels) []workflow.Type {
	g, m, limits := c.stage(state), c.memories(), c.Limits
	tools := toolbox{c.Recommend, m}
	r := router{g, tools, m}
	clarify := clarifier{g, m, limits}
	plan := planner{g, tools, m, limits}
	planReview := planReview{g, planEditor{g, tools}, m, limits}
	prepare := preparer{g, tools, m, limits}
	stepReview := stepReview{g, m, limits}
	execute := executor{g, m, limits}
	supervise := supervisor{g, limits}
	return []workflow.Type{
		r.routing(), clarify.clarificationAnalysis(), clarify.clarificationApproval(), clarify.clarificationFeedback(),
		plan.dynamicPlanning(), planReview.planApproval(), planReview.planFeedback(),
		prepare.stepPreparation(), stepReview.stepApproval(), stepReview.stepFeedback(),
		execute.toolExecution(), supervise.stepCompletion(), supervise.checkContinue(), reporter{g, limits.Messages, c.Known >= 0}.synthesis(),
	}
}

// Run implements agent.Agent: one turn on the thread's graph. A run that is called
// again resumes from its last checkpoint; its budget counts earlier spending.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	if req.Redo.Run != "" && len(req.Decisions) == 0 {
		if err := a.redo(ctx, req); err != nil {
			return agent.Result{}, err
		}
	}
	x := a.Exec(req, sink)
	res, used, err := a.Host.Run(ctx, x, a.state.input.Set(host.Question(req)))
	if err != nil {
		return agent.Result{}, err
	}
	out := agent.Result{Interrupts: workflow.Interrupts(res.Interrupts), Usage: used}
	if res.Done {
		out.Text, out.Sources, out.Found = a.report.cited(res.State, x)
		out.Artifacts, out.Lessons = a.report.artifacts(res.State, x), a.lessons.lessons(res.State, x)
	}
	return out, nil
}

// Amend implements agent.Amender: a deleted message is removed from the thread together
// with its answer; an edited one takes its new text.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	return a.Host.Amend(ctx, thread, message, text, deleted, func(graph.State) []graph.Write {
		if !deleted {
			return nil
		}
		return []graph.Write{a.state.input.Set(""), a.state.applied.Set(applied{})} // the last turn may have been about it
	})
}
