package openai

import (
	"bytes"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
	"maru/agent/llm/openai/rawjson"
	"maru/phrase/pattern"
)

// plain gives what came, a whole reply or one chunk, the shape that go-openai reads: only the
// members that matter, each of the kind that its structs want. Servers write times as fractions
// and dates, ids as numbers, contents as parts and arguments as objects, and one of them would
// cost the whole reply. What a message and its calls have besides goes along, see extra.go. It
// fails with the error that stands where a reply should be.
func (d *doer) plain(data []byte) ([]byte, error) {
	top := topOf(data)
	if top == nil {
		data = plainNumbers(data)
		top = topOf(data)
	}
	if top == nil {
		return data, nil // go-openai says what is wrong with it
	}
	if err := d.failure(top, data); err != nil {
		return nil, err
	}
	if list, ok := rawjson.List(top["data"]); ok && top["choices"] == nil {
		return json.Marshal(map[string]any{"data": plainData(list), "usage": usageOf(top["usage"])})
	}
	if top["text"] != nil && top["choices"] == nil { // of a recording
		return json.Marshal(map[string]any{"text": word(top["text"])})
	}
	out := plainReply{ID: word(top["id"]), Model: word(top["model"]), Usage: usageOf(top["usage"])}
	choices, _ := rawjson.List(top["choices"])
	for _, raw := range choices {
		choice := rawjson.Map(raw)
		message := rawjson.Map(choice["delta"])
		if len(message) == 0 {
			message = rawjson.Map(choice["message"])
		}
		if message == nil && choice["text"] != nil {
			message = rawjson.Object{"content": choice["text"]}
		}
		if calls := choice["tool_calls"]; given(calls) && !given(message["tool_calls"]) { // beside the message
			said := rawjson.Object{}
			maps.Copy(said, message)
			message, said["tool_calls"] = said, calls
		}
		said := plainMessage(message)
		out.Choices = append(out.Choices, plainChoice{
			Index: wholeNumber(choice["index"]), Delta: said, Message: said, Finish: finishOf(choice["finish_reason"]),
		})
	}
	return json.Marshal(out)
}

// topOf reads an object, which Gemini's door puts into a list and other gateways under "data" or "result"; nil if it is
// anything else.
func topOf(data []byte) rawjson.Object {
	if list, ok := rawjson.List(data); ok && len(list) > 0 {
		data = list[0]
	}
	top := rawjson.Map(data)
	for _, within := range []string{"data", "result"} {
		inner := rawjson.Map(top[within])
		if list, _ := rawjson.List(inner["choices"]); len(list) > 0 && top["choices"] == nil && !given(top["error"]) {
			return inner
		}
	}
	return top
}

// plainReply is a chunk and a whole reply at once: go-openai reads the half that it knows.
type plainReply struct {
	ID      string        `json:"id"`
	Model   string        `json:"model"`
	Choices []plainChoice `json:"choices"`
	Usage   *sdk.Usage    `json:"usage,omitempty"`
}

type plainChoice struct {
	Index   int       `json:"index"`
	Delta   plainSaid `json:"delta"`
	Message plainSaid `json:"message"`
	Finish  string    `json:"finish_reason"`
}

type plainSaid struct {
	Content string         `json:"content"`
	Refusal string         `json:"refusal,omitempty"`
	Extra   string         `json:"reasoning_content,omitempty"` // see extra.go
	Calls   []sdk.ToolCall `json:"tool_calls,omitempty"`
}

func plainMessage(m rawjson.Object) plainSaid {
	out := plainSaid{Content: textOf(m["content"]), Refusal: rawjson.String(m["refusal"]), Extra: extraOf(m, ofMessage)}
	calls, ok := rawjson.List(m["tool_calls"])
	if one := rawjson.Map(m["tool_calls"]); !ok && len(one) > 0 {
		calls = []json.RawMessage{m["tool_calls"]}
	}
	if only := rawjson.Map(m["function_call"]); len(calls) == 0 && len(only) > 0 { // the API before it had several
		out.Calls = []sdk.ToolCall{{Index: new(int), Function: calledFunction(only)}}
		return out
	}
	for _, raw := range calls {
		c := rawjson.Map(raw)
		f := rawjson.Map(c["function"])
		if f == nil {
			f = c
		}
		call := sdk.ToolCall{ID: word(c["id"]), Type: sdk.ToolType(extraOf(c, ofCall)), Function: calledFunction(f)}
		if c["index"] != nil && string(c["index"]) != "null" {
			n := wholeNumber(c["index"])
			call.Index = &n
		}
		out.Calls = append(out.Calls, call)
	}
	return out
}

func calledFunction(f rawjson.Object) sdk.FunctionCall {
	args := f["arguments"]
	for _, name := range []string{"parameters", "args", "input"} { // of gateways that hand a model's own form on
		if len(args) == 0 {
			args = f[name]
		}
	}
	text := rawjson.String(args)
	if k := rawjson.Kind(args); k == '{' || k == '[' {
		text = string(args)
	}
	return sdk.FunctionCall{Name: rawjson.String(f["name"]), Arguments: text}
}

// plainData returns the models, or the vectors, that an endpoint lists.
func plainData(list []json.RawMessage) []map[string]any {
	out := make([]map[string]any, len(list))
	for i, raw := range list {
		entry := rawjson.Map(raw)
		if v, ok := entry["embedding"]; ok {
			out[i] = map[string]any{"index": wholeNumber(entry["index"]), "embedding": v}
			continue
		}
		out[i] = map[string]any{"id": word(entry["id"])}
	}
	return out
}

// plainNumbers writes null for the numbers that JSON has not, as Python's encoder does write them: NaN and Infinity.
func plainNumbers(data []byte) []byte {
	return []byte(notNumbers.ReplaceAllStringFunc(string(data), func(s string) string {
		if s[0] == '"' {
			return s
		}
		return "null"
	}))
}

var notNumbers = pattern.New(`"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b`) // or a text, in which they are words

// textOf is a content: a text, or a list of parts, of which those that only think say nothing.
func textOf(raw json.RawMessage) string {
	list, ok := rawjson.List(raw)
	if !ok {
		if part := rawjson.Map(raw); part != nil {
			if kind := rawjson.String(part["type"]); kind == "reasoning" || kind == "thinking" {
				return ""
			}
			return rawjson.String(part["text"])
		}
		return rawjson.String(raw)
	}
	var text strings.Builder
	for _, p := range list {
		text.WriteString(textOf(p))
	}
	return text.String()
}

// finishes are the reasons to end that are not the API's own, by what they mean there: of
// text-generation-inference, Mistral, Gemini and Anthropic, whose gateways hand them on.
var finishes = map[string]sdk.FinishReason{
	"eos_token": sdk.FinishReasonStop, "stop_sequence": sdk.FinishReasonStop, "end_turn": sdk.FinishReasonStop,
	"tool_use": sdk.FinishReasonToolCalls, "function_call": sdk.FinishReasonToolCalls,
	"max_tokens": sdk.FinishReasonLength, "model_length": sdk.FinishReasonLength,
	"safety": sdk.FinishReasonContentFilter, "sensitive": sdk.FinishReasonContentFilter, "recitation": sdk.FinishReasonContentFilter,
	"prohibited_content": sdk.FinishReasonContentFilter, "blocklist": sdk.FinishReasonContentFilter, "guardrail_intervened": sdk.FinishReasonContentFilter,
}

func finishOf(raw json.RawMessage) string {
	said := strings.ToLower(strings.TrimSpace(rawjson.String(raw)))
	if said == string(sdk.FinishReasonNull) {
		return ""
	}
	if filter, _, ok := strings.Cut(said, ":"); ok && filter == string(sdk.FinishReasonContentFilter) {
		return filter // "content_filter: RECITATION" of Gemini's door
	}
	if means, ok := finishes[said]; ok {
		return string(means)
	}
	return said
}

// usageOf reads counts of any kind; nil if there are none.
func usageOf(raw json.RawMessage) *sdk.Usage {
	u := rawjson.Map(raw)
	if len(u) == 0 {
		return nil
	}
	out := &sdk.Usage{
		PromptTokens: wholeNumber(u["prompt_tokens"]), CompletionTokens: wholeNumber(u["completion_tokens"]), TotalTokens: wholeNumber(u["total_tokens"]),
	}
	cached := wholeNumber(rawjson.Map(u["prompt_tokens_details"])["cached_tokens"])
	if cached == 0 {
		cached = wholeNumber(u["prompt_cache_hit_tokens"]) // as DeepSeek counts
	}
	if cached > 0 {
		out.PromptTokensDetails = &sdk.PromptTokensDetails{CachedTokens: cached}
	}
	return out
}

// failure is the error that stands where a reply should be, or within it: an object under
// "error", a choice that ended in one, or words of an error and no reply.
func (d *doer) failure(top rawjson.Object, data []byte) error {
	choices, isReply := rawjson.List(top["choices"])
	if given(top["error"]) || given(top["errors"]) {
		return d.within(data)
	}
	for _, raw := range choices {
		choice := rawjson.Map(raw)
		if given(choice["error"]) {
			return d.within(raw)
		}
		if finishOf(choice["finish_reason"]) == "error" {
			return d.within(nil)
		}
	}
	if _, hasData := rawjson.List(top["data"]); isReply || hasData {
		return nil
	}
	if f := readFault(data); f.message != "" || rawjson.String(top["object"]) == "error" {
		return d.within(data)
	}
	return nil
}

// within classes an error that came with a status of success. Without a code the service is to
// blame, and not the request, which was accepted.
func (d *doer) within(data []byte) *llm.Error {
	said := readFault(data)
	class := said.class(said.status())
	if class == llm.BadRequest && said.status() == 0 {
		class = llm.Overloaded
	}
	e := &llm.Error{Class: class, Status: said.status(), Detail: d.redact("an error within the reply: " + said.message)}
	if e.Status != 0 {
		e.Err = &refusal{fault: said, status: e.Status}
	}
	return e
}

// given reports whether a member says anything.
func given(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "false", `""`, "{}", "[]":
		return false
	}
	return true
}

// wholeNumber reads a number of any kind, also one that is written as text; 0 if it is none.
func wholeNumber(raw json.RawMessage) int {
	n, err := strconv.ParseFloat(word(raw), 64)
	if err != nil || n != n || n < -1e15 || n > 1e15 {
		return 0
	}
	return int(n)
}
