package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

// everything returns a request with all that can be refused.
func everything(letters int) llm.Request {
	zero := 0.0
	req := llm.Request{Temperature: &zero, MaxTokens: 50, Messages: []llm.Message{
		{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: strings.Repeat("long ago ", letters/9)},
		{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: json.RawMessage(`{}`)}, {ID: "b", Name: "f", Arguments: json.RawMessage(`{}`)}}},
		{Role: llm.ToolRole, ToolCallID: "a", Name: "f", Content: "one"}, {Role: llm.ToolRole, ToolCallID: "b", Name: "f", Content: "two"},
		{Role: llm.Assistant, Content: "yes"}, {Role: llm.User, Content: "now?"},
	}}
	req.Tools = []llm.Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
	req.Schema = llm.MustShape("route", `{"type":"object","additionalProperties":false,"required":["route"],"properties":{"route":{"enum":["rag"]}}}`).Schema()
	return req
}

// TestRefusalsThatExplainNothing: a request that is refused in words that say nothing is made
// again at most three times, each with one thing less. What helped is left out of the next
// request at once, shown, and asked for again a day later.
func TestRefusalsThatExplainNothing(t *testing.T) {
	t.Parallel()
	size := func(r llmtest.Request) (n int) {
		for _, m := range r.Messages {
			n += len(m.Text())
		}
		return n
	}
	short := func() llm.Request {
		req := everything(90)
		req.Messages = slices.Delete(req.Messages, 2, 5)
		return req
	}
	tests := map[string]struct {
		req     llm.Request
		refuses func(r llmtest.Request) bool
		learns  string // "" if nothing helps
		first   int    // requests of the first call
	}{
		"length":               {everything(4000), func(r llmtest.Request) bool { return size(r) > 3000 }, "long prompts", 2},
		"nothing to leave out": {llm.Request{Messages: everything(8000).Messages[:2:2]}, func(llmtest.Request) bool { return true }, "", 1},
		"strict": {everything(90), func(r llmtest.Request) bool {
			return r.ResponseFormat != nil && r.ResponseFormat.JSONSchema != nil && *r.ResponseFormat.JSONSchema.Strict
		}, "strict schemas", 2},
		"response_format": {everything(90), func(r llmtest.Request) bool { return r.ResponseFormat != nil }, "response_format", 3},
		"parallel calls": {everything(90), func(r llmtest.Request) bool {
			return slices.ContainsFunc(r.Messages, func(m llmtest.Message) bool { return len(m.ToolCalls) > 1 })
		}, "several calls, or words, in a message that calls", 4},
		"temperature": {short(), func(r llmtest.Request) bool { return r.Temperature != nil }, "temperature, token limit and stream_options", 4},
		"token limit": {short(), func(r llmtest.Request) bool { return r.MaxTokens != nil }, "temperature, token limit and stream_options", 4},
		"all":         {everything(4000), func(llmtest.Request) bool { return true }, "", 4},
	}
	for name, tt := range tests {
		for _, status := range []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity} {
			t.Run(fmt.Sprintf("%s %d", name, status), func(t *testing.T) {
				t.Parallel()
				n := 0
				srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
					n++
					if tt.refuses(r) {
						return fault(llmtest.Fault{Status: status, Message: fmt.Sprintf("Fehler %d", n)})
					}
					return llmtest.Text(`{"route":"rag"}`)
				})
				now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
				path := t.TempDir()
				refusals := openai.RefusalsIn(path)
				settled := func(c *openai.Config) { c.Now, c.Refusals = func() time.Time { return now }, refusals }
				m := model(t, srv, settled)
				_, err := m.Generate(t.Context(), tt.req, nil)
				if (err == nil) != (tt.learns != "") || n != tt.first {
					t.Fatalf("%v after %d requests, want %d", err, n, tt.first)
				}
				if err != nil {
					if llm.ClassOf(err) != llm.BadRequest || !strings.Contains(err.Error(), "Fehler 1") || len(refusals.Learned(now)) != 0 {
						t.Errorf("%v, learned %v", err, refusals.Learned(now))
					}
					return
				}
				learned := refusals.Learned(now)
				if len(learned) != 1 || learned[0].What != tt.learns || learned[0].Model != "fake" || !learned[0].Until.Equal(now.Add(24*time.Hour)) {
					t.Errorf("learned %+v", learned)
				}
				n = 0
				refusals = openai.RefusalsIn(path) // of the next process
				m = model(t, srv, settled)
				if _, err := m.Generate(t.Context(), tt.req, nil); err != nil || n != 1 {
					t.Errorf("next call: %v after %d requests", err, n)
				}
				now = now.Add(25 * time.Hour)
				if n = 0; len(refusals.Learned(now)) != 0 {
					t.Errorf("a day later: %v", refusals.Learned(now))
				}
				if _, err := m.Generate(t.Context(), tt.req, nil); err != nil || n != tt.first {
					t.Errorf("a day later: %v after %d requests", err, n)
				}
			})
		}
	}
}

// TestRefusedMembersOfAServer: a server that gives members and takes none back is sent none, which
// it says by their name or not at all.
func TestRefusedMembersOfAServer(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"'messages.1' : property 'reasoning' is unsupported", "Bad Request"} {
		n := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n++
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", piece)
			if strings.Contains(string(body), `"reasoning"`) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, `{"error":{"message":%q}}`, words)
				return
			}
			_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"content":"five","reasoning":"so"},"finish_reason":"stop"}]}`)
		}))
		defer srv.Close()
		refusals := openai.RefusalsIn("")
		m, err := openai.New(openai.Config{BaseURL: srv.URL, Model: "fake", Refusals: refusals})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		req := ask("?")
		for i, want := range []int{1, 2, 1} {
			n = 0
			resp, err := m.Generate(t.Context(), req, nil)
			if err != nil || n != want {
				t.Errorf("%s: call %d: %v after %d requests, want %d", words, i, err, n, want)
			}
			req.Messages = append(req.Messages, resp.Message, llm.Message{Role: llm.User, Content: "and?"})
		}
		if learned := refusals.Learned(time.Now()); len(learned) != 1 || learned[0].What != "members that came with earlier replies" {
			t.Errorf("%s: learned %+v", words, learned)
		}
	}
}

// TestAForcedCallThatIsRefused: a model that thinks may refuse to be told which tool to call, by
// name or not; it keeps its tools.
func TestAForcedCallThatIsRefused(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"deepseek-reasoner does not support this tool_choice", "Thinking mode is on"} {
		srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
			if r.ToolChoice != nil {
				return fault(llmtest.Fault{Status: http.StatusBadRequest, Message: words})
			}
			if len(r.Tools) != 2 {
				t.Errorf("%s: %d tools", words, len(r.Tools))
			}
			return llmtest.CallTool("f", `{}`)
		})
		refusals := openai.RefusalsIn("")
		m := model(t, srv, func(c *openai.Config) { c.Refusals = refusals })
		req := ask("?")
		req.Tools, req.ToolChoice = []llm.Tool{{Name: "f"}, {Name: "g"}}, "f"
		for want := 2; want > 0; want-- {
			before := len(srv.Journal())
			resp, err := m.Generate(t.Context(), req, nil)
			if n := len(srv.Journal()) - before; err != nil || len(resp.Message.ToolCalls) != 1 || n != want {
				t.Errorf("%s: %s, %v after %d requests", words, show(resp), err, n)
			}
		}
		if got := refusals.Learned(time.Now()); len(got) != 1 || got[0].What != "a tool that must be called" {
			t.Errorf("%s: learned %+v", words, got)
		}
	}
}
