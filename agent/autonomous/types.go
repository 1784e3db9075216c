package autonomous

import (
	"embed"
	"log/slog"
	"maps"
	"sync"
	"text/template"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
)

// kit builds this package's node types for a state.
type kit struct {
	st  node.State
	log *slog.Logger
}

func (k kit) types() []workflow.Type {
	return workflow.Toolless([]workflow.Type{
		k.memoryInject(), k.contextGuard(), k.classifyDifficulty(), k.directAnswer(), k.answer(), k.review(),
		k.createTodos(), k.executeTodo(), k.checkProgress(), k.finalReview(), k.finalAnswer(),
		k.postModel(), k.iterationGate(), k.transcriptRecord(),
	})
}

// none is the configuration of types without settings.
type none struct{}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))
})

// prompt renders one of the prompts for a run.
func (k kit) prompt(name string, s graph.State, x *workflow.Exec, more map[string]any) (string, error) {
	data := map[string]any{
		"Today": host.Today(x.Request), "Language": node.AnswerIn(x.Request.Language),
		"User": x.Request.User.Name, "Persona": x.Request.Persona, "Input": k.st.Input.Get(s),
		"Summaries": memory.Numbered(k.st.Summaries.Get(s)), "Memories": k.st.MemoryRefs.Get(s),
		"Todos": k.st.Todos.Get(s), "Feedback": k.st.ReviewFeedback.Get(s), "Answer": k.st.Answer.Get(s),
	}
	maps.Copy(data, more)
	return host.Render(prompts(), name, data)
}

// talk returns the whole conversation up to this question. Messages that the context guard has not
// summarised exist nowhere else in the prompt.
func (k kit) talk(s graph.State) []llm.Message { return node.Talk(k.st.Messages.Get(s)) }

// step starts the writes of a node.
func (k kit) step(name string, switches []workflow.Switch, writes ...graph.Write) []graph.Write {
	out := append([]graph.Write{k.st.CurrentStep.Set(name)}, writes...)
	if len(switches) > 0 {
		out = append(out, k.st.Fallback.Add(switches...))
	}
	return out
}

// system prepends a system prompt to messages.
func system(text string, rest ...llm.Message) []llm.Message {
	return append([]llm.Message{{Role: llm.System, Content: text}}, rest...)
}
