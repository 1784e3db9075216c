package autonomous

import (
	"context"
	_ "embed" // the definition
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// Name is the agent's name in settings.
const Name = "autonomous"

//go:embed workflow.json
var definition []byte

// Config is what the agent and the workflows of teams are made of. Zero numbers
// mean their defaults.
type Config struct {
	Model         llm.Model   // metered; retries and fallbacks are the agent's
	Fallbacks     []llm.Model // asked in turn when Model is unable
	ModelName     string      // asked of Model; "" for its own default
	MaxRetries    int         // of a passing failure of one model; default 2, negative none
	Backoff       time.Duration
	Patience      time.Duration // with one model, all its repetitions counted; 0 means no end but the run's
	Window        int           // context window in tokens; default 128,000
	Documents     workflow.Documents
	Memory        workflow.Memory     // nil: nothing lasts beyond the thread
	Sessions      workflow.SessionLog // nil: none
	Tools         *tool.Registry
	HTTP          *http.Client // of http_request; nil: refused. See node.NewHTTPClient
	Runtime       *graph.Runtime
	Budget        llm.Budget // of a turn; default 80 calls
	MaxIterations int        // of the iteration gate in a turn; default 50
	Random        func() float64
	Now           func() time.Time
	Log           *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.Budget.Calls == 0 {
		c.Budget.Calls = 80
	}
	if c.MaxIterations <= 0 {
		c.MaxIterations = 50
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Agent runs one workflow on the autonomous state. It implements agent.Agent
// and agent.Amender.
type Agent struct {
	cfg    Config
	st     node.State
	types  *workflow.Registry
	guard  *workflow.Guard
	name   string
	bundle string // the definition and those it runs, as JSON
	plan   *graph.Plan
	notes  workflow.Problems // warnings

	mu  sync.Mutex
	old map[string]*graph.Plan // plans of earlier definitions whose turns wait
}

var (
	_ agent.Agent   = (*Agent)(nil)
	_ agent.Amender = (*Agent)(nil)
)

// Definition returns the agent's workflow.
func Definition() (workflow.Definition, error) { return workflow.Parse(definition) }

// Types returns the node types that definitions may use, and the channels they
// work on, for checking definitions without running them.
func Types() (*workflow.Registry, *graph.Schema) {
	st := node.NewState()
	return registry(st, slog.New(slog.DiscardHandler)), st.Schema
}

func registry(st node.State, log *slog.Logger) *workflow.Registry {
	return workflow.NewRegistry(append(node.Types(), kit{st, log}.types()...)...)
}

// New returns the built-in agent.
func New(cfg Config) (*Agent, error) {
	d, err := Definition()
	if err != nil {
		return nil, err
	}
	return NewTeam(cfg, d, nil)
}

// NewTeam returns an agent that runs a definition; its name is the definition's
// id. find returns the definitions that it may run as sub-workflows; may be nil.
func NewTeam(cfg Config, d workflow.Definition, find workflow.Find) (*Agent, error) {
	cfg = cfg.withDefaults()
	a := &Agent{cfg: cfg, st: node.NewState(), name: d.ID, guard: workflow.NewGuard(cfg.Window), old: map[string]*graph.Plan{}}
	a.types = registry(a.st, cfg.Log)
	var err error
	if a.plan, a.notes, err = workflow.CompileWith(d, a.types, a.st.Schema, graph.Options{}, find); err != nil {
		return nil, fmt.Errorf("workflow %s: %w", d.ID, err)
	}
	if a.bundle, err = bundle(d, find); err != nil {
		return nil, err
	}
	return a, nil
}

// Name implements agent.Agent.
func (a *Agent) Name() string { return a.name }

// Warnings returns what is doubtful about the definition.
func (a *Agent) Warnings() workflow.Problems { return a.notes }

// Run implements agent.Agent: one turn on the thread's graph. The same run goes
// on from its last checkpoint, under the definition it began with.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	x := a.exec(req, sink)
	account := x.Account(a.cfg.Budget)
	ctx = llm.WithAccount(workflow.WithExec(ctx, x), account)
	plan, fresh, err := a.planFor(ctx, req)
	if err != nil {
		return agent.Result{}, err
	}
	res, err := a.cfg.Runtime.Run(ctx, plan, graph.Call{
		Thread: a.logOf(req.Thread), Turn: req.Run, Input: a.input(req, fresh), Answers: workflow.Answers(req.Decisions),
		Fence: req.Fence, Abandon: true, Sink: x.Forward,
	})
	if err != nil {
		return agent.Result{}, workflow.Failure(err)
	}
	out := agent.Result{Interrupts: workflow.Interrupts(res.Interrupts), Usage: workflow.Usage(account)}
	if res.Done {
		out.Found = a.st.Passages.Get(res.State)
		out.Text, out.Sources = result(x, a.st, res.State)
		if out.Text == "" {
			out.Text = x.Say("이 워크플로는 답을 남기지 않고 끝났어요.", "This workflow ended without an answer.")
		}
	}
	return out, nil
}

func (a *Agent) exec(req agent.Request, sink agent.Sink) *workflow.Exec {
	c := a.cfg
	x := &workflow.Exec{
		Request: req, Sink: sink, Session: req.Thread, ModelName: c.ModelName, MaxRetries: c.MaxRetries, Backoff: c.Backoff, Patience: c.Patience,
		Memory: c.Memory, Log: c.Sessions, Guard: a.guard, Tools: c.Tools, Documents: c.Documents, HTTP: c.HTTP,
		Random: c.Random, Now: c.Now,
	}
	if c.Model != nil {
		x.Models = append([]llm.Model{c.Model}, c.Fallbacks...)
	}
	return x
}

// logOf names the thread's log of this agent.
func (a *Agent) logOf(thread string) string { return thread + "#" + a.name }

// result returns the answer with the passages that it cites. Citations of
// passages that do not exist are taken out.
func result(x *workflow.Exec, st node.State, s graph.State) (string, []agent.Source) {
	text := st.FinalAnswer.Get(s)
	if text == "" {
		text = st.Answer.Get(s)
	}
	if text == "" {
		text = plain(st.LastOutput.Get(s))
	}
	return x.Cite(text, st.Passages.Get(s))
}

// plain writes a value as people read it.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return "```json\n" + string(raw) + "\n```"
}

// input is what a turn begins with. fresh is the definition, if the thread does
// not have it yet.
func (a *Agent) input(req agent.Request, fresh string) []graph.Write {
	heard := node.Heard(req)
	writes := []graph.Write{
		a.st.Input.Set(heard[len(heard)-1].Text), a.st.Messages.Add(heard...), a.st.MaxIterations.Set(a.cfg.MaxIterations),
	}
	if fresh != "" {
		writes = append(writes, a.st.Definition.Set(fresh))
	}
	return writes
}

// Amend implements agent.Amender.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	log := a.logOf(thread)
	res, err := a.cfg.Runtime.Peek(ctx, a.plan, log)
	if err != nil {
		return fmt.Errorf("%s: read thread: %w", a.name, err)
	}
	writes := a.amended(res.State, message, text, deleted)
	if len(writes) == 0 && (!deleted || res.Seq == 0) {
		return nil
	}
	if len(writes) > 0 { // else the log behind the window may still hold it
		if _, err := a.cfg.Runtime.Update(ctx, a.plan, log, 0, writes...); err != nil {
			return fmt.Errorf("%s: amend thread: %w", a.name, err)
		}
	}
	if err := a.cfg.Runtime.Compact(ctx, a.plan, log, 0); err != nil {
		return fmt.Errorf("%s: compact thread: %w", a.name, err)
	}
	return nil
}

// Forget implements agent.Amender: it removes the thread's log.
func (a *Agent) Forget(ctx context.Context, thread string) error {
	err := a.cfg.Runtime.Delete(ctx, a.logOf(thread))
	if err != nil && !errors.Is(err, graph.ErrNoCheckpointer) {
		return fmt.Errorf("%s: forget thread: %w", a.name, err)
	}
	return nil
}
