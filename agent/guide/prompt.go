package guide

import (
	"embed"
	"maps"
	"sync"
	"text/template"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }}).ParseFS(promptFiles, "prompts/*.tmpl"))
})

// prompt renders one of the prompts for a run.
func (k kit) prompt(name string, s graph.State, x *workflow.Exec, more map[string]any) (string, error) {
	data := map[string]any{
		"Today":    host.Today(x.Request),
		"Language": node.AnswerIn(x.Request.Language), "Persona": x.Request.Persona, "Known": k.st.known.Get(s),
		"Question": k.st.question.Get(s), "Tasks": k.st.tasks.Get(s), "Feedback": k.st.feedback.Get(s),
	}
	maps.Copy(data, more)
	return host.Render(prompts(), name, data)
}

// recent is the number of earlier messages in a prompt.
const recent = 8

// talk builds a prompt from a system text and the conversation up to this question.
func (k kit) talk(system string, s graph.State) []llm.Message {
	return host.Prompted(system, k.st.messages.Get(s), recent)
}
