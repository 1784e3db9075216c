package guide

import (
	"cmp"
	"context"
	_ "embed" // the definition
	"fmt"
	"log/slog"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
)

// Name is the agent's name in settings.
const Name = "guide"

//go:embed workflow.json
var definition []byte

// Config holds the agent's dependencies and limits. A zero limit takes its default.
type Config struct {
	host.Models

	Services  []byte             // a team's own services as JSON, added to the bundled ones; nil: none
	Documents workflow.Documents // searched for trends and other passages; nil: none
	Memory    Memory             // nil: nothing outlives the thread
	Known     int                // tokens of memory in a prompt; default longterm.DefaultTokens, negative: none, for models that ignore it
	Past      workflow.Past      // nil: past turns come from the thread's state
	Tools     *tool.Registry     // the program's tools; web search, calculator and clock are used; may be nil
	Runtime   *graph.Runtime
	Threshold float64    // minimum similarity in [0,1]; default 0.3
	MaxRounds int        // tool rounds per turn; default 6
	Budget    llm.Budget // per turn; default 40 calls
	Log       *slog.Logger
}

// Agent is the guide agent. It implements agent.Agent and agent.Amender.
type Agent struct {
	*host.Host

	cfg Config
	st  state
}

var (
	_ agent.Agent   = (*Agent)(nil)
	_ agent.Amender = (*Agent)(nil)
	_ agent.Keeper  = (*Agent)(nil)
)

func (c Config) withDefaults() Config {
	c.Threshold = cmp.Or(max(c.Threshold, 0), 0.3)
	c.MaxRounds = cmp.Or(max(c.MaxRounds, 0), 6)
	c.Budget.Calls = cmp.Or(c.Budget.Calls, 40)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// New compiles the agent's workflow.
func New(cfg Config) (*Agent, error) {
	d, err := Definition()
	if err != nil {
		return nil, err
	}
	return newAgent(cfg, d)
}

func newAgent(cfg Config, d workflow.Definition) (*Agent, error) {
	a := &Agent{cfg: cfg.withDefaults(), st: newState()}
	types, err := a.types()
	if err != nil {
		return nil, err
	}
	c := a.cfg
	x := c.Exec(0)
	x.Past = c.Past
	a.Host, err = host.New(host.Config{
		Definition: d, Types: types, Schema: a.st.schema, Pinned: a.st.definition, Messages: a.st.messages, Runtime: c.Runtime, Budget: c.Budget, Warn: c.Log, Exec: x,
	})
	return a, err
}

// Definition returns the agent's workflow.
func Definition() (workflow.Definition, error) { return workflow.Parse(definition) }

// Types returns the agent's node types and the state channels they use, to validate a definition
// without running it.
func Types() (*workflow.Registry, *graph.Schema, error) {
	a := &Agent{st: newState(), cfg: Config{Log: slog.New(slog.DiscardHandler)}}
	types, err := a.types()
	return types, a.st.schema, err
}

func (a *Agent) types() (*workflow.Registry, error) {
	catalog, err := NewCatalog(a.cfg.Services)
	if err != nil {
		return nil, err
	}
	k := kit{
		st: a.st, catalog: catalog, memory: a.cfg.Memory, tokens: a.cfg.Known, documents: a.cfg.Documents, threshold: a.cfg.Threshold,
		maxRounds: a.cfg.MaxRounds, log: a.cfg.Log,
	}
	if k.tools, err = k.newTools(a.cfg.Tools); err != nil {
		return nil, fmt.Errorf("guide: %w", err)
	}
	return workflow.NewRegistry(k.types()...), nil
}

// Run implements agent.Agent: one turn on the thread's graph. An interrupted run resumes from its
// last checkpoint; a finished run returns its recorded guide.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	var err error
	if req.Decisions, err = a.takeEdits(ctx, req); err != nil {
		return agent.Result{}, err
	}
	res, usage, err := a.Host.Run(ctx, a.Exec(req, sink), a.st.question.Set(host.Question(req)))
	if err != nil {
		return agent.Result{Usage: usage}, err
	}
	out := agent.Result{Interrupts: workflow.Interrupts(res.Interrupts), Usage: usage}
	if !res.Done {
		return out, nil
	}
	out.Text, out.Sources, out.Lessons = a.st.guide.Get(res.State), a.st.cited.Get(res.State), a.st.lessons.Get(res.State)
	for i, d := range a.st.docs.Get(res.State) {
		d.Source.N = i + 1
		out.Found = append(out.Found, d.Source)
	}
	return out, nil
}

// Amend implements agent.Amender.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	return a.Host.Amend(ctx, thread, message, text, deleted, func(graph.State) []graph.Write {
		if !deleted {
			return nil
		}
		return []graph.Write{a.st.question.Set(""), a.st.feedback.Set(nil), a.st.guide.Set("")}
	})
}
