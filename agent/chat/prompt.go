package chat

import (
	"embed"
	"strings"
	"sync"
	"text/template"

	"maru/agent"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompt names.
const (
	promptRouter = "router"
	promptAgent  = "agent"
	promptMemory = "memory"
	promptPart   = "part"

	promptTalk     = "talk"
	promptTalkPart = "talkpart"

	promptAddressed = "addressed"
	promptReflect   = "reflect"
	promptRerank    = "rerank"
)

var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))
})

func fileNames(files []agent.File) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}
