package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func err(c llm.Class, after time.Duration) error { return &llm.Error{Class: c, After: after} }

func policy() llm.RetryPolicy {
	return llm.RetryPolicy{Random: func() float64 { return 0 }, Now: time.Now}
}

func TestRetryByClass(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		replies []llmtest.Reply
		calls   int
		class   llm.Class
		took    time.Duration
	}{
		"works_at_once":       {[]llmtest.Reply{llmtest.Text("ok")}, 1, "", 0},
		"rate_limited":        {[]llmtest.Reply{llmtest.Fail(err(llm.RateLimited, 0)), llmtest.Text("ok")}, 2, "", 250 * time.Millisecond},
		"twice_overloaded":    {[]llmtest.Reply{llmtest.Fail(err(llm.Overloaded, 0)), llmtest.Fail(err(llm.Overloaded, 0)), llmtest.Text("ok")}, 3, "", 750 * time.Millisecond},
		"honours_retry_after": {[]llmtest.Reply{llmtest.Fail(err(llm.RateLimited, 9*time.Second)), llmtest.Text("ok")}, 2, "", 9 * time.Second},
		"asked_for_too_long":  {[]llmtest.Reply{llmtest.Fail(err(llm.RateLimited, time.Hour))}, 1, llm.RateLimited, 0},
		"attempts_are_bound":  {[]llmtest.Reply{llmtest.Fail(err(llm.Cut, 0)), llmtest.Fail(err(llm.Cut, 0)), llmtest.Fail(err(llm.Cut, 0))}, 3, llm.Cut, 750 * time.Millisecond},
		"garbage_once_only":   {[]llmtest.Reply{llmtest.Fail(err(llm.Garbage, 0)), llmtest.Fail(err(llm.Garbage, 0))}, 2, llm.Garbage, 250 * time.Millisecond},
		"quota":               {[]llmtest.Reply{llmtest.Fail(err(llm.Quota, 0))}, 1, llm.Quota, 0},
		"auth":                {[]llmtest.Reply{llmtest.Fail(err(llm.Auth, 0))}, 1, llm.Auth, 0},
		"bad_request":         {[]llmtest.Reply{llmtest.Fail(err(llm.BadRequest, 0))}, 1, llm.BadRequest, 0},
		"refused":             {[]llmtest.Reply{llmtest.Fail(err(llm.Refused, 0))}, 1, llm.Refused, 0},
		"unknown":             {[]llmtest.Reply{llmtest.Fail(errors.New("x"))}, 1, "", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				inner := llmtest.Script(tt.replies...)
				_, got := llm.Retry(inner, policy()).Generate(t.Context(), llm.Request{}, nil)
				if llm.ClassOf(got) != tt.class || inner.Count() != tt.calls {
					t.Errorf("%v after %d calls, want %q after %d", got, inner.Count(), tt.class, tt.calls)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
			})
		})
	}
}

func TestRetryIsBoundByTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Fail(err(llm.RateLimited, 15*time.Second)) })
		p := policy()
		p.Attempts, p.Total = 100, 40*time.Second
		_, got := llm.Retry(inner, p).Generate(t.Context(), llm.Request{}, nil)
		if llm.ClassOf(got) != llm.RateLimited || inner.Count() != 3 {
			t.Errorf("%v after %d calls", got, inner.Count())
		}
	})
}

func TestRetryEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		model llm.Model
		want  llm.Class
	}{
		"silent": {silent{}, llm.Timeout},
		"busy":   {llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Fail(err(llm.Overloaded, 0)) }), llm.Overloaded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := policy()
				p.Attempts, p.Limit = 100, 30*time.Second
				start := time.Now()
				_, got := llm.Retry(tt.model, p).Generate(t.Context(), llm.Request{}, nil)
				if llm.ClassOf(got) != tt.want || time.Since(start) != p.Limit {
					t.Errorf("%v after %s", got, time.Since(start))
				}
			})
		})
	}
}

// TestRetryAfterALongSilence has a service that says nothing for more than a
// minute and is well when it is asked again.
func TestRetryAfterALongSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := policy()
		p.Limit = 2 * time.Minute
		m := llm.Retry(&late{after: 65 * time.Second, Model: llmtest.Script(llmtest.Text("ok"))}, p)
		resp, got := m.Generate(t.Context(), llm.Request{}, nil)
		if got != nil || resp.Message.Content != "ok" {
			t.Errorf("%q, %v", resp.Message.Content, got)
		}
	})
}

// late fails the first time, after a while.
type late struct {
	llm.Model
	after time.Duration
	asked bool
}

func (l *late) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	if l.asked {
		return l.Model.Generate(ctx, req, onDelta)
	}
	l.asked = true
	<-time.After(l.after)
	return llm.Response{}, err(llm.Timeout, 0)
}

// silent never answers.
type silent struct{ llm.Model }

func (silent) Name() string { return "silent" }

func (silent) Generate(ctx context.Context, _ llm.Request, _ func(string)) (llm.Response, error) {
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

func TestRetryEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		inner := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Fail(err(llm.RateLimited, 15*time.Second)) })
		_, got := llm.Retry(inner, policy()).Generate(ctx, llm.Request{}, nil)
		if llm.ClassOf(got) != llm.RateLimited || inner.Count() != 1 || time.Since(start) != time.Second {
			t.Errorf("%v after %d calls and %s", got, inner.Count(), time.Since(start))
		}
	})
}

// TestTextIsVoidAfterRetry checks the promise of Account.OnReset: what a reader
// holds after the last reset is exactly the answer.
func TestTextIsVoidAfterRetry(t *testing.T) {
	t.Parallel()
	broken := llmtest.Reply{Text: "half of ", Err: err(llm.Cut, 0)}
	synctest.Test(t, func(t *testing.T) {
		var shown strings.Builder
		var order []string
		acct := &llm.Account{
			OnReset: func(error) { order = append(order, "reset"); shown.Reset() },
			OnWait:  func(time.Duration, error) { order = append(order, "wait") },
		}
		m := llm.Run{Account: acct}.Bind(llm.Retry(llm.Metered(llmtest.Script(broken, llmtest.Text("the whole")), time.Now), policy()))
		ctx := llm.Listen(t.Context(), func(llm.Call) { order = append(order, "call") })
		resp, got := m.Generate(ctx, llm.Request{}, func(s string) { shown.WriteString(s) })
		if got != nil || shown.String() != resp.Message.Content || resp.Message.Content != "the whole" {
			t.Errorf("shown %q, %v", shown.String(), got)
		}
		if s := strings.Join(order, " "); s != "call wait reset call" {
			t.Errorf("heard %q", s)
		}
	})
}

func TestTextThatNobodyCanTakeBackIsNotRepeated(t *testing.T) {
	t.Parallel()
	broken := llmtest.Reply{Text: "half of ", Err: err(llm.Cut, 0)}
	inner := llmtest.Script(broken, llmtest.Text("never asked for"))
	var shown strings.Builder
	_, got := llm.Retry(inner, policy()).Generate(t.Context(), llm.Request{}, func(s string) { shown.WriteString(s) })
	if llm.ClassOf(got) != llm.Cut || inner.Count() != 1 || shown.String() != "half of " {
		t.Errorf("%v after %d calls, shown %q", got, inner.Count(), shown.String())
	}
}

func TestFallback(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		first llmtest.Reply
		asked bool // the second model
		want  string
	}{
		"not_needed":     {llmtest.Text("first"), false, "first"},
		"overloaded":     {llmtest.Fail(err(llm.Overloaded, 0)), true, "second"},
		"auth":           {llmtest.Fail(err(llm.Auth, 0)), true, "second"},
		"quota":          {llmtest.Fail(err(llm.Quota, 0)), true, "second"},
		"context_length": {llmtest.Fail(err(llm.ContextLength, 0)), true, "second"},
		"refused":        {llmtest.Fail(err(llm.Refused, 0)), false, ""},
		"content_filter": {llmtest.Fail(err(llm.ContentFilter, 0)), true, "second"},
		"bad_request":    {llmtest.Fail(err(llm.BadRequest, 0)), true, "second"},
		"length":         {llmtest.Fail(err(llm.Length, 0)), true, "second"},
		"over_budget":    {llmtest.Fail(err(llm.OverBudget, 0)), false, ""},
		"half_a_text":    {llmtest.Reply{Text: "half", Err: err(llm.Cut, 0)}, true, "second"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := llmtest.Script(tt.first), llmtest.Script(llmtest.Text("second"))
			shown := ""
			run := llm.Account{OnReset: func(error) { shown = "" }}
			resp, got := llm.Fallback(time.Minute, time.Now, a, b).Generate(t.Context(), llm.Request{Model: "only-at-first", Account: &run}, func(s string) { shown += s })
			if resp.Message.Content != tt.want || (got == nil) != (tt.want != "") || tt.want != "" && shown != tt.want {
				t.Errorf("%q shown %q, %v", resp.Message.Content, shown, got)
			}
			if (b.Count() == 1) != tt.asked || tt.asked && b.Requests()[0].Model != "" {
				t.Errorf("second asked: %v", b.Requests())
			}
		})
	}
}

func TestFallbackLetsAModelRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := llmtest.Script(llmtest.Fail(err(llm.RateLimited, 90*time.Second)), llmtest.Text("back"))
		b := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("second") })
		m := llm.Fallback(time.Minute, time.Now, a, b)
		for _, want := range []string{"second", "second", "back"} {
			resp, got := m.Generate(t.Context(), llm.Request{}, nil)
			if got != nil || resp.Message.Content != want {
				t.Errorf("%q, %v, want %q", resp.Message.Content, got, want)
			}
			<-time.After(50 * time.Second)
		}
		if a.Count() != 2 {
			t.Errorf("first asked %d times", a.Count())
		}
	})
}

// TestFallbackOfAChosenModel: what is the matter with a model that some have chosen moves
// nobody else to another, and the other way round.
func TestFallbackOfAChosenModel(t *testing.T) {
	t.Parallel()
	for _, class := range []llm.Class{llm.NotFound, llm.RateLimited, llm.Quota, llm.Timeout} {
		for _, bad := range []string{"chosen", ""} {
			a := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
				if r.Model == bad {
					return llmtest.Fail(err(class, time.Hour))
				}
				return llmtest.Text("first")
			})
			b := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("second") })
			m := llm.Fallback(time.Minute, time.Now, a, b)
			for _, name := range []string{"chosen", "", "chosen", "", "other"} {
				want := "first"
				if name == bad {
					want = "second"
				}
				resp, got := m.Generate(t.Context(), llm.Request{Model: name}, nil)
				if got != nil || resp.Message.Content != want {
					t.Errorf("%s of %q: %q is answered by %q, %v", class, bad, name, resp.Message.Content, got)
				}
			}
			if a.Count() != 4 { // the bad one is asked once
				t.Errorf("%s of %q: asked %d times", class, bad, a.Count())
			}
		}
	}
}

func TestFallbackAllFail(t *testing.T) {
	t.Parallel()
	m := llm.Fallback(time.Minute, time.Now, llmtest.Script(llmtest.Fail(err(llm.Overloaded, 0))), llmtest.Script(llmtest.Fail(err(llm.Auth, 0))))
	_, got := m.Generate(t.Context(), llm.Request{}, nil)
	if llm.ClassOf(got) != llm.Overloaded {
		t.Errorf("error %v", got)
	}
}
