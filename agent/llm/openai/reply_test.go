package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// replies serves bodies in turn, the last one again and again, and counts the requests.
func replies(t *testing.T, kind string, bodies ...string) (*openai.Model, *int) {
	t.Helper()
	n := new(int)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, bodies[min(*n, len(bodies)-1)])
		*n++
	}))
	t.Cleanup(srv.Close)
	m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "fake"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m, n
}

func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

const (
	stream = "text/event-stream"
	piece  = "application/json"
)

// TestValuesOfAnyKind: times, ids and counts are of whatever kind a server has for them, streams
// of whatever lines.
func TestValuesOfAnyKind(t *testing.T) {
	t.Parallel()
	const said = `{"index":0,"delta":{"content":"five"},"finish_reason":"stop"}`
	for name, tt := range map[string]struct {
		kind, body string
		input      int
	}{
		"fractional time":      {stream, events(`{"id":"c","created":1746709563.49,"choices":[`+said+`]}`, "[DONE]"), 0},
		"date":                 {piece, `{"id":"","created":"2025/05/16 16:29:57","model":null,"object":"chat.completion","choices":[{"finish_reason":"stop","index":0,"message":{"content":"five","role":"assistant","tool_calls":null,"function_call":null}}],"usage":{}}`, 0},
		"time as object":       {stream, events(`{"created":{"seconds":1},"choices":[` + said + `]}`), 0},
		"number as id":         {stream, events(`{"id":12345,"model":["m"],"system_fingerprint":7,"choices":[`+said+`]}`, "[DONE]"), 0},
		"counts as fractions":  {stream, events(`{"choices":[`+said+`]}`, `{"choices":[],"usage":{"prompt_tokens":5.0,"completion_tokens":"3","total_tokens":8.0,"prompt_tokens_details":[]}}`, "[DONE]"), 5},
		"counts in the last":   {stream, events(`{"choices":[{"index":0,"delta":{"content":"five"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_latency":0.4}}`), 7},
		"index as text":        {stream, events(`{"choices":[{"index":"0","delta":{"content":"five"},"finish_reason":"stop"}]}`), 0},
		"index as fraction":    {stream, events(`{"choices":[{"index":0.0,"delta":{"content":"five"},"finish_reason":"stop"}]}`), 0},
		"logprobs of any kind": {stream, events(`{"choices":[{"index":0,"logprobs":"none","content_filter_results":[],"delta":{"content":"five","annotations":{}},"finish_reason":"stop"}]}`), 0},
		"message in a stream":  {stream, events(`{"choices":[{"index":0,"message":{"content":"five"},"finish_reason":"stop"}]}`), 0},
		"text of a choice":     {piece, `{"choices":[{"index":0,"text":"five","finish_reason":"stop"}]}`, 0},
		"null everywhere":      {stream, events(`{"id":null,"choices":null,"usage":null,"error":null}`, `{"choices":[{"index":null,"delta":null,"finish_reason":null}]}`, `{"choices":[`+said+`]}`), 0},
		"byte order mark":      {stream, "\ufeff" + events(`{"choices":[`+said+`]}`), 0},
		"line ends of CR":      {stream, strings.ReplaceAll(events(`{"choices":[`+said+`]}`, "[DONE]"), "\n", "\r"), 0},
		"data in two lines":    {stream, "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"five\"},\r\ndata: \"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\n\n", 0},
		"no last line end":     {stream, strings.TrimSpace(events(`{"choices":[` + said + `]}`)), 0},
		"whole, called stream": {stream, `{"choices":[{"index":0,"message":{"content":"five"},"finish_reason":"stop"}]}`, 0},
		"whole, called text":   {"text/plain", "{\"choices\":[\n{\"index\":0,\"message\":{\"content\":\"five\"},\"finish_reason\":\"stop\"}]}", 0},
		"ended by a gateway":   {stream, events(`{"choices":[{"index":0,"delta":{"content":"five"},"finish_reason":"eos_token"}]}`), 0},
		"ended in capitals":    {stream, events(`{"choices":[{"index":0,"delta":{"content":"five"},"finish_reason":"STOP"}]}`), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := replies(t, tt.kind, tt.body)
			resp, err := m.Generate(t.Context(), ask("2+3?"), nil)
			if err != nil || resp.Message.Content != "five" {
				t.Fatalf("%s, %v", show(resp), err)
			}
			if tt.input > 0 && (resp.Usage.Input != tt.input || resp.Usage.Estimated) {
				t.Errorf("usage %+v", resp.Usage)
			}
		})
	}
}

// TestErrorsWithinASuccess: an error with a status of success is the error that it is, wherever it
// stands. It is tried again, and what came before it is no answer.
func TestErrorsWithinASuccess(t *testing.T) {
	t.Parallel()
	const half, good = `{"choices":[{"index":0,"delta":{"content":"You may carry over "}}]}`, `{"choices":[{"index":0,"delta":{"content":"five"},"finish_reason":"stop"}]}`
	for name, tt := range map[string]struct {
		kind, body string
		class      llm.Class
	}{
		"body":                  {piece, `{"error":{"message":"Provider returned error","code":502}}`, llm.Overloaded},
		"body of a rate limit":  {piece, `{"error":{"message":"Rate limit exceeded","code":429}}`, llm.RateLimited},
		"body of a status":      {piece, `{"error":{"message":"slow down","status":"429"}}`, llm.RateLimited},
		"body of words":         {piece, `{"error":"the model is loading"}`, llm.Overloaded},
		"body of details":       {piece, `{"detail":"upstream timed out"}`, llm.Overloaded},
		"body in a list":        {piece, `[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]`, llm.Overloaded},
		"body of a problem":     {"application/problem+json", `{"title":"Too Many Requests","status":429,"detail":"later"}`, llm.RateLimited},
		"body, called a stream": {stream, `{"error":{"message":"Provider returned error","code":502}}`, llm.Overloaded},
		"body, called text":     {"text/plain", "{\n\"message\":\"busy\",\n\"code\":503}", llm.Overloaded},
		"page, called text":     {"text/plain", "\n<!DOCTYPE html><html>Sign in</html>", llm.WebPage},
		"page, called JSON":     {piece, "<html>Sign in</html>", llm.WebPage},
		"page in capitals":      {piece, "<HTML>Sign in</HTML>", llm.WebPage},
		"page as XML":           {piece, "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\">", llm.WebPage},
		"filter and reason":     {piece, `{"choices":[{"index":0,"message":{"content":"You may"},"finish_reason":"content_filter: RECITATION"}]}`, llm.ContentFilter},
		"guardrail":             {piece, `{"choices":[{"index":0,"message":{"content":"You may"},"finish_reason":"guardrail_intervened"}]}`, llm.ContentFilter},
		"errors":                {piece, `{"errors":[{"message":"busy","code":503}]}`, llm.Overloaded},
		"choice":                {stream, events(half, `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"Provider returned error"}}]}`, "[DONE]"), llm.Overloaded},
		"choice, called stop":   {stream, events(half, `{"choices":[{"index":0,"delta":{"content":"."},"finish_reason":"stop","error":{"code":429,"message":"slow"}}]}`, "[DONE]"), llm.RateLimited},
		"choice in one piece":   {piece, `{"choices":[{"index":0,"message":{"content":"You may"},"finish_reason":"error"}]}`, llm.Overloaded},
		"null at the end":       {stream, events(half, `{"choices":[{"index":0,"delta":{},"finish_reason":null}]}`, "[DONE]"), llm.Cut},
		"[DONE] alone":          {stream, events(half, "[DONE]"), llm.Cut},
		"counts and [DONE]":     {stream, events(half, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}`, "[DONE]"), llm.Cut},
		"the connection":        {stream, events(half), llm.Cut},
		"another end":           {stream, events(half, `{"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}`, "[DONE]"), llm.Cut},
		"event":                 {stream, events(half) + "event: error\ndata: {\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}\n\n", llm.Overloaded},
		"event of words":        {stream, events(half) + "event: error\ndata: upstream went away\n\n", llm.Overloaded},
		"event of an object":    {stream, events(half, `{"object":"error","message":"The engine died","type":"InternalServerError","code":500}`, "[DONE]"), llm.Overloaded},
		"event in the stream":   {stream, events(half, `{"error":{"message":"died"}}`), llm.Overloaded},
		"event beside choices":  {stream, events(half, `{"error":{"message":"died","code":500},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), llm.Overloaded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := replies(t, tt.kind, tt.body)
			resp, err := m.Generate(t.Context(), ask("?"), nil)
			if llm.ClassOf(err) != tt.class || resp.Message.Content != "" {
				t.Fatalf("%s, %v, want %s", show(resp), err, tt.class)
			}
			m, n := replies(t, stream, tt.body, events(good, "[DONE]"))
			if tt.kind != stream {
				return
			}
			shown := ""
			again := llm.Retry(m, llm.RetryPolicy{Base: time.Millisecond, Random: func() float64 { return 0 }, Now: time.Now})
			req := ask("?")
			req.Account = &llm.Account{OnReset: func(error) { shown = "" }}
			resp, err = again.Generate(t.Context(), req, func(s string) { shown += s })
			if err != nil || shown != "five" || resp.Message.Content != "five" || *n != 2 {
				t.Errorf("%s, %v; %q was shown after %d requests", show(resp), err, shown, *n)
			}
		})
	}
}

// TestNoReasonToFinish: a model that never gives one is asked twice and then believed; of one that gave any it is a reply that broke off,
// unless the reply is whole calls of tools.
func TestNoReasonToFinish(t *testing.T) {
	t.Parallel()
	const says, stop = `{"choices":[{"index":0,"delta":{"content":"five"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	none, whole := events(says, "[DONE]"), events(says, stop, "[DONE]")
	calls := func(arguments string) string {
		return events(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"`+arguments+`"}}]}}]}`, "[DONE]")
	}
	writes := func(text string) string {
		return events(`{"choices":[{"index":0,"delta":{"content":"`+text+`"}}]}`, "[DONE]")
	}
	const call, done, spoken = `<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": 1}}`, `</tool_call>`, `<|channel|>commentary to=functions.f<|message|>{\"x\": 1`
	for name, c := range map[string]struct {
		bodies []string
		want   string // of each call: whole, call or cut
	}{
		"never":               {[]string{none, none, none, none}, "cut whole whole whole"},
		"after one that did":  {[]string{whole, none, none, none, whole}, "whole cut cut cut whole"},
		"before one that did": {[]string{none, whole, none, none}, "cut whole cut cut"},
		"calls":               {[]string{whole, calls(`{\"x\": 1}`), calls(`{\"x\":`), calls(""), none}, "whole call cut cut cut"},
		"calls alone":         {[]string{calls(`{\"x\": 1}`), calls(`{\"x\": 1}`), none, calls(`{\"x\":`)}, "call call cut cut"},
		"written calls":       {[]string{whole, writes(call + done), writes(call + done + call), writes(call)}, "whole call cut cut"},
		"spoken calls":        {[]string{whole, writes(spoken + "}<|call|>"), writes(spoken)}, "whole call cut"},
	} {
		m, _ := replies(t, stream, c.bodies...)
		var got []string
		req := ask("?")
		req.Tools = []llm.Tool{{Name: "f"}}
		for range c.bodies {
			switch resp, err := m.Generate(t.Context(), req, nil); {
			case err == nil && resp.Message.Content == "five":
				got = append(got, "whole")
			case err == nil && len(resp.Message.ToolCalls) == 1 && strings.ReplaceAll(string(resp.Message.ToolCalls[0].Arguments), " ", "") == `{"x":1}`:
				got = append(got, "call")
			case llm.ClassOf(err) == llm.Cut:
				got = append(got, "cut")
			default:
				t.Fatalf("%s: %s, %v", name, show(resp), err)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
