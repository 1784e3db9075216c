package chat

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"maru/agent"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// The names of the prompts.
const (
	promptRouter = "router.tmpl"
	promptAgent  = "agent.tmpl"
	promptMemory = "memory.tmpl"

	promptAddressed = "addressed.tmpl"
	promptReflect   = "reflect.tmpl"
)

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

func render(name string, data any) (string, error) {
	var s strings.Builder
	if err := prompts.ExecuteTemplate(&s, name, data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(s.String()), nil
}

func fileNames(files []agent.File) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}
