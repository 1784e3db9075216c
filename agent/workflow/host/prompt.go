package host

import (
	"fmt"
	"strings"
	"text/template"

	"maru/agent/llm"
	"maru/agent/workflow/node"
	"maru/memory"
)

// Render writes one of an agent's prompts, without the space around it.
func Render(prompts *template.Template, name string, data map[string]any) (string, error) {
	var out strings.Builder
	out.Grow(4 << 10) // most prompts are no longer
	if err := prompts.ExecuteTemplate(&out, name+".tmpl", data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(out.String()), nil
}

// Prompted returns a prompt with the newest messages of a conversation, which ends with
// this turn's question.
func Prompted(system string, said []memory.Message, newest int) []llm.Message {
	return append([]llm.Message{{Role: llm.System, Content: system}}, node.Talk(Newest(said, newest))...)
}

// Newest returns the newest messages of a conversation, those that a prompt shows.
func Newest(said []memory.Message, newest int) []memory.Message {
	return said[max(0, len(said)-newest):]
}
