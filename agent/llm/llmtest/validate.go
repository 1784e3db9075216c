package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"maru/agent/llm"
)

// refusal is why a request is answered with 400.
type refusal struct{ message, param, code string }

func refuse(param, format string, args ...any) *refusal {
	return &refusal{message: fmt.Sprintf(format, args...), param: param}
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// decode reads a body as strictly as the real endpoint: no unknown fields, and
// no duplicate ones, which it would take silently but which are always a fault.
func decode(body []byte, out any) *refusal {
	if err := llm.StrictJSON(body, new(any)); err != nil {
		return refuse("", "We could not parse the JSON body of your request: %v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return refuse("", "Unrecognized request argument or wrong type: %v", err)
	}
	return nil
}

// check applies the rules of the chat endpoint.
func (s *Server) check(r Request) *refusal {
	if r.Model == "" {
		return refuse("model", "you must provide a model parameter")
	}
	for _, rule := range []func(Request) *refusal{s.checkPictures, checkMessages, checkTools, s.checkFormat, s.checkOptions} {
		if bad := rule(r); bad != nil {
			return bad
		}
	}
	return nil
}

func checkMessages(r Request) *refusal {
	if len(r.Messages) == 0 {
		return refuse("messages", "[] is too short - 'messages'")
	}
	open := map[string]bool{} // tool calls that wait for their result
	for i, m := range r.Messages {
		at := fmt.Sprintf("messages.[%d]", i)
		if m.Role != "tool" && len(open) > 0 {
			return refuse(at, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. %d did not have response messages", len(open))
		}
		if bad := checkContent(m, at); bad != nil {
			return bad
		}
		switch m.Role {
		case "assistant":
			for _, c := range m.ToolCalls {
				if c.ID == "" || c.Type != "function" || !toolName.MatchString(c.Function.Name) || c.Index != nil || open[c.ID] {
					return refuse(at+".tool_calls", "Invalid tool call")
				}
				open[c.ID] = true
			}
		case "tool":
			if !open[m.ToolCallID] {
				return refuse(at+".role", "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		return refuse("messages", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.")
	}
	return nil
}

func checkContent(m Message, at string) *refusal {
	if !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, m.Role) {
		return refuse(at+".role", "Invalid value: '%s'", m.Role)
	}
	missing := len(m.Content) == 0 || string(m.Content) == "null"
	if missing && (m.Role != "assistant" || len(m.ToolCalls) == 0) {
		return refuse(at+".content", "Invalid value for 'content': expected a string, got null.")
	}
	if !missing && m.Content[0] != '"' {
		if bad := checkParts(m, at); bad != nil {
			return bad
		}
	}
	if m.Role != "assistant" && len(m.ToolCalls) > 0 || m.Role != "tool" && m.ToolCallID != "" {
		return refuse(at, "'tool_calls' and 'tool_call_id' do not belong to role '%s'", m.Role)
	}
	if m.Name != "" && !toolName.MatchString(m.Name) {
		return refuse(at+".name", "Invalid 'name'")
	}
	return nil
}

func checkTools(r Request) *refusal {
	names := map[string]bool{}
	for i, t := range r.Tools {
		at := fmt.Sprintf("tools[%d].function", i)
		if t.Type != "function" || !toolName.MatchString(t.Function.Name) || names[t.Function.Name] {
			return refuse(at+".name", "Invalid tool")
		}
		names[t.Function.Name] = true
		var p struct{ Type string }
		if len(t.Function.Parameters) > 0 && (json.Unmarshal(t.Function.Parameters, &p) != nil || p.Type != "object") {
			return refuse(at+".parameters", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'", t.Function.Name)
		}
	}
	if len(r.ToolChoice) > 0 && len(r.Tools) == 0 {
		return refuse("tool_choice", "'tool_choice' is only allowed when 'tools' are specified.")
	}
	if r.ParallelToolCalls != nil && len(r.Tools) == 0 {
		return refuse("parallel_tool_calls", "'parallel_tool_calls' is only allowed when 'tools' are specified.")
	}
	return checkChoice(r, names)
}

func checkChoice(r Request, names map[string]bool) *refusal {
	if len(r.ToolChoice) == 0 {
		return nil
	}
	var word string
	if json.Unmarshal(r.ToolChoice, &word) == nil {
		if slices.Contains([]string{"auto", "none", "required"}, word) {
			return nil
		}
		return refuse("tool_choice", "Invalid value: '%s'", word)
	}
	var one struct {
		Type     string
		Function struct{ Name string }
	}
	if json.Unmarshal(r.ToolChoice, &one) != nil || one.Type != "function" || !names[one.Function.Name] {
		return refuse("tool_choice", "Tool choice names no function in 'tools'.")
	}
	return nil
}

func (s *Server) checkFormat(r Request) *refusal {
	f := r.ResponseFormat
	if f == nil {
		return nil
	}
	if s.lacks(f.Type) {
		return refuse("response_format", "response_format type '%s' is not supported by this server", f.Type)
	}
	switch f.Type {
	case "text":
		return nil
	case "json_object":
		for _, m := range r.Messages {
			if bytes.Contains(bytes.ToLower(m.Content), []byte("json")) {
				return nil
			}
		}
		return refuse("messages", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
	case "json_schema":
		return checkJSONSchema(f)
	default:
		return refuse("response_format", "Invalid value: '%s'", f.Type)
	}
}

func checkJSONSchema(f *Format) *refusal {
	j := f.JSONSchema
	if j == nil || !toolName.MatchString(j.Name) || len(j.Schema) == 0 {
		return refuse("response_format.json_schema", "Missing or wrong 'response_format.json_schema'")
	}
	var doc any
	if json.Unmarshal(j.Schema, &doc) != nil {
		return refuse("response_format", "Invalid schema for response_format '%s'", j.Name)
	}
	if j.Strict != nil && *j.Strict {
		if why := unenforceable(doc, "()"); why != "" {
			return refuse("response_format", "Invalid schema for response_format '%s': %s", j.Name, why)
		}
	}
	return nil
}

// unenforceable says what keeps a schema from being strict, "" for nothing.
func unenforceable(v any, at string) string {
	m, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	for _, k := range []string{"minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems", "uniqueItems", "default", "allOf", "oneOf", "not"} {
		if m[k] != nil {
			return fmt.Sprintf("In context=%s, '%s' is not permitted.", at, k)
		}
	}
	props, isObject := m["properties"].(map[string]any)
	if isObject || m["type"] == "object" {
		if m["additionalProperties"] != false {
			return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", at)
		}
		required, _ := m["required"].([]any)
		if len(required) != len(props) {
			return fmt.Sprintf("In context=%s, 'required' is required to be supplied and to be an array including every key in properties.", at)
		}
	}
	for k, p := range props {
		if why := unenforceable(p, at+"."+k); why != "" {
			return why
		}
	}
	return unenforceable(m["items"], at+".items")
}

func (s *Server) checkOptions(r Request) *refusal {
	switch {
	case r.StreamOptions != nil && s.lacks("stream_options"):
		return refuse("stream_options", "Extra inputs are not permitted: stream_options")
	case r.StreamOptions != nil && !r.Stream:
		return refuse("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case r.Temperature != nil && s.lacks("temperature"):
		return refuse("temperature", "Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *r.Temperature)
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return refuse("temperature", "Invalid 'temperature': expected a value between 0 and 2")
	case r.MaxTokens != nil && s.lacks("max_tokens"):
		return refuse("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case r.MaxCompletionTokens != nil && s.lacks("max_completion_tokens"):
		return refuse("max_completion_tokens", "Unrecognized request argument supplied: max_completion_tokens")
	case r.MaxTokens != nil && r.MaxCompletionTokens != nil:
		return refuse("max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case len(r.Tools) > 0 && s.lacks("tools"):
		return refuse("tools", "this model does not support tools")
	default:
		return nil
	}
}
