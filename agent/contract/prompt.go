package contract

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))
})

// prompt renders one of the prompts.
func prompt(name string, data map[string]any) (string, error) {
	return host.Render(prompts(), name, data)
}

// recent is the number of earlier messages in a prompt.
const recent = 8

// talk builds a prompt from a system text and the conversation up to this question.
func (k kit) talk(system string, s graph.State) []llm.Message {
	return host.Prompted(system, k.st.messages.Get(s), recent)
}

// titles lists the turn's contracts.
func (k kit) titles(s graph.State) string {
	var names []string
	for _, c := range k.st.own.Get(s) {
		names = append(names, "「"+c.Title+"」")
	}
	return strings.Join(names, ", ")
}

// numbered returns at most maxShown passages of the turn with their citation numbers.
func (k kit) numbered(s graph.State) []Found {
	all := k.st.found.Get(s)
	out := make([]Found, 0, min(len(all), maxShown))
	for _, f := range all[:min(len(all), maxShown)] {
		f.Source.N = len(out) + 1
		out = append(out, f)
	}
	return out
}

// maxShown limits the passages of one answer.
const maxShown = 14

// showPassages writes numbered passages for a model and separates the user's contract from the
// standard one.
func showPassages(found []Found) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "[%d] (%s) %s\n%s\n\n", f.Source.N, whose(f), place(f), f.Source.Quote)
	}
	return strings.TrimSpace(b.String())
}

func whose(f Found) string {
	if f.Standard {
		return "the standard contract"
	}
	return "the user's contract"
}

// place describes where a passage is in its document.
func place(f Found) string {
	name := f.Source.Title
	if f.Label != "" {
		return name + ", " + f.Label
	}
	if f.Source.Heading != "" {
		name += ", " + f.Source.Heading
	}
	return name
}

// misses returns the sentences about parts that were not found, without duplicates.
func (k kit) misses(s graph.State) []string {
	var out []string
	for _, d := range k.st.done.Get(s) {
		for line := range strings.SplitSeq(d.Miss, "\n") {
			if line != "" && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// bench returns the workspace of one task's tools.
func (k kit) bench(s graph.State, x *workflow.Exec) *bench {
	return &bench{
		shelf: k.shelf, own: k.st.own.Get(s), scopes: x.Request.Scopes, tags: x.Request.Tags, language: x.Request.Language, passages: k.passages,
		shown: len(x.Request.Files) > 0,
	}
}
