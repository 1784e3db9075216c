package openai_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

// TestRetriesOverHTTP is the whole chain that a run has: retry around meter
// around endpoint.
func TestRetriesOverHTTP(t *testing.T) {
	t.Parallel()
	whole := llmtest.Text("the whole answer")
	cutText := llmtest.Reply{Text: "the whole answer", Fault: llmtest.Fault{NoFinish: true}}
	cutCall := llmtest.Reply{Calls: llmtest.CallTool("x", `{"a":1}`).Calls, Fault: llmtest.Fault{NoFinish: true}}
	tests := map[string]struct {
		replies []llmtest.Reply
		class   llm.Class
		calls   int
		resets  int
	}{
		"busy_then_fine":      {[]llmtest.Reply{fault(llmtest.Fault{Status: 503}), fault(llmtest.Fault{Status: 429, RetryAfter: "0.01"}), whole}, "", 3, 0},
		"cut_then_fine":       {[]llmtest.Reply{cutText, whole}, "", 2, 1},
		"cut_call_then_fine":  {[]llmtest.Reply{cutCall, whole}, "", 2, 0},
		"html_then_fine":      {[]llmtest.Reply{fault(llmtest.Fault{Body: "<html>"}), whole}, "", 2, 0},
		"quota":               {[]llmtest.Reply{fault(llmtest.Fault{Status: 429, Code: "insufficient_quota"}), whole}, llm.Quota, 1, 0},
		"wrong_key":           {[]llmtest.Reply{fault(llmtest.Fault{Status: 401}), whole}, llm.Auth, 1, 0},
		"never":               {[]llmtest.Reply{cutText, cutText, cutText, whole}, llm.Cut, 3, 2},
		"asks_for_an_hour":    {[]llmtest.Reply{fault(llmtest.Fault{Status: 429, RetryAfter: "3600"}), whole}, llm.RateLimited, 1, 0},
		"error_in_the_middle": {[]llmtest.Reply{{Text: "the whole answer", Fault: llmtest.Fault{MidError: "x"}}, whole}, "", 2, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int64
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return tt.replies[n.Add(1)-1] })
			m := llm.Retry(llm.Metered(model(t, srv, nil), time.Now), llm.RetryPolicy{
				Base: time.Millisecond, Random: func() float64 { return 1 }, Now: time.Now,
			})
			var shown strings.Builder
			resets := 0
			acct := &llm.Account{Budget: llm.Budget{Calls: 3}, OnReset: func(error) { resets++; shown.Reset() }}
			resp, err := llm.Run{Account: acct}.Bind(m).Generate(t.Context(), ask("?"), func(s string) { shown.WriteString(s) })
			if llm.ClassOf(err) != tt.class || tt.class == "" && (resp.Message.Content != whole.Text || shown.String() != whole.Text) {
				t.Errorf("%q, shown %q, %v", resp.Message.Content, shown.String(), err)
			}
			if calls, _ := acct.Spent(); calls != tt.calls || len(srv.Journal()) != tt.calls || resets != tt.resets {
				t.Errorf("%d calls, %d requests, %d resets", calls, len(srv.Journal()), resets)
			}
		})
	}
}

// TestConnectionsAreUsedAgain checks that a finished stream gives its connection
// back: a TLS handshake for every answer would be felt.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	m := model(t, srv, nil)
	for range 20 {
		if _, err := m.Generate(t.Context(), ask("?"), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := srv.Connections(); n > 2 {
		t.Errorf("%d connections for 20 calls one after another", n)
	}
}

// TestSlowButAlive is a service that is slow in every way and still within
// bounds: no deadline may strike.
func TestSlowButAlive(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	m := model(t, srv, func(c *openai.Config) {
		c.Model, c.First, c.Idle = "fake-ttft300-itl30-len20", 5*time.Second, 2*time.Second
	})
	resp, err := m.Generate(t.Context(), ask("?"), nil)
	if err != nil || len(strings.Fields(resp.Message.Content)) != 20 {
		t.Errorf("%q, %v", resp.Message.Content, err)
	}
}
