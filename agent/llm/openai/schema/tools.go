package schema

import (
	"bytes"
	"encoding/json"
	"sync"

	"maru/agent/llm"
)

// Tools remembers tools as requests carry them. go-openai would encode each with every request, three times over.
// It is safe for concurrent use.
type Tools struct {
	mu   sync.Mutex
	made map[text][]byte
}

type text struct{ name, description, parameters string }

// mostTools limits the cache, since MCP servers may change their tools without end.
const mostTools = 256

// Of returns each of a request's tools as JSON. Nobody may change them.
func (t *Tools) Of(tools []llm.Tool) [][]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([][]byte, len(tools))
	for i, one := range tools {
		made, ok := t.made[text{one.Name, one.Description, string(one.Parameters)}]
		if !ok {
			if t.made == nil || len(t.made) >= mostTools {
				t.made = map[text][]byte{}
			}
			made = function(one)
			t.made[text{one.Name, one.Description, string(one.Parameters)}] = made
		}
		out[i] = made
	}
	return out
}

func function(t llm.Tool) []byte {
	type named struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	out, _ := json.Marshal(struct { // texts and valid JSON always encode
		Type     string `json:"type"`
		Function named  `json:"function"`
	}{"function", named{t.Name, t.Description, Parameters(t.Parameters)}})
	return out
}

// WithTools replaces the placeholder tool of a request body, {"type":"function"}, by tools. No string of the body can match it:
// quotes in strings are escaped.
func WithTools(body []byte, tools [][]byte) []byte {
	const member = `"tools":`
	before, after, ok := bytes.Cut(body, []byte(member+`[{"type":"function"}]`))
	if !ok {
		return body
	}
	size := len(body)
	for _, one := range tools {
		size += len(one) + 1
	}
	out := append(append(append(make([]byte, 0, size), before...), member...), '[')
	for i, one := range tools {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, one...)
	}
	return append(append(out, ']'), after...)
}
