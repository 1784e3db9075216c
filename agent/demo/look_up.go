package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"maru/agent/tool"
	"maru/handbook"
	"maru/phrase"
)

// passage is a section of the sample handbook.
type passage struct {
	language string
	title    string // of its page
	heading  string
	text     string // one sentence a line
}

// paragraph returns the section as the handbook has it.
func (p passage) paragraph() string { return strings.ReplaceAll(p.text, "\n", " ") }

var sentenceEnd = regexp.MustCompile(`([.?!]) `)

// passages are all sections of the handbook. A file that cannot be read would be a broken build.
var passages = sync.OnceValue(func() []passage {
	var out []passage
	err := fs.WalkDir(handbook.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(handbook.Files(), name)
		if err != nil {
			return err
		}
		page := passage{language: path.Dir(name)}
		for block := range strings.SplitSeq(string(raw), "\n\n") {
			switch block = strings.TrimSpace(block); {
			case strings.HasPrefix(block, "# "):
				page.title = strings.TrimPrefix(block, "# ")
			case strings.HasPrefix(block, "## "):
				page.heading = strings.TrimPrefix(block, "## ")
			case block != "":
				page.text = sentenceEnd.ReplaceAllString(strings.ReplaceAll(block, "\n", " "), "$1\n")
				out = append(out, page)
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	return out
})

// lookUp finds a section of the sample handbook.
type lookUp struct{ name string }

// Spec implements tool.Tool.
func (l lookUp) Spec() tool.Spec {
	return tool.Spec{
		Name: l.name, Title: phrase.Of("demo.tool"),
		Description: "Looks a topic up in the sample handbook of an invented company.",
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"topic":{"type":"string","minLength":1,"maxLength":200,"description":"a few words"}},
			"required":["topic"],"additionalProperties":false}`),
		Policy: tool.Policy{ReadOnly: true, Idempotent: true, Own: true},
	}
}

// Call implements tool.Tool.
func (lookUp) Call(_ context.Context, call tool.Call) (tool.Result, error) {
	var args struct {
		Topic string `json:"topic"`
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments: %w", err)
	}
	p, ok := find(args.Topic, call.Language)
	if !ok {
		return tool.Result{}, &tool.Error{Code: "not_found", Model: "The handbook has nothing about that topic.", People: phrase.Of("demo.not_found")}
	}
	return tool.Result{Text: p.title + " · " + p.heading + "\n\n" + p.text}, nil
}

// find returns the section with the most words of a topic, those of its headings counted twice.
// Where two have as many the person's language decides, then the earlier one.
func find(topic, language string) (passage, bool) {
	words := strings.Fields(strings.ToLower(topic))
	var best passage
	most := 0
	for _, p := range passages() {
		score := 0
		for _, w := range words {
			if strings.Contains(strings.ToLower(p.title+" "+p.heading), w) {
				score += 4
			}
			if strings.Contains(strings.ToLower(p.text), w) {
				score += 2
			}
		}
		if score > 0 && p.language == language {
			score++
		}
		if score > most {
			best, most = p, score
		}
	}
	return best, most > 0
}
