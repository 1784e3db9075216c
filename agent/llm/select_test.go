package llm_test

import (
	"context"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestSelectingAsksByTask: the request decides who is asked, a repair goes where the reply came
// from, and a cache around the selector is one around each of its models.
func TestSelectingAsksByTask(t *testing.T) {
	t.Parallel()
	plans := llmtest.Script(llmtest.Text("no JSON"), llmtest.Text(`{"action":"approve"}`))
	other := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("other") })
	var named []string
	s := llm.Selecting("both", func(req llm.Request) ([]llm.Model, llm.Request) {
		named, req.Model = append(named, req.Model), ""
		if req.Task() == llm.ForPlan {
			return []llm.Model{plans}, req
		}
		return []llm.Model{other}, req
	})
	shape := llm.MustShape("decision", decisionSchema)
	got, _, err := llm.Structured[decision](t.Context(), llm.Run{Model: "cheap"}.Bind(s), llm.Request{Purpose: llm.ForPlan}, shape)
	if err != nil || got.Action != "approve" || plans.Count() != 2 || other.Count() != 0 {
		t.Fatalf("%+v, %v: %d plans, %d others", got, err, plans.Count(), other.Count())
	}
	for _, r := range plans.Requests() {
		if r.Model != "" {
			t.Errorf("a model is asked for %q, which only the selector knows", r.Model)
		}
	}
	if len(named) != 2 || named[0] != "cheap" || named[1] != "cheap" {
		t.Errorf("the selector got %q", named)
	}
	cached := llm.Cached(s, llm.NewMemoryCache(4, time.Now), time.Hour, llm.ForAnswer)
	sel, ok := cached.(llm.Selector)
	if !ok {
		t.Fatal("a cache hides the selector")
	}
	for range 2 {
		req := llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.User, Content: "x"}}}
		models, req := sel.Select(req)
		if _, err := models[0].Generate(context.Background(), req, nil); err != nil {
			t.Fatal(err)
		}
	}
	if other.Count() != 1 {
		t.Errorf("asked %d times, want once and once from the cache", other.Count())
	}
}
