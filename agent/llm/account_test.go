package llm_test

import (
	"sync"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestAccountCountsEveryCall(t *testing.T) {
	t.Parallel()
	var heard []llm.Call
	acct := &llm.Account{}
	ctx := llm.Listen(t.Context(), func(c llm.Call) { heard = append(heard, c) })
	m := llm.Run{Account: acct}.Bind(llm.Metered(llmtest.Script(
		llmtest.Reply{Text: "a", Usage: &llm.Usage{Input: 10, Output: 2}},
		llmtest.Fail(err(llm.Overloaded, 0)),
		llmtest.Reply{Text: "b", Finish: "length", Usage: &llm.Usage{Input: 20, Output: 3, Cached: 5}},
	), time.Now))
	for _, p := range []llm.Purpose{llm.ForRoute, llm.ForAnswer, llm.ForAnswer} {
		_, _ = m.Generate(ctx, llm.Request{Purpose: p}, func(string) {})
	}
	calls, used := acct.Spent()
	if calls != 3 || used != (llm.Usage{Input: 30, Output: 5, Cached: 5}) {
		t.Errorf("%d calls, %+v", calls, used)
	}
	if len(heard) != 3 || heard[0].Purpose != llm.ForRoute || heard[1].Err == nil || heard[2].Model != "scripted" || heard[0].First <= 0 {
		t.Errorf("heard %+v", heard)
	}
	if heard[0].Cut || heard[1].Cut || !heard[2].Cut {
		t.Errorf("cut by the limit of one reply: %+v", heard)
	}
}

func TestBudgetOfCallsHoldsSideBySide(t *testing.T) {
	t.Parallel()
	acct := &llm.Account{Budget: llm.Budget{Calls: 5}}
	inner := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("x") })
	m := llm.Run{Account: acct}.Bind(llm.Metered(inner, time.Now))
	var wg sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for range 20 {
		wg.Go(func() {
			if _, e := m.Generate(t.Context(), llm.Request{}, nil); llm.ClassOf(e) == llm.OverBudget {
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if inner.Count() != 5 || refused != 15 {
		t.Errorf("%d calls made, %d refused", inner.Count(), refused)
	}
}

func TestBudgetOfTokens(t *testing.T) {
	t.Parallel()
	acct := &llm.Account{Budget: llm.Budget{Tokens: 100}}
	acct.Charge(2, llm.Usage{Input: 90}) // before the restart
	m := llm.Run{Account: acct}.Bind(llm.Metered(llmtest.Func(func(int, llm.Request) llmtest.Reply {
		return llmtest.Reply{Text: "x", Usage: &llm.Usage{Input: 5, Output: 6}}
	}), time.Now))
	if _, e := m.Generate(t.Context(), llm.Request{}, nil); e != nil {
		t.Error(e)
	}
	if _, e := m.Generate(t.Context(), llm.Request{}, nil); llm.ClassOf(e) != llm.OverBudget {
		t.Errorf("error %v", e)
	}
	if calls, _ := acct.Spent(); calls != 3 {
		t.Errorf("%d calls", calls)
	}
}

// TestBudgetOfMoney refuses a call when what was paid reaches the tighter of two budgets.
func TestBudgetOfMoney(t *testing.T) {
	t.Parallel()
	acct := &llm.Account{Budget: llm.Budget{Calls: 9, Cost: 2}.Within(llm.Budget{Tokens: 1000, Cost: 0.25})}
	if acct.Budget != (llm.Budget{Calls: 9, Tokens: 1000, Cost: 0.25}) {
		t.Errorf("budget %+v", acct.Budget)
	}
	m := llm.Run{Account: acct}.Bind(llm.Metered(llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("x") }), time.Now))
	for i, refused := range []bool{false, false, false, true} {
		_, err := m.Generate(t.Context(), llm.Request{}, nil)
		if got := llm.ClassOf(err) == llm.OverBudget; got != refused {
			t.Errorf("call %d: %v", i, err)
		}
		acct.Pay(0.1)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	inner := llmtest.Func(func(n int, _ llm.Request) llmtest.Reply { return llmtest.Text("reply " + string(rune('a'+n))) })
	acct := &llm.Account{}
	m := llm.Run{Account: acct}.Bind(llm.Cached(llm.Metered(inner, time.Now), llm.NewMemoryCache(2, func() time.Time { return now }), time.Minute, llm.ForRoute))
	hits := 0
	ctx := llm.Listen(t.Context(), func(c llm.Call) {
		if c.Cached {
			hits++
		}
	})
	ask := func(p llm.Purpose, text string) string {
		t.Helper()
		shown := ""
		resp, e := m.Generate(ctx, llm.Request{Purpose: p, Messages: []llm.Message{{Role: llm.User, Content: text}}}, func(s string) { shown += s })
		if e != nil || shown != resp.Message.Content {
			t.Errorf("shown %q, %v", shown, e)
		}
		return shown
	}
	steps := []struct {
		name string
		p    llm.Purpose
		text string
		wait time.Duration
		want string
	}{
		{"first", llm.ForRoute, "x", 0, "reply a"},
		{"again", llm.ForRoute, "x", 0, "reply a"},
		{"other_purpose_is_not_cached", llm.ForAnswer, "x", 0, "reply b"},
		{"other_purpose_again", llm.ForAnswer, "x", 0, "reply c"},
		{"other_prompt", llm.ForRoute, "y", 0, "reply d"},
		{"expired", llm.ForRoute, "x", time.Hour, "reply e"},
	}
	for _, s := range steps {
		now = now.Add(s.wait)
		if got := ask(s.p, s.text); got != s.want {
			t.Errorf("%s: %q, want %q", s.name, got, s.want)
		}
	}
	if calls, _ := acct.Spent(); calls != 5 || hits != 1 {
		t.Errorf("%d calls, %d hits", calls, hits)
	}
}

func TestCacheForgetsTheOldest(t *testing.T) {
	t.Parallel()
	c := llm.NewMemoryCache(2, time.Now)
	for _, k := range []string{"a", "b", "a", "c"} {
		if _, ok, _ := c.Get(t.Context(), k); !ok {
			_ = c.Set(t.Context(), k, []byte(k), time.Hour)
		}
	}
	for k, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, ok, _ := c.Get(t.Context(), k); ok != want {
			t.Errorf("%s kept: %v", k, ok)
		}
	}
}

func TestCacheKeepsNoFailure(t *testing.T) {
	t.Parallel()
	inner := llmtest.Script(llmtest.Fail(err(llm.Overloaded, 0)), llmtest.Reply{Text: "cut short", Finish: "length"}, llmtest.Text("good"))
	m := llm.Cached(inner, llm.NewMemoryCache(2, time.Now), time.Minute, llm.ForRoute)
	for range 4 {
		_, _ = m.Generate(t.Context(), llm.Request{Purpose: llm.ForRoute}, nil)
	}
	if inner.Count() != 3 {
		t.Errorf("%d calls", inner.Count())
	}
}

// TestCacheKeepsNoWordsForAValue: a model that failed a schema once is asked again.
func TestCacheKeepsNoWordsForAValue(t *testing.T) {
	t.Parallel()
	inner := llmtest.Script(llmtest.Text("well, yes"), llmtest.Text(`{"in_scope":true}`))
	m := llm.Cached(inner, llm.NewMemoryCache(2, time.Now), time.Minute, llm.ForRoute)
	for i, want := range []string{"well, yes", `{"in_scope":true}`, `{"in_scope":true}`} {
		resp, err := m.Generate(t.Context(), llm.Request{Purpose: llm.ForRoute, Schema: &llm.Schema{Name: "scope"}}, nil)
		if err != nil || resp.Message.Content != want {
			t.Errorf("%d: %q, %v", i, resp.Message.Content, err)
		}
	}
}

// TestBoundRequests: a run's account, model and temperature are those of requests that have none.
func TestBoundRequests(t *testing.T) {
	t.Parallel()
	warm, cold := 0.7, 0.0
	inner := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("x") })
	m := llm.Run{Account: &llm.Account{Budget: llm.Budget{Calls: 1}}, Model: "small", Temperature: &warm}.Bind(llm.Metered(inner, time.Now))
	own := &llm.Account{}
	for _, req := range []llm.Request{{}, {Model: "large", Temperature: &cold, Account: own}} {
		if _, err := m.Generate(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Generate(t.Context(), llm.Request{}, nil); llm.ClassOf(err) != llm.OverBudget {
		t.Errorf("beyond the budget: %v", err)
	}
	asked := inner.Requests()
	if len(asked) != 2 || asked[0].Model != "small" || *asked[0].Temperature != warm || asked[1].Model != "large" || *asked[1].Temperature != cold {
		t.Errorf("asked %+v", asked)
	}
	if calls, _ := own.Spent(); calls != 1 {
		t.Errorf("%d calls in an account of its own", calls)
	}
}

// TestListen: who listens hears, nobody else.
func TestListen(t *testing.T) {
	t.Parallel()
	if llm.Listened(t.Context()) {
		t.Error("nobody listens yet")
	}
	llm.Report(t.Context(), llm.Call{})
	var heard []llm.Call
	ctx := llm.Listen(t.Context(), func(c llm.Call) { heard = append(heard, c) })
	m := llm.Metered(llmtest.Script(llmtest.Text("one")), time.Now)
	if _, err := m.Generate(ctx, llm.Request{Purpose: llm.ForRoute}, nil); err != nil {
		t.Fatal(err)
	}
	if !llm.Listened(ctx) || len(heard) != 1 || heard[0].Purpose != llm.ForRoute {
		t.Errorf("heard %+v", heard)
	}
}
