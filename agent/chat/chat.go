package chat

import (
	"context"
	_ "embed" // the definition
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory"
	"maru/phrase/chart"
	"maru/rag"
	"maru/rag/naming"
)

// Name is the agent's name in settings.
const Name = "chat"

// Ports of the nodes.
const (
	portFound   = "found"
	portNothing = "nothing"
	portAct     = "act"
	portTools   = "tools"
	portDone    = "done"
	portAgain   = "again"
	portHanded  = "handed"
)

//go:embed workflow.json
var definition []byte

// Documents is what the agent asks of the team's documents.
type Documents interface {
	Search(ctx context.Context, q rag.Query) ([]rag.Hit, error)
	// Absent is the document or article that a question names and that does not exist; false if there is none.
	Absent(ctx context.Context, q rag.Query) (naming.Absent, bool, error)
	Passages(ctx context.Context, scopes []string, document string, from, to int) ([]rag.Chunk, rag.Document, error)
	rag.Sampler
}

// Config is what the agent is made of. Zero numbers mean their defaults.
type Config struct {
	Model       llm.Model
	Documents   Documents
	Tools       *tool.Registry
	Memory      Memory            // nil: nothing is known of people
	Past        workflow.Past     // nil: of a thread, what its window and summaries hold
	Finder      *tool.Recommender // of the tools that fit, where there are many; nil takes the first
	Runtime     *graph.Runtime
	Limits      memory.Limits // of the window
	MaxRounds   int           // of tool calls in a turn; default 5
	Passages    int           // shown to the model for a question; default 5
	Rerank      bool          // a model picks them among twenty, in one more call
	Threshold   float64       // of [rag.Query], for a model that reads before it answers; 0: the index's own
	Tasks       string        // the agent that plans tasks of several steps; "": none
	Known       int           // tokens of memory in a prompt; default longterm.DefaultTokens, negative: none, for a model that would not use it
	Budget      llm.Budget    // of a turn; default 16 calls
	Temperature *float64      // nil: the endpoint's own
	Log         *slog.Logger
}

// Agent is the chat agent.
type Agent struct {
	*host.Host

	cfg Config
	ch  channels
}

var (
	_ agent.Agent   = (*Agent)(nil)
	_ agent.Amender = (*Agent)(nil)
	_ agent.Keeper  = (*Agent)(nil)
)

// New compiles the agent's workflow.
func New(cfg Config) (*Agent, error) {
	d, err := Definition()
	if err != nil {
		return nil, err
	}
	return newAgent(cfg, d)
}

func newAgent(cfg Config, d workflow.Definition) (*Agent, error) {
	if cfg.MaxRounds <= 0 {
		cfg.MaxRounds = 5
	}
	if cfg.Passages <= 0 {
		cfg.Passages = 5
	}
	if cfg.Budget.Calls == 0 {
		cfg.Budget.Calls = 16
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	a := &Agent{cfg: cfg, ch: newChannels()}
	var err error
	a.Host, err = host.New(host.Config{
		Definition: d, Schema: a.ch.schema, Pinned: a.ch.definition, Messages: a.ch.messages, Summaries: a.ch.summaries.Get,
		Types: workflow.NewRegistry(workflow.Toolless(a.types())...), // it takes the tools that there are, and waits for none
		// Its nodes are model calls: a crash may repeat the one of the last moment.
		// What must not happen twice is committed first, whatever the durability.
		Options: graph.Options{Durability: graph.Grouped},
		Runtime: cfg.Runtime, Budget: cfg.Budget, Warn: cfg.Log, Exec: workflow.Exec{Tools: cfg.Tools, Past: cfg.Past},
		Ahead: a.recallAhead, Restarts: a.restarts,
	})
	if err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	return a, nil
}

// Definition returns the agent's workflow.
func Definition() (workflow.Definition, error) { return workflow.Parse(definition) }

// Types returns the node types with which the agent's workflow is written, for
// checking definitions without running them.
func Types() *workflow.Registry {
	return workflow.NewRegistry((&Agent{ch: newChannels()}).types()...)
}

// types are the node types that the workflow is written with.
func (a *Agent) types() []workflow.Type {
	visit := func(name, summary string, run graph.Node, route func(graph.State) string, ports []string, writes ...string) workflow.Type {
		return workflow.Type{
			Name: name, Summary: summary, Ports: ports, Writes: writes,
			Bind: func(json.RawMessage) (workflow.Bound, error) {
				b := workflow.Bound{Run: run}
				if route != nil {
					b.Route = func(_ context.Context, s graph.State) string { return route(s) }
				}
				return b, nil
			},
		}
	}
	c := a.ch
	return []workflow.Type{
		visit("chat_router", "Decides whether documents or the agent answer.", a.router, c.route.Get, []string{routeRAG, routeAgent}, c.route.Name(), c.reason.Name(), c.wants.Name(), c.query.Name(), c.draft.Name(), c.context.Name(), c.aside.Name(), c.about.Name()),
		visit("chat_rag", "Retrieves numbered passages, or reads the files of the message.", a.rag, a.ragPort, []string{portFound, portNothing, portAct}, c.context.Name(), c.near.Name(), c.notes.Name(), c.about.Name()),
		visit("chat_not_found", "Says that the documents do not answer.", a.notFound, nil, nil, c.answer.Name(), c.cited.Name(), c.lately.Name(), c.messages.Name()),
		visit("chat_memory", "Summarises what leaves the window.", a.memory, nil, nil, c.messages.Name(), c.summaries.Name()),
		visit("chat_agent", "Answers or calls tools.", a.agent, a.agentPort, []string{portTools, portDone}, c.answer.Name(), c.cited.Name(), c.lately.Name(), c.messages.Name()),
		visit("chat_tools", "Runs tool calls side by side; one that needs a yes asks first.", a.tools, a.toolsPort, []string{portAgain, portHanded}, c.messages.Name(), c.rounds.Name(), c.deeds.Name(), c.handed.Name(), c.sought.Name()),
	}
}

// Run implements agent.Agent: one turn on the thread's graph. The same run goes
// on from its last checkpoint; one that is over returns its recorded answer.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	x := a.Exec(req, sink)
	res, used, err := a.Host.Run(ctx, x, a.ch.question.Set(chart.Subject(req.Text)))
	if err != nil {
		return agent.Result{}, err
	}
	out := agent.Result{
		Text: a.told(x, res.State), Interrupts: workflow.Interrupts(res.Interrupts), Sources: a.ch.cited.Get(res.State), Found: slices.Concat(a.ch.context.Get(res.State), a.ch.sought.Get(res.State)),
		Usage: used,
	}
	switch {
	case a.ch.handed.Get(res.State):
		out.HandOff = a.cfg.Tasks
	case res.Done && len(a.ch.deeds.Get(res.State)) == 0 && a.offersTask(x, res.State):
		out.Offer = a.cfg.Tasks
	}
	if len(out.Sources) == 0 {
		out.Nearest = workflow.Pointers(out.Text, slices.Concat(out.Found, a.ch.near.Get(res.State)))
	}
	return out, nil
}
