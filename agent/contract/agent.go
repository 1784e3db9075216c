package contract

import (
	"cmp"
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

// Config holds the agent's dependencies and limits. A zero limit takes its default.
type Config struct {
	host.Models

	Documents     rag.Index
	Past          workflow.Past // nil: past turns come from the thread's state
	Runtime       *graph.Runtime
	MaxIterations int              // rounds of planning and evaluation; default 4
	Passages      int              // passages per search; default 5
	Cache         llm.Cache        // of model replies; nil disables it
	CacheTTL      time.Duration    // default 1 h
	Durability    graph.Durability // when steps are committed; Inherit means every step
	Budget        llm.Budget       // per turn; default 30 calls
	Log           *slog.Logger
}

// Agent is the contract agent. It implements agent.Agent and agent.Amender.
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
	c.MaxIterations = cmp.Or(max(c.MaxIterations, 0), 4)
	c.Passages = cmp.Or(max(c.Passages, 0), 5)
	c.CacheTTL = cmp.Or(max(c.CacheTTL, 0), time.Hour)
	c.Budget.Calls = cmp.Or(c.Budget.Calls, 30)
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
	a.Host, err = host.New(host.Config{
		Definition: d, Types: types, Schema: a.st.schema, Options: graph.Options{Durability: c.Durability, Parallel: maxCalls},
		Pinned: a.st.definition, Messages: a.st.messages, Runtime: c.Runtime, Budget: c.Budget, Warn: c.Log,
		Exec: c.exec(),
	})
	return a, err
}

// Definition returns the agent's workflow.
func Definition() (workflow.Definition, error) { return workflow.Parse(definition) }

// Types returns the agent's node types and the state channels they use, to validate a definition
// without running it.
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
	k := kit{st: a.st, shelf: newShelf(a.cfg.Documents), tools: tools, passages: a.cfg.Passages, maxIterations: a.cfg.MaxIterations, log: a.cfg.Log}
	return workflow.NewRegistry(k.types()...), nil
}

// exec returns the resources of a run. Models sit behind the reply cache, if one is configured.
// The cache key covers model, prompt and parameters, and the prompt contains the passages, so a
// cached reply only reaches people who may read the same passages.
func (c Config) exec() workflow.Exec {
	x := c.Exec(0)
	x.Past = c.Past
	if c.Cache == nil {
		return x
	}
	for i, m := range x.Models {
		x.Models[i] = llm.Cached(m, c.Cache, c.CacheTTL, llm.ForRoute, llm.ForRewrite, llm.ForPlan, llm.ForReview, llm.ForRepair, llm.ForAnswer)
	}
	return x
}

// Run implements agent.Agent: one turn on the thread's graph. A run that was interrupted resumes
// from its last checkpoint; a finished run returns its recorded answer.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	res, usage, err := a.Host.Run(ctx, a.Exec(req, sink), a.st.question.Set(host.Question(req)))
	if err != nil {
		return agent.Result{Usage: usage}, err
	}
	return agent.Result{
		Text: a.st.answer.Get(res.State), Sources: a.st.cited.Get(res.State),
		Found: sources(kit{st: a.st}.numbered(res.State)), Usage: usage,
	}, nil
}

// Amend implements agent.Amender. After a deleted message the thread also forgets the articles it
// discussed.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	return a.Host.Amend(ctx, thread, message, text, deleted, func(graph.State) []graph.Write {
		if !deleted {
			return nil
		}
		return []graph.Write{a.st.last.Set(nil), a.st.question.Set(""), a.st.query.Set(""), a.st.answer.Set("")}
	})
}
