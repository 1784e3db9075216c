package orchestrator

import (
	"context"
	"embed"
	"log/slog"
	"maps"
	"sync"
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

// stage is the base of every stage of a task: the thread's state, prompts, log and
// clock.
type stage struct {
	channels

	log *slog.Logger
	now func() time.Time
}

// none is the empty node configuration: the agent's Config holds every setting.
type none struct{}

// define makes a node type. A node with several ports writes the chosen one to `next`.
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

var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))
})

// prompt renders one of the prompts for a run.
func (g stage) prompt(name string, s graph.State, x *workflow.Exec, more map[string]any) (string, error) {
	r := x.Request
	data := map[string]any{
		"Today": host.Today(r), "Language": node.AnswerIn(r.Language), "User": r.User.Name, "Persona": r.Persona,
		"Personal": g.known.Get(s), "Task": g.input.Get(s), "Answers": g.clarity.Get(s).Answers,
	}
	maps.Copy(data, more)
	return host.Render(prompts(), name, data)
}

// saidLong bounds a quoted message in prompts about a part of a task, in characters.
const saidLong = 1000

// withThread adds the thread to the data of a prompt about a part of a task: the
// messages before the task, which "that" and "the other one" refer to, and the
// summaries of older ones.
func (g stage) withThread(ctx context.Context, s graph.State, x *workflow.Exec, more map[string]any) map[string]any {
	shown := g.shown(s)
	said := append([]memory.Message(nil), host.Earlier(x.Request, shown)...)
	for i := range said {
		said[i].Text = fit.Clip(said[i].Text, saidLong)
	}
	data := map[string]any{"Said": memory.Transcript(said), "Earlier": host.LongAgo(ctx, x, g.log, shown)}
	maps.Copy(data, more)
	return data
}

// askedAt records when a question was asked.
func (g stage) askedAt(ctx context.Context) (time.Time, error) {
	return graph.Repeatable(ctx, "asked", func(context.Context, string) (time.Time, error) { return g.now().UTC(), nil })
}

// system returns messages that begin with a system prompt.
func system(text string, rest ...llm.Message) []llm.Message {
	return append([]llm.Message{{Role: llm.System, Content: text}}, rest...)
}

// user returns a message in the role of a person.
func user(text string) llm.Message { return llm.Message{Role: llm.User, Content: text} }
