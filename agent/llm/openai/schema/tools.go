package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"maru/agent/llm"
)

// Tools remembers tools as requests carry them. go-openai would encode each with every request, three times over.
// It is safe for concurrent use.
type Tools struct {
	mu   sync.Mutex
	made map[string]encoded // by the tool's name, and whether it is [Plain]
}

// encoded is a tool and its JSON.
type encoded struct {
	of  llm.Tool
	raw []byte
}

// mostTools limits the cache, since MCP servers may change their tools without end.
const mostTools = 256

// Of returns each of a request's tools as JSON, with [Plain] parameters or [Parameters]. Nobody may change them.
func (t *Tools) Of(tools []llm.Tool, plain bool) [][]byte {
	write, mark := Parameters, ""
	if plain {
		write, mark = Plain, "plain "
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([][]byte, len(tools))
	for i, one := range tools {
		made, ok := t.made[mark+one.Name]
		if !ok || made.of.Description != one.Description || !bytes.Equal(made.of.Parameters, one.Parameters) {
			if t.made == nil || len(t.made) >= mostTools {
				t.made = map[string]encoded{}
			}
			made = encoded{one, function(one, write(one.Parameters))}
			t.made[mark+one.Name] = made
		}
		out[i] = made.raw
	}
	return out
}

func function(t llm.Tool, parameters json.RawMessage) []byte {
	type named struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	out, _ := json.Marshal(struct { // texts and valid JSON always encode
		Type     string `json:"type"`
		Function named  `json:"function"`
	}{"function", named{t.Name, t.Description, parameters}})
	return out
}

// Message returns a message of plain text as requests carry it.
func Message(role, content string) ([]byte, error) {
	out := make([]byte, 0, len(content)+len(content)/16+64) // line ends are escaped
	out, err1 := jsontext.AppendQuote(append(out, `{"role":`...), role)
	if content == "" {
		return append(out, '}'), err1
	}
	out, err2 := jsontext.AppendQuote(append(out, `,"content":`...), content)
	return append(out, '}'), errors.Join(err1, err2)
}

// List is a list of a request body whose items were encoded apart. In the body a placeholder, one item, stands for it.
type List struct {
	Member, Placeholder string
	Items               [][]byte
}

// WithLists replaces the placeholders of a request body. No string of the body can match one: quotes in strings are escaped.
func WithLists(body []byte, lists ...List) []byte {
	size := len(body)
	for _, l := range lists {
		for _, one := range l.Items {
			size += len(one) + 1
		}
	}
	out := make([]byte, 0, size)
	for _, l := range lists { // in the body's order
		member := `"` + l.Member + `":[`
		at := bytes.Index(body, []byte(member+l.Placeholder+`]`))
		if at < 0 || len(l.Items) == 0 {
			continue
		}
		out = append(out, body[:at+len(member)]...)
		for i, one := range l.Items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, one...)
		}
		body = body[at+len(member)+len(l.Placeholder):]
	}
	return append(out, body...)
}
