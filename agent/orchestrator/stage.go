package orchestrator

import (
	"context"
	"embed"
	"log/slog"
	"maps"
	"text/template"
	"time"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
	"maru/phrase/fit"
)

// stage is what every stage of a task works with: the thread's state, the prompts
// and what time it is.
type stage struct {
	channels

	log *slog.Logger
	now func() time.Time
}

// none is the config of the nodes: the agent's Config says everything.
type none struct{}

// define makes a node type. The node writes the port that it chose to `next`,
// which several ports need.
func (g stage) define(name, summary string, run workflow.Execute[none], ports []string, writes ...string) workflow.Type {
	t := workflow.Type{
		Name: name, Summary: summary, Ports: ports, Writes: append(writes, g.spent.Name(), g.calls.Name()),
	}
	if len(ports) == 0 {
		return workflow.Define(t, run, nil)
	}
	t.Writes = append(t.Writes, g.next.Name())
	return workflow.Define(t, run, func(s graph.State, _ none) string { return g.next.Get(s) })
}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// prompt renders one of the prompts for a run.
func (g stage) prompt(name string, s graph.State, x *workflow.Exec, more map[string]any) (string, error) {
	r := x.Request
	data := map[string]any{
		"Today": host.Today(r), "Language": node.AnswerIn(r.Language), "User": r.User.Name, "Persona": r.Persona,
		"Personal": g.known.Get(s), "Task": g.input.Get(s), "Answers": g.clarity.Get(s).Answers,
	}
	for key, v := range more {
		data[key] = v
	}
	return host.Render(prompts, name, data)
}

// saidLong bounds a message of the conversation in prompts about a part of a task, in letters.
const saidLong = 1000

// before is what prompts about a part of a task are told of the thread: its messages
// before the task, since "that" and "the other one" mean what they say, and what was
// said long ago. more is what else the prompt says.
func (g stage) before(ctx context.Context, s graph.State, x *workflow.Exec, more map[string]any) map[string]any {
	shown := g.shown(s)
	said := append([]memory.Message(nil), host.Earlier(x.Request, shown)...)
	for i := range said {
		said[i].Text = fit.Clip(said[i].Text, saidLong)
	}
	data := map[string]any{"Said": memory.Transcript(said), "Earlier": host.LongAgo(ctx, x, g.log, shown)}
	maps.Copy(data, more)
	return data
}

// since notes when a question was asked.
func (g stage) since(ctx context.Context) (time.Time, error) {
	return graph.Once(ctx, "asked", func(context.Context, string) (time.Time, error) { return g.now().UTC(), nil })
}

// system begins a prompt.
func system(text string, rest ...llm.Message) []llm.Message {
	return append([]llm.Message{{Role: llm.System, Content: text}}, rest...)
}

// user is one message of a person.
func user(text string) llm.Message { return llm.Message{Role: llm.User, Content: text} }
