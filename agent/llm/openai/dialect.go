package openai

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"maru/agent/llm"
)

// odd finds what go-openai cannot read of a reply that other clients can: a content
// that is a list of parts, and a call's arguments that are an object.
var odd = regexp.MustCompile(`"content"\s*:\s*\[|"arguments"\s*:\s*\{`)

// plain gives a chunk or a whole reply the shape that OpenAI's own have: the text of
// a content's parts, of which those that only think are left out, and arguments as
// text. What it does not understand stays as it was.
func plain(data []byte) []byte {
	if !odd.Match(data) {
		return data
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var reply map[string]any
	if dec.Decode(&reply) != nil {
		return data
	}
	choices, _ := reply["choices"].([]any)
	for _, c := range choices {
		choice, _ := c.(map[string]any)
		for _, name := range []string{"delta", "message"} {
			if m, ok := choice[name].(map[string]any); ok {
				plainMessage(m)
			}
		}
	}
	out, err := json.Marshal(reply)
	if err != nil {
		return data
	}
	return out
}

func plainMessage(m map[string]any) {
	if parts, ok := m["content"].([]any); ok {
		var text strings.Builder
		for _, p := range parts {
			if part, ok := p.(map[string]any); ok {
				s, _ := part["text"].(string)
				text.WriteString(s)
			}
		}
		m["content"] = text.String()
	}
	calls, _ := m["tool_calls"].([]any)
	for _, c := range calls {
		call, _ := c.(map[string]any)
		f, _ := call["function"].(map[string]any)
		if args, ok := f["arguments"].(map[string]any); ok {
			text, _ := json.Marshal(args) // it was decoded from JSON
			f["arguments"] = string(text)
		}
	}
}

// refusesRoles reads a refusal of the conversation's form: the templates of some
// models (Gemma, Mistral) know no system message, or want people and model to take
// turns, and vLLM and llama.cpp say so in the template's words.
func refusesRoles(says string) bool {
	return hasAny(says, "system role not supported", "roles must alternate", "does not support 'system'", "unexpected role")
}

// ofTemplate reports whether an error within the server is its refusal of the
// request: llama.cpp answers some with 500.
func ofTemplate(said string) bool {
	says := strings.ToLower(said)
	return refusesRoles(says) || refusesTools(says) || hasAny(says, "failed to parse grammar")
}

// turns is a conversation for a model whose template knows only people and the model,
// by turns: what the system says stands before the first words of a person, and what
// one of them says several times in a row is said at once.
func turns(in []llm.Message) []llm.Message {
	var system []string
	var out []llm.Message
	for _, m := range in {
		last := len(out) - 1
		switch {
		case m.Role == llm.System:
			system = append(system, m.Content)
		case last >= 0 && m.Role != llm.ToolRole && out[last].Role == m.Role && len(m.ToolCalls)+len(out[last].ToolCalls) == 0:
			out[last].Content += "\n\n" + m.Content
		default:
			out = append(out, m)
		}
	}
	if len(system) == 0 {
		return out
	}
	told := llm.Message{Role: llm.User, Content: strings.Join(system, "\n\n")}
	if len(out) == 0 || out[0].Role != llm.User {
		return append([]llm.Message{told}, out...)
	}
	out[0].Content = told.Content + "\n\n" + out[0].Content
	return out
}
