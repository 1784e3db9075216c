package chat

import (
	"cmp"
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
	"maru/phrase/intent"
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

// Documents is the agent's access to the team's documents.
type Documents interface {
	Search(ctx context.Context, q rag.Query) ([]rag.Hit, error)
	// Absent is the document or article that a question names and that does not exist; false if there is none.
	Absent(ctx context.Context, q rag.Query) (naming.Absent, bool, error)
	Passages(ctx context.Context, scopes []string, document string, from, to int) ([]rag.Chunk, rag.Document, error)
	rag.Sampler
}

// Config holds the agent's dependencies and limits. A zero limit takes its default.
type Config struct {
	Model       llm.Model
	Documents   Documents
	Tools       *tool.Registry
	Memory      Memory            // nil: no memory of people
	Past        workflow.Past     // nil: past turns come from the window and its summaries
	Finder      *tool.Recommender // recommends tools if there are many; nil takes the first ones
	Runtime     *graph.Runtime
	Limits      memory.Limits // of the window
	MaxRounds   int           // tool rounds per turn; default 5
	Passages    int           // passages per prompt; default 5
	Rerank      bool          // lets a model choose them among twenty, with one more call
	Threshold   float64       // minimum score of [rag.Query] for a model that reads passages; 0: the index's default
	Tasks       string        // name of the agent for tasks of several steps; "": none
	Known       int           // tokens of memory in a prompt; default longterm.DefaultTokens, negative: none, for models that ignore it
	Budget      llm.Budget    // per turn; default 16 calls
	Temperature *float64      // nil: the endpoint's default
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
	cfg.MaxRounds = cmp.Or(max(cfg.MaxRounds, 0), 5)
	cfg.Passages = cmp.Or(max(cfg.Passages, 0), 5)
	cfg.Budget.Calls = cmp.Or(cfg.Budget.Calls, 16)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	a := &Agent{cfg: cfg, ch: newChannels()}
	var err error
	a.Host, err = host.New(host.Config{
		Definition: d, Schema: a.ch.schema, Pinned: a.ch.definition, Messages: a.ch.messages, Summaries: &a.ch.summaries,
		Types: workflow.NewRegistry(workflow.Toolless(a.types())...), // it takes the tools that are available and waits for none
		// Nodes are model calls, and a crash may repeat the latest one. Effects that must not be repeated are
		// committed first at any durability.
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

// Types returns the agent's node types, to validate definitions without running them.
func Types() *workflow.Registry {
	return workflow.NewRegistry((&Agent{ch: newChannels()}).types()...)
}

// types returns the agent's node types.
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

// Run implements agent.Agent: one turn on the thread's graph. An interrupted run resumes from its last checkpoint;
// a finished run returns its recorded answer.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	x := a.Exec(req, sink)
	res, used, err := a.Host.Run(ctx, x, a.ch.question.Set(chart.Subject(intent.AfterCourtesy(req.Text))))
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
