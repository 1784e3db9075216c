package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/agent/llm/openai/rawjson"
	"maru/agent/llm/openai/schema"
)

// Servers put members of their own into a message and its calls, and want some of them back:
// Gemini a signature with each call, DeepSeek the thoughts that led to it, OpenRouter both in a
// list. go-openai knows none of them. They pass through it as texts, in members of its structs
// that say nothing to us: a message's in reasoning_content, a call's in type. The transport puts
// them there when a reply comes (reply.go), and back in their place when a request goes.

// ofMessage and ofCall are the members that go-openai and we know.
var (
	ofMessage = []string{"role", "content", "refusal", "tool_calls", "function_call", "name", "tool_call_id"}
	ofCall    = []string{"id", "type", "index", "function", "name", "arguments"}
)

// maxExtra bounds what is kept of a message: it is stored, and sent with each later message of
// the thread.
const maxExtra = 256 << 10

// extraOf returns the members that are not known and say anything, as text; "" if there are none.
func extraOf(of rawjson.Object, known []string) string {
	var out rawjson.Object
	for name, v := range of {
		if slices.Contains(known, name) || !given(v) {
			continue
		}
		if out == nil {
			out = rawjson.Object{}
		}
		out[name] = v
	}
	if out == nil {
		return ""
	}
	text, err := json.Marshal(out)
	if err != nil {
		return ""
	}
	return string(text)
}

// extra gathers the members of one message or call over the chunks of a stream.
type extra struct {
	members map[string]any
	size    int
}

// add takes what another chunk has.
func (e *extra) add(text string) {
	if e.size += len(text); text == "" || e.size > maxExtra {
		return
	}
	var more map[string]any
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	if dec.Decode(&more) != nil {
		return
	}
	if e.members == nil {
		e.members = map[string]any{}
	}
	for name, v := range more {
		if was, ok := e.members[name].(string); ok {
			if piece, ok := v.(string); ok { // thoughts come word by word
				e.members[name] = was + piece
				continue
			}
		}
		e.members[name] = merged(e.members[name], v)
	}
}

// json returns the members, nil if there are none or too many: a part of them is of no use.
func (e *extra) json() json.RawMessage {
	if len(e.members) == 0 || e.size > maxExtra {
		return nil
	}
	out, err := json.Marshal(e.members)
	if err != nil {
		return nil
	}
	return out
}

// merged returns a value of one chunk with that of the next: objects become one, and lists the list of
// all elements, where those that are pieces of one element become that.
func merged(was, next any) any {
	switch next := next.(type) {
	case map[string]any:
		if old, ok := was.(map[string]any); ok {
			out := maps.Clone(old)
			for name, v := range next {
				out[name] = merged(out[name], v)
			}
			return out
		}
	case []any:
		old, _ := was.([]any)
		return joined(slices.Concat(old, next))
	}
	return next
}

// joined makes one element of those that follow each other and have the same index and type.
func joined(list []any) []any {
	var out []any
	for _, v := range list {
		piece, ok := v.(map[string]any)
		if n := len(out); ok && n > 0 {
			if last, ok := out[n-1].(map[string]any); ok && piece["index"] != nil && last["index"] == piece["index"] && last["type"] == piece["type"] {
				out[n-1] = pieced(last, piece)
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

// pieced adds the texts of a piece to those of its element; every other member is the newest.
func pieced(last, piece map[string]any) map[string]any {
	out := maps.Clone(last)
	for name, v := range piece {
		text, isText := v.(string)
		was, wasText := out[name].(string)
		switch {
		case v == nil:
		case isText && wasText && was != text && slices.Contains([]string{"text", "summary", "data"}, name):
			out[name] = was + text
		default:
			out[name] = v
		}
	}
	return out
}

// origin names an endpoint and its model: what came from there goes back to no other.
func (c Config) origin(model string) string {
	sum := sha256.Sum256([]byte(c.BaseURL + "\x00" + model))
	return hex.EncodeToString(sum[:8])
}

// carriesExtra reports whether any of the messages has members of a server's own that origin gave.
func carriesExtra(messages []llm.Message, origin string) bool {
	return slices.ContainsFunc(messages, func(m llm.Message) bool { return m.Origin != "" && m.Origin == origin })
}

// extraNames returns the names of the members that a request carries back.
func extraNames(a attempt) []string {
	var out []string
	for _, m := range a.req.Messages {
		if m.Origin != a.origin {
			continue
		}
		for name := range rawjson.Map(m.Extra) {
			out = append(out, strings.ToLower(name))
		}
		for _, c := range m.ToolCalls {
			for name := range rawjson.Map(c.Extra) {
				out = append(out, strings.ToLower(name))
			}
		}
	}
	return out
}

// completed returns the body of a request with what go-openai leaves out: a temperature of 0, the
// members that a server wants back, the messages and the tools.
func completed(raw []byte, c *call) ([]byte, error) {
	raw = schema.WithLists(raw, schema.List{Member: "messages", Placeholder: `{"role":""}`, Items: c.messages}, schema.List{Member: "tools", Placeholder: `{"type":"function"}`, Items: c.tools})
	if !c.zero && !c.extra {
		return raw, nil
	}
	body := rawjson.Map(raw)
	if body == nil {
		return raw, nil
	}
	if c.zero {
		body["temperature"] = json.RawMessage("0")
	}
	if c.extra {
		list, _ := rawjson.List(body["messages"])
		for i, m := range list {
			out, err := unfolded(m, "reasoning_content")
			if err != nil {
				return nil, err
			}
			list[i] = out
		}
		text, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		body["messages"] = text
	}
	return json.Marshal(body)
}

// unfolded puts the members that pass as text in one member back in their place, in a message
// and in its calls.
func unfolded(raw json.RawMessage, carrier string) (json.RawMessage, error) {
	m := rawjson.Map(raw)
	if extra := rawjson.Map(json.RawMessage(rawjson.String(m[carrier]))); extra != nil {
		delete(m, carrier)
		maps.Copy(m, extra)
	}
	calls, _ := rawjson.List(m["tool_calls"])
	for i, c := range calls {
		call := rawjson.Map(c)
		if extra := rawjson.Map(json.RawMessage(rawjson.String(call["type"]))); extra != nil {
			call["type"] = json.RawMessage(`"function"`)
			maps.Copy(call, extra)
		}
		out, err := json.Marshal(call)
		if err != nil {
			return nil, err
		}
		calls[i] = out
	}
	if len(calls) > 0 {
		out, err := json.Marshal(calls)
		if err != nil {
			return nil, err
		}
		m["tool_calls"] = out
	}
	return json.Marshal(m)
}

// complete rewrites a request by [completed].
func complete(req *http.Request, c *call) error {
	b := make([]byte, req.ContentLength) // which go-openai knows
	_, err := io.ReadFull(req.Body, b)
	if err == nil {
		b, err = completed(b, c)
	}
	if err != nil {
		return err
	}
	req.Body = io.NopCloser(bytes.NewReader(b))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
	req.ContentLength = int64(len(b))
	return nil
}
