package autonomous

import (
	"cmp"
	"context"
	_ "embed" // the definition
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
)

// Name is the agent's name in settings.
const Name = "autonomous"

//go:embed workflow.json
var definition []byte

// Config holds the dependencies of the built-in agent and of teams' workflows. A zero limit takes
// its default.
type Config struct {
	host.Models

	Window        int // context window in tokens; default 128,000
	Documents     workflow.Documents
	Memory        workflow.Memory     // nil: nothing outlives the thread
	Past          workflow.Past       // nil: past turns come from the thread's state
	Sessions      workflow.SessionLog // nil disables the session log
	Tools         *tool.Registry
	HTTP          *http.Client // for http_request; nil refuses it. See node.NewHTTPClient
	Runtime       *graph.Runtime
	Budget        llm.Budget // per turn; default 80 calls
	MaxIterations int        // of the iteration gate per turn; default 50
	Log           *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Budget.Calls = cmp.Or(c.Budget.Calls, 80)
	c.MaxIterations = cmp.Or(max(c.MaxIterations, 0), 50)
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// Agent runs one workflow on the autonomous state. It implements agent.Agent
// and agent.Amender.
type Agent struct {
	*host.Host

	cfg Config
	st  node.State
}

var (
	_ agent.Agent   = (*Agent)(nil)
	_ agent.Amender = (*Agent)(nil)
	_ agent.Keeper  = (*Agent)(nil)
)

// Definition returns the agent's workflow.
func Definition() (workflow.Definition, error) { return workflow.Parse(definition) }

// Types returns the node types for definitions and the state channels they use, to validate a
// definition without running it.
func Types() (*workflow.Registry, *graph.Schema) {
	st := node.NewState()
	return registry(st, slog.New(slog.DiscardHandler)), st.Schema
}

func registry(st node.State, log *slog.Logger) *workflow.Registry {
	return workflow.NewRegistry(append(node.Types(), kit{st, log}.types()...)...).Answering(st.Answers()...)
}

// New returns the built-in agent.
func New(cfg Config) (*Agent, error) {
	d, err := Definition()
	if err != nil {
		return nil, err
	}
	return NewTeam(cfg, d, nil)
}

// NewTeam returns an agent for a definition, named after its id. find returns the definitions that
// it may use as sub-workflows; nil allows none.
func NewTeam(cfg Config, d workflow.Definition, find workflow.Find) (*Agent, error) {
	c := cfg.withDefaults()
	a := &Agent{cfg: c, st: node.NewState()}
	x := c.Exec(c.Window)
	x.Memory, x.Past, x.Log, x.Tools, x.Documents, x.HTTP = c.Memory, c.Past, c.Sessions, c.Tools, c.Documents, c.HTTP
	var err error
	a.Host, err = host.New(host.Config{
		Definition: d, Find: find, Types: registry(a.st, c.Log), Schema: a.st.Schema, Pinned: a.st.Definition, Messages: a.st.Messages, Summaries: &a.st.Summaries,
		Runtime: c.Runtime, Budget: c.Budget, Warn: c.Log, Exec: x,
	})
	return a, err
}

// Run implements agent.Agent: one turn on the thread's graph. An interrupted run resumes from its
// last checkpoint with the definition it started with.
func (a *Agent) Run(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	end := &ending{sink: sink}
	x := a.Exec(req, end.note)
	heard := node.Heard(req)
	res, usage, err := a.Host.Run(ctx, x, a.st.Input.Set(heard[len(heard)-1].Text), a.st.MaxIterations.Set(a.cfg.MaxIterations))
	if err != nil {
		return agent.Result{}, err
	}
	out := agent.Result{Interrupts: workflow.Interrupts(res.Interrupts), Usage: usage}
	if res.Done {
		out.Found = a.st.Passages.Get(res.State)
		out.Text, out.Sources = result(x, a.st, res.State)
		if strings.TrimSpace(out.Text) == "" {
			out.Text = a.unanswered(x, end, res.State)
		}
	}
	return out, nil
}

// result returns the answer and the passages it cites. Citations of missing passages are removed.
func result(x *workflow.Exec, st node.State, s graph.State) (string, []agent.Source) {
	text := st.FinalAnswer.Get(s)
	if text == "" {
		text = st.Answer.Get(s)
	}
	if text == "" {
		text = plain(st.LastOutput.Get(s))
	}
	return x.Cite(node.ForPeople(s, text), st.Passages.Get(s))
}

// plain formats a value for people.
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

// Amend implements agent.Amender.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	return a.Host.Amend(ctx, thread, message, text, deleted, func(graph.State) []graph.Write {
		if !deleted {
			return nil
		}
		return []graph.Write{a.st.Input.Set("")} // the last turn may have answered it
	})
}
