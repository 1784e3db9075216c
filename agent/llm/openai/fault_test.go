package openai_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

// TestFaults holds every way in which an endpoint fails to its class.
func TestFaults(t *testing.T) {
	t.Parallel()
	many := llmtest.Reply{}
	for i := range 1000 {
		many = many.And(fmt.Sprintf("tool%d", i), `{}`)
	}
	tests := map[string]struct {
		reply  llmtest.Reply
		class  llm.Class
		status int
		after  time.Duration
	}{
		"429":              {fault(llmtest.Fault{Status: 429}), llm.RateLimited, 429, 0},
		"429_seconds":      {fault(llmtest.Fault{Status: 429, RetryAfter: "7"}), llm.RateLimited, 429, 7 * time.Second},
		"429_date":         {fault(llmtest.Fault{Status: 429, RetryAfter: "Sat, 21 Nov 2026 12:00:30 GMT"}), llm.RateLimited, 429, 30 * time.Second},
		"429_nonsense":     {fault(llmtest.Fault{Status: 429, RetryAfter: "soon"}), llm.RateLimited, 429, 0},
		"429_a_unit":       {fault(llmtest.Fault{Status: 429, RetryAfter: "1m20s"}), llm.RateLimited, 429, 80 * time.Second},
		"429_of_google":    {fault(llmtest.Fault{Status: 429, Body: `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay": "34.5s"}]}}]`}), llm.RateLimited, 429, 34500 * time.Millisecond},
		"429_of_groq":      {fault(llmtest.Fault{Status: 429, Message: "Limit 6000. Please try again in 1m7.5s."}), llm.RateLimited, 429, 67500 * time.Millisecond},
		"429_of_azure":     {fault(llmtest.Fault{Status: 429, Message: "Please retry after 26 seconds."}), llm.RateLimited, 429, 26 * time.Second},
		"498_of_groq":      {fault(llmtest.Fault{Status: 498}), llm.Overloaded, 498, 0},
		"499_of_google":    {fault(llmtest.Fault{Status: 499}), llm.Overloaded, 499, 0},
		"424":              {fault(llmtest.Fault{Status: 424}), llm.Overloaded, 424, 0},
		"429_two_units":    {fault(llmtest.Fault{Status: 429, Message: "Try again in 1 minute and 30 seconds, 0 requests left."}), llm.RateLimited, 429, 90 * time.Second},
		"429_short_units":  {fault(llmtest.Fault{Status: 429, Message: "Retry after 1 hr 5 mins 10 sec"}), llm.RateLimited, 429, 65*time.Minute + 10*time.Second},
		"429_no_unit":      {fault(llmtest.Fault{Status: 429, Message: "Try again in 3 requests"}), llm.RateLimited, 429, 0},
		"429_for_ever":     {fault(llmtest.Fault{Status: 429, Message: "Try again in 999999999 hours"}), llm.RateLimited, 429, 0},
		"429_html":         {fault(llmtest.Fault{Status: 429, Body: "<html>", RetryAfter: "1"}), llm.RateLimited, 429, time.Second},
		"quota":            {fault(llmtest.Fault{Status: 429, Code: "insufficient_quota"}), llm.Quota, 429, 0},
		"401":              {fault(llmtest.Fault{Status: 401}), llm.Auth, 401, 0},
		"403":              {fault(llmtest.Fault{Status: 403}), llm.Auth, 403, 0},
		"404":              {fault(llmtest.Fault{Status: 404, Code: "model_not_found"}), llm.NotFound, 404, 0},
		"400":              {fault(llmtest.Fault{Status: 400, Message: "nope"}), llm.BadRequest, 400, 0},
		"302":              {fault(llmtest.Fault{Status: 302}), llm.BadRequest, 302, 0},
		"500":              {fault(llmtest.Fault{Status: 500}), llm.Overloaded, 500, 0},
		"502_html":         {fault(llmtest.Fault{Status: 502, Body: "<h1>Bad gateway</h1>"}), llm.Overloaded, 502, 0},
		"503":              {fault(llmtest.Fault{Status: 503, RetryAfter: "2"}), llm.Overloaded, 503, 2 * time.Second},
		"529":              {fault(llmtest.Fault{Status: 529}), llm.Overloaded, 529, 0},
		"error_is_text":    {fault(llmtest.Fault{Status: 400, Body: `{"error":"model is loading"}`, ContentType: "application/json"}), llm.BadRequest, 400, 0},
		"error_in_list":    {fault(llmtest.Fault{Status: 429, Body: `[{"error":{"code":429,"message":"slow"}}]`, ContentType: "application/json"}), llm.RateLimited, 429, 0},
		"detail":           {fault(llmtest.Fault{Status: 422, Body: `{"detail":"bad"}`, ContentType: "application/json"}), llm.BadRequest, 422, 0},
		"context_code":     {fault(llmtest.Fault{Status: 400, Code: "context_length_exceeded"}), llm.ContextLength, 400, 0},
		"context_type":     {fault(llmtest.Fault{Status: 400, Body: `{"error":{"code":400,"message":"too much","type":"exceed_context_size_error"}}`, ContentType: "application/json"}), llm.ContextLength, 400, 0},
		"content_filter":   {fault(llmtest.Fault{Status: 400, Code: "content_filter"}), llm.ContentFilter, 400, 0},
		"html_200":         {fault(llmtest.Fault{Body: "<html>"}), llm.WebPage, 200, 0},
		"nul_bytes":        {llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{Garbage: true}}, llm.Garbage, 0, 0},
		"no_choices":       {fault(llmtest.Fault{Empty: true}), llm.Garbage, 0, 0},
		"empty_text":       {llmtest.Reply{}, llm.Garbage, 0, 0},
		"blank_text":       {llmtest.Text(" \n "), llm.Garbage, 0, 0},
		"blank_at_length":  {llmtest.Reply{Text: "\n\n", Finish: "length"}, llm.Length, 0, 0},
		"thousand_calls":   {many, llm.Garbage, 0, 0},
		"nameless_call":    {llmtest.CallTool("", `{}`), llm.Garbage, 0, 0},
		"huge":             {fault(llmtest.Fault{Huge: 2 << 20}), llm.Garbage, 0, 0},
		"clean_cut":        {llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{NoFinish: true}}, llm.Cut, 0, 0},
		"error_in_stream":  {llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{MidError: "died"}}, llm.Overloaded, 0, 0},
		"refusal":          {llmtest.Reply{Refusal: "I cannot"}, llm.Refused, 0, 0},
		"filter_in_stream": {llmtest.Reply{Text: "half", Finish: "content_filter"}, llm.ContentFilter, 0, 0},
		"length_at_once":   {llmtest.Reply{Calls: llmtest.CallTool("x", `{}`).Calls, Finish: "length"}, llm.Length, 0, 0},
		"silent":           {fault(llmtest.Fault{Silent: true}), llm.Timeout, 0, 0},
		"stalls":           {llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{Stall: 2}}, llm.Timeout, 0, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return tt.reply })
			m := model(t, srv, func(c *openai.Config) {
				c.APIKey, c.MaxBody = "sk-very-secret", 1<<20
				c.First, c.Idle = 300*time.Millisecond, 200*time.Millisecond
				if tt.class != llm.Timeout {
					c.First, c.Idle = time.Minute, time.Minute
				}
				c.Now = func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
			})
			_, err := m.Generate(t.Context(), ask("?"), nil)
			var e *llm.Error
			if !errors.As(err, &e) || e.Class != tt.class || e.Status != tt.status || e.After != tt.after {
				t.Errorf("error %v (%+v), want class %s status %d after %s", err, e, tt.class, tt.status, tt.after)
			}
			if e != nil && e.Model != "fake" {
				t.Errorf("error does not name the model: %v", err)
			}
			if len(srv.Journal()) != 1 {
				t.Errorf("%d requests", len(srv.Journal()))
			}
		})
	}
}

func fault(f llmtest.Fault) llmtest.Reply { return llmtest.Reply{Text: "x", Fault: f} }

// TestEveryCut cuts one reply, with text of several bytes a letter and a tool
// call, after each of its bytes: never a success, never a call.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	full := llmtest.CallTool("calculator", `{"expression":"1+1"}`)
	full.Text = "서울은 맑음"
	for _, clean := range []bool{false, true} {
		t.Run(fmt.Sprintf("clean_%v", clean), func(t *testing.T) {
			t.Parallel()
			cut := 0
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
				r := full
				r.Fault = llmtest.Fault{Cut: cut, Clean: clean}
				return r
			})
			m := model(t, srv, nil)
			req := ask("?")
			req.Tools = []llm.Tool{{Name: "calculator"}}
			for cut = 1; cut < 3000; cut += 3 {
				resp, err := m.Generate(t.Context(), req, nil)
				if err == nil {
					// success only from the finish reason on
					if got := resp.Message; got.Content != full.Text || len(got.ToolCalls) != 1 || string(got.ToolCalls[0].Arguments) != `{"expression":"1+1"}` {
						t.Fatalf("cut at %d: a success with %s", cut, show(got))
					}
					if cut < 900 {
						t.Fatalf("cut at %d is a success", cut)
					}
					return
				}
				if c := llm.ClassOf(err); c != llm.Cut && c != llm.Garbage {
					t.Fatalf("cut at %d: %v", cut, err)
				}
			}
			t.Error("never a success")
		})
	}
}

// TestKeepAliveComments: go-openai's own reader gives up after 300 such lines.
func TestKeepAliveComments(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{Comments: 1000}}
	})
	resp, err := model(t, srv, nil).Generate(t.Context(), ask("?"), nil)
	if err != nil || resp.Message.Content != "a b c" {
		t.Errorf("%s, %v", show(resp), err)
	}
}

func TestFinishWithoutDone(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{NoDone: true}}
	})
	resp, err := model(t, srv, nil).Generate(t.Context(), ask("?"), nil)
	if err != nil || resp.Message.Content != "a b c" || resp.Usage.Estimated {
		t.Errorf("%s, %v", show(resp), err)
	}
}

func TestCancelIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: "a b c", Fault: llmtest.Fault{Stall: 2}}
	})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := model(t, srv, nil).Generate(ctx, ask("?"), func(string) { cancel() })
	if !errors.Is(err, context.Canceled) || llm.ClassOf(err) != "" {
		t.Errorf("error %v", err)
	}
}

func TestTotalDeadline(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	m := model(t, srv, func(c *openai.Config) { c.Model, c.Total = "fake-itl20-len1000", 200*time.Millisecond })
	_, err := m.Generate(t.Context(), ask("?"), nil)
	if llm.ClassOf(err) != llm.Timeout {
		t.Errorf("error %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	srv := llmtest.Start(llmtest.Config{})
	srv.Close()
	_, err := model(t, srv, nil).Generate(t.Context(), ask("?"), nil)
	if llm.ClassOf(err) != llm.Network || strings.Contains(err.Error(), "://") {
		t.Errorf("error %v", err)
	}
}
