package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
	"maru/agent/llm/openai/schema"
)

// build turns a request into go-openai's, leaving out what the endpoint is
// known not to take.
func (m *Model) build(now attempt, model string) (out sdk.ChatCompletionRequest, zero bool) {
	req, q, origin := now.req, now.quirks, now.origin
	if q.NoExtra {
		origin = ""
	}
	if q.NoPictures {
		req.Messages = llm.Blind(req.Messages)
	}
	req.Messages = attributed(req.Messages)
	if q.NoTools {
		req.Tools, req.Messages = nil, told(req.Messages)
	}
	if q.OneCall {
		req.Messages = oneByOne(req.Messages)
	}
	if q.ByTurns {
		req.Messages = turns(req.Messages)
	}
	out = sdk.ChatCompletionRequest{Model: model, Messages: messages(req.Messages, origin)}
	reasons := isReasoning(model)
	if req.MaxTokens > 0 && !q.NoLimit {
		if reasons || q.MaxCompletion {
			out.MaxCompletionTokens = req.MaxTokens
		} else {
			//lint:ignore SA1019 older and local servers know no other name
			out.MaxTokens = req.MaxTokens //nolint:staticcheck // SA1019: as above
		}
	}
	if req.Temperature != nil && !q.NoTemperature && !reasons {
		out.Temperature = float32(*req.Temperature)
		zero = out.Temperature == 0
	}
	if len(req.Tools) > 0 {
		out.Tools = []sdk.Tool{{Type: sdk.ToolTypeFunction}} // for [schema.WithLists]
	}
	if len(out.Tools) > 0 {
		if out.ToolChoice = choice(req.ToolChoice); q.NoChoice && req.ToolChoice != "none" {
			out.ToolChoice = nil
		}
		if model == sdk.GPT6Sol || model == sdk.GPT6Luna {
			out.ReasoningEffort = sdk.ReasoningEffortNone // they take tools in this API only without reasoning
		}
	}
	if !q.NoStreamOptions && !q.NoStream {
		out.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	if req.Schema != nil {
		m.shape(&out, req.Schema, q)
	}
	return out, zero
}

// isReasoning knows OpenAI's models that take max_completion_tokens and no
// temperature; go-openai refuses them otherwise.
func isReasoning(model string) bool {
	for _, p := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, p) {
			return true
		}
	}
	return false
}

// messages maps the conversation. Endpoints refuse what go-openai makes of empty
// text (it leaves the field out) and of NUL bytes.
func messages(in []llm.Message, origin string) []sdk.ChatCompletionMessage {
	out := make([]sdk.ChatCompletionMessage, 0, len(in))
	for _, m := range in {
		text := strings.ReplaceAll(strings.ToValidUTF8(m.Content, "\uFFFD"), "\x00", "")
		c := sdk.ChatCompletionMessage{Role: string(m.Role), Content: text, ToolCallID: m.ToolCallID}
		if text == "" && len(m.ToolCalls) == 0 {
			if m.Role == llm.System {
				continue
			}
			c.Content = "(empty)"
		}
		back := origin != "" && m.Origin == origin
		if back {
			c.ReasoningContent = string(m.Extra) // as extra.go says
		}
		for _, t := range m.ToolCalls {
			call := sdk.ToolCall{ID: t.ID, Type: sdk.ToolTypeFunction, Function: sdk.FunctionCall{
				Name: calledName(t.Name), Arguments: argumentText(t.Arguments),
			}}
			if back && len(t.Extra) > 0 {
				call.Type = sdk.ToolType(t.Extra)
			}
			c.ToolCalls = append(c.ToolCalls, call)
		}
		if len(m.Pictures) > 0 && m.Role == llm.User {
			c.Content, c.MultiContent = "", parts(c.Content, m.Pictures)
		}
		out = append(out, c)
	}
	return out
}

// apart returns messages as JSON; none if go-openai refuses one.
func apart(list []sdk.ChatCompletionMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, m := range list {
		var err error
		if m.Name+m.Refusal+m.ReasoningContent+m.ToolCallID == "" && m.FunctionCall == nil && len(m.MultiContent)+len(m.ToolCalls) == 0 {
			out[i], err = schema.Message(m.Role, m.Content)
		} else {
			out[i], err = m.MarshalJSON()
		}
		if err != nil {
			return nil
		}
	}
	return out
}

// told returns a conversation for a model that knows no tools: what was called and what came
// of it, perhaps by another model, in words.
func told(in []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(in))
	for _, m := range in {
		switch {
		case m.Role == llm.ToolRole:
			m = llm.Message{Role: llm.User, Content: "Result of the tool " + m.Name + ":\n" + m.Content}
		case len(m.ToolCalls) > 0 && m.Content == "":
			continue
		}
		m.ToolCalls = nil
		out = append(out, m)
	}
	return out
}

// oneByOne returns a conversation for a model whose template, or service, knows one call in a message
// and no words beside it.
func oneByOne(in []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(in))
	for i, m := range in {
		if len(m.ToolCalls) > 0 {
			m.Content = ""
		}
		if len(m.ToolCalls) < 2 {
			if m.Role != llm.ToolRole || !placed(in[:i], m) {
				out = append(out, m)
			}
			continue
		}
		for n, c := range m.ToolCalls {
			one := m
			if one.ToolCalls = []llm.ToolCall{c}; n > 0 {
				one.Content, one.Extra = "", nil
			}
			out = append(out, one)
			for _, r := range in[i+1:] {
				if r.Role != llm.ToolRole {
					break
				}
				if r.ToolCallID == c.ID {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// placed reports whether a tool's result stands with its call already: the message that asked
// for it, of which these are the ones before, had several.
func placed(before []llm.Message, result llm.Message) bool {
	i := len(before) - 1
	for i >= 0 && before[i].Role == llm.ToolRole {
		i--
	}
	return i >= 0 && len(before[i].ToolCalls) > 1 && slices.ContainsFunc(before[i].ToolCalls, func(c llm.ToolCall) bool { return c.ID == result.ToolCallID })
}

// maxName is the longest name of a tool that endpoints take.
const maxName = 64

// calledName gives the name of a call back. One that a model made up may have
// letters that endpoints refuse, and would take the whole conversation with it.
func calledName(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
	return clean[:min(len(clean), maxName)]
}

// argumentText gives a call's arguments back as the model wrote them. What was
// no JSON was kept as a JSON string; that and every value but an object goes back
// inside an object: vLLM and others parse the arguments of the whole conversation
// and refuse it otherwise.
func argumentText(raw json.RawMessage) string {
	var object map[string]json.RawMessage
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "{}"
	case json.Unmarshal(raw, &object) == nil:
		return string(raw)
	}
	wrote := string(raw)
	_ = json.Unmarshal(raw, &wrote)                                 // what is no string stays as it was written
	text, _ := json.Marshal(map[string]string{"unreadable": wrote}) // strings always encode
	return string(text)
}

func choice(s string) any {
	switch s {
	case "", "auto":
		return nil // the default when there are tools, and some servers know no other
	case "none", "required":
		return s
	default:
		return sdk.ToolChoice{Type: sdk.ToolTypeFunction, Function: sdk.ToolFunction{Name: s}}
	}
}

// format is how strictly an endpoint can be held to a schema, best first.
type format int

const (
	formatStrict format = iota
	formatSchema        // a JSON schema without the strict flag
	formatObject        // some JSON object
	formatPlain         // words in the prompt
)

// shape asks for a reply of a schema in the way that the endpoint understands.
// Below a JSON schema the prompt has to say it.
func (m *Model) shape(out *sdk.ChatCompletionRequest, s *llm.Schema, q quirks) {
	f := q.Format
	switch f {
	case formatStrict, formatSchema:
		wire, strict := s.JSON, s.Strict && f == formatStrict
		if strict {
			wire = m.strict.of(s.JSON)
		}
		out.ResponseFormat = &sdk.ChatCompletionResponseFormat{
			Type: sdk.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &sdk.ChatCompletionResponseFormatJSONSchema{
				Name: s.Name, Schema: wire, Strict: strict,
			},
		}
		return
	case formatObject:
		out.ResponseFormat = &sdk.ChatCompletionResponseFormat{Type: sdk.ChatCompletionResponseFormatTypeJSONObject}
	case formatPlain:
	}
	words := fmt.Sprintf("Reply with one JSON value that matches this JSON Schema, and with nothing else, no code fence and no explanation:\n%s", s.JSON)
	if len(out.Messages) > 0 && (q.ByTurns || out.Messages[0].Role == sdk.ChatMessageRoleSystem) {
		if first := &out.Messages[0]; len(first.MultiContent) > 0 { // by turns, the first message may be one with pictures
			first.MultiContent[0].Text += "\n\n" + words
		} else {
			first.Content += "\n\n" + words
		}
		return
	}
	out.Messages = append([]sdk.ChatCompletionMessage{{Role: sdk.ChatMessageRoleSystem, Content: words}}, out.Messages...)
}
