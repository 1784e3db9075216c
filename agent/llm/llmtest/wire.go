package llmtest

import (
	"encoding/json"

	"maru/agent/llm"
)

// Request is a chat request as it came over the wire. A field that is not here
// is refused, as the real endpoint refuses it.
type Request struct {
	Model               string          `json:"model"`
	Messages            []Message       `json:"messages"`
	Tools               []Tool          `json:"tools,omitempty"`
	ToolChoice          json.RawMessage `json:"tool_choice,omitempty"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls,omitempty"`
	ResponseFormat      *Format         `json:"response_format,omitempty"`
	Stream              bool            `json:"stream,omitempty"`
	StreamOptions       *StreamOptions  `json:"stream_options,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	TopP                *float64        `json:"top_p,omitempty"`
	MaxTokens           *int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int            `json:"max_completion_tokens,omitempty"`
	N                   *int            `json:"n,omitempty"`
	Seed                *int            `json:"seed,omitempty"`
	Stop                json.RawMessage `json:"stop,omitempty"`
	User                string          `json:"user,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
}

// StreamOptions are the options of a stream.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Message is a chat message on the wire.
type Message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content,omitempty"`
	Name       string          `json:"name,omitempty"`
	ToolCalls  []ToolCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Refusal    string          `json:"refusal,omitempty"`
}

// Text returns the content in words.
func (m Message) Text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(m.Content, &parts)
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// ToolCall is a tool call on the wire.
type ToolCall struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function Function `json:"function"`
}

// Function is a call's name and arguments.
type Function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// Tool is a tool on offer.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Strict      *bool           `json:"strict,omitempty"`
	} `json:"function"`
}

// Format asks for a form of reply.
type Format struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Schema      json.RawMessage `json:"schema,omitempty"`
		Strict      *bool           `json:"strict,omitempty"`
	} `json:"json_schema,omitempty"`
}

// Schema returns the schema the reply must have, nil for none.
func (r Request) Schema() json.RawMessage {
	if r.ResponseFormat == nil || r.ResponseFormat.JSONSchema == nil {
		return nil
	}
	return r.ResponseFormat.JSONSchema.Schema
}

// Last returns the text of the last message of a role, "" if there is none.
func (r Request) Last(role llm.Role) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == string(role) {
			return r.Messages[i].Text()
		}
	}
	return ""
}

// System returns all system messages.
func (r Request) System() string {
	s := ""
	for _, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			s += m.Text() + "\n"
		}
	}
	return s
}

// Offers reports whether a tool of that name is on offer.
func (r Request) Offers(tool string) bool {
	for _, t := range r.Tools {
		if t.Function.Name == tool {
			return true
		}
	}
	return false
}
