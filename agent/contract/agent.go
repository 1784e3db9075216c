package contract

import (
	"context"
	_ "embed" // the definition
	"fmt"
	"log/slog"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/rag"
)

// Name is the agent's name in settings.
const Name = "contract"

//go:embed workflow.json
var definition []byte

// Config is what the agent is made of. Zero numbers mean their defaults.
type Config struct {
	Model         llm.Model   // metered; retries and fallbacks are the agent's
	Fallbacks     []llm.Model // asked in turn when Model is unable
	MaxRetries    int         // of a passing failure of one model; default 2, negative none
	Backoff       time.Duration
	Patience      time.Duration // with one model, all its repetitions counted; 0 means no end
	Random        func() float64
	Now           func() time.Time
	Documents     rag.Index
	Runtime       *graph.Runtime
	MaxIterations int              // rounds of planning and judging; default 4
	Passages      int              // of one search; default 5
	Cache         llm.Cache        // of the models' replies; nil: none
	CacheTTL      time.Duration    // default 1 h
	Durability    graph.Durability // when steps are committed; Inherit means every step
	Budget        llm.Budget       // of a turn; default 30 calls
	Log           *slog.Logger
}

// Agent is the contract agent. It implements agent.Agent and agent.Amender.
type Agent struct {
	cfg    Config
	st     state
	host   host.Host
	guard  *workflow.Guard
	models []llm.Model
}

var (
	_ agent.Agent   = (*Agent)(nil)
	_ agent.Amender = (*Agent)(nil)
)

// New compiles the agent's workflow.
func New(cfg Config) (*Agent, error) {
	if cfg.MaxIterations <= 0 {
		cfg.MaxIterations = 4
	}
	if cfg.Passages <= 0 {
		cfg.Passages = 5
	}
	if cfg.CacheTTL <= 0 {
		cfg.CacheTTL = time.Hour
	}
	if cfg.Budget.Calls == 0 {
		cfg.Budget.Calls = 30
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	a := &Agent{cfg: cfg, st: newState(), guard: workflow.NewGuard(0)}
	types, err := a.types()
	if err != nil {
		return nil, err
	}
	d, err := Definition()
	if err != nil {
		return nil, err
	}
	plan, _, err := workflow.Compile(d, types, a.st.schema, graph.Options{Durability: cfg.Durability, Parallel: maxCalls})
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	a.host = host.Host{Name: Name, Plan: plan, Runtime: cfg.Runtime, Messages: a.st.messages, Budget: cfg.Budget}
	a.models = a.cached()
	return a, nil
}

// Definition returns the agent's workflow.
func Definition() (workflow.Definition, error) { return workflow.Parse(definition) }

// Types returns the node types with which the agent's workflow is written and
// the channels that they work on, for checking definitions without running them.
func Types() (*workflow.Registry, *graph.Schema, error) {
	a := &Agent{st: newState()}
	types, err := a.types()
	return types, a.st.schema, err
}

func (a *Agent) types() (*workflow.Registry, error) {
	tools, err := newTools()
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	k := kit{st: a.st, shelf: newShelf(a.cfg.Documents), tools: tools, passages: a.cfg.Passages, maxIterations: a.cfg.MaxIterations}
	return workflow.NewRegistry(k.types()...), nil
}

// cached puts the cache before the models. The key is model, prompt and
// parameters, and the prompt holds the passages: a reply never reaches somebody
// who could not have got the same prompt.
func (a *Agent) cached() []llm.Model {
	if a.cfg.Model == nil {
		return nil
	}
	models := append([]llm.Model{a.cfg.Model}, a.cfg.Fallbacks...)
	if a.cfg.Cache == nil {
		return models
	}
	for i, m := range models {
		models[i] = llm.Cached(m, a.cfg.Cache, a.cfg.CacheTTL, llm.ForRoute, llm.ForRewrite, llm.ForPlan, llm.ForReview, llm.ForRepair, llm.ForAnswer)
	}
	return models
}

// Name implements agent.Agent.
func (a *Agent) Name() string { return Name }

// Run implements agent.Agent: one turn on the thread's graph. The same run goes
// on from its last checkpoint; one that is over returns its recorded answer.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	x := &workflow.Exec{
		Request: req, Sink: sink, Session: req.Thread, Models: a.models, MaxRetries: a.cfg.MaxRetries, Backoff: a.cfg.Backoff, Patience: a.cfg.Patience,
		Guard: a.guard, Random: a.cfg.Random, Now: a.cfg.Now,
	}
	res, usage, err := a.host.Run(ctx, x, a.st.question.Set(host.Question(req)))
	if err != nil {
		return agent.Result{Usage: usage}, err
	}
	return agent.Result{
		Text: a.st.answer.Get(res.State), Sources: a.st.cited.Get(res.State),
		Found: sources(kit{st: a.st}.numbered(res.State)), Usage: usage,
	}, nil
}

// Amend implements agent.Amender. A thread whose message is gone forgets which
// articles it was about as well.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	return a.host.Amend(ctx, thread, message, text, deleted, func(graph.State) []graph.Write {
		if !deleted {
			return nil
		}
		return []graph.Write{a.st.last.Set(nil), a.st.question.Set(""), a.st.query.Set(""), a.st.answer.Set("")}
	})
}

// Forget implements agent.Amender: it removes the thread's log.
func (a *Agent) Forget(ctx context.Context, thread string) error { return a.host.Forget(ctx, thread) }

// Retain implements agent.Keeper.
func (a *Agent) Retain(ctx context.Context, thread string) error { return a.host.Retain(ctx, thread) }
