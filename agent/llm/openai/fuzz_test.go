package openai_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// canned answers every request with one body, without a network.
type canned struct {
	kind string
	body []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}},
		Body: io.NopCloser(bytes.NewReader(c.body)), Request: r,
	}, nil
}

// FuzzReply feeds whatever a server could send: no panic, an error has a class,
// and a success is a whole reply whose tool calls have names, ids of their own
// and arguments that are JSON.
func FuzzReply(f *testing.F) {
	chunk := func(delta, finish string) string {
		return `data: {"id":"1","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + "}]}\n\n"
	}
	f.Add([]byte(chunk(`{"content":"안녕"}`, `null`)+chunk(`{}`, `"stop"`)+"data: [DONE]\n\n"), true)
	f.Add([]byte(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, `null`)+chunk(`{"tool_calls":[{"function":{"arguments":"}"}}]}`, `"tool_calls"`)), true)
	f.Add([]byte("data: {\"error\":{\"message\":\"x\"}}\n\n"), true)
	f.Add([]byte(": c\n\ndata:\n\ndata: {}\n\ndata: [DONE]"), true)
	f.Add([]byte(`{"choices":[{"index":0,"message":{"content":"x","tool_calls":[{"id":"a","function":{"name":"f"}}]},"finish_reason":"stop"}],"usage":{"total_tokens":1}}`), false)
	f.Add([]byte(chunk(`{"content":"<tool_call>{\"name\":\"f\",\"arguments\":{}}"}`, `null`)+chunk(`{"content":"</tool_call>"}`, `"stop"`)), true)
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		kind := "text/event-stream"
		if !stream {
			kind = "application/json"
		}
		m, err := openai.New(openai.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "m", MaxBody: 1 << 20, HTTP: &http.Client{Transport: canned{kind, body}}})
		if err != nil {
			t.Fatal(err)
		}
		var shown strings.Builder
		req := ask("?")
		req.Tools = []llm.Tool{{Name: "f"}}
		resp, err := m.Generate(t.Context(), req, func(s string) { shown.WriteString(s) })
		if err != nil {
			if llm.ClassOf(err) == "" {
				t.Errorf("error without a class: %v", err)
			}
			return
		}
		// go-openai takes names in any case and spelt with escapes
		ends := bytes.Contains(bytes.ToLower(body), []byte("finish_reason")) || bytes.Contains(body, []byte("[DONE]")) || bytes.Contains(body, []byte(`\u`))
		if stream && !ends {
			t.Errorf("a success without an end: %q", body)
		}
		msg := resp.Message
		if shown.String() != msg.Content || !utf8.ValidString(msg.Content) || strings.ContainsRune(msg.Content, 0) || resp.Finish == "" {
			t.Errorf("shown %q, returned %+v", shown.String(), resp)
		}
		ids := map[string]bool{}
		for _, c := range msg.ToolCalls {
			if c.Name == "" || c.ID == "" || ids[c.ID] || !json.Valid(c.Arguments) {
				t.Errorf("call %+v", c)
			}
			ids[c.ID] = true
		}
	})
}

// FuzzTextHoweverCut: of what pieces a text comes changes neither the answer nor the
// calls that are written in it.
func FuzzTextHoweverCut(f *testing.F) {
	for _, s := range []string{"five", "<think>a</think>\n{\"name\":\"f\",\"arguments\":{}}", "so\n\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>", "[TOOL_CALLS][{\"name\":\"f\",\"arguments\":{}}]", "```json\n[1]\n```\n<tool",
		"[TOOL_CALLS]f[CALL_ID]1[ARGS]{}", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>", "<function=f>{}</function>"} {
		f.Add(s, uint8(1))
		f.Add(s, uint8(7))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if !utf8.ValidString(text) {
			return
		}
		whole, part := cutReply(t, text, len(text)), cutReply(t, text, int(size))
		if whole != part {
			t.Errorf("%q: whole %s, in pieces %s", text, whole, part)
		}
	})
}

// cutReply returns what comes of a text in pieces of size runes: answer and calls, or the error's class.
func cutReply(t *testing.T, text string, size int) string {
	t.Helper()
	var body bytes.Buffer
	send := func(delta map[string]string, finish any) {
		b, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		if err != nil {
			t.Fatal(err)
		}
		body.WriteString("data: " + string(b) + "\n\n")
	}
	for rs := []rune(text); len(rs) > 0; {
		n := min(max(1, size), len(rs))
		send(map[string]string{"content": string(rs[:n])}, nil)
		rs = rs[n:]
	}
	send(map[string]string{}, "stop")
	m, err := openai.New(openai.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "m", HTTP: &http.Client{Transport: canned{"text/event-stream", body.Bytes()}}})
	if err != nil {
		t.Fatal(err)
	}
	req := ask("?")
	req.Tools = []llm.Tool{{Name: "f"}}
	resp, err := m.Generate(t.Context(), req, nil)
	out := string(llm.ClassOf(err)) + " " + resp.Message.Content
	for _, c := range resp.Message.ToolCalls {
		out += " " + c.Name + string(c.Arguments)
	}
	return out
}
