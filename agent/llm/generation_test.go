package llm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// Two replicas keep their own replies and read one generation.
func TestGenerationsEmptyEveryReplicasCache(t *testing.T) {
	t.Parallel()
	generation, away := "one", error(nil)
	read := func(context.Context) (string, error) { return generation, away }
	asked := 0
	forgets := false // somebody is forgotten while the model answers
	inner := llmtest.Func(func(int, llm.Request) llmtest.Reply {
		asked++
		if forgets {
			generation = "during"
		}
		return llmtest.Text("reply")
	})
	var replicas [2]llm.Model
	for i := range replicas {
		replicas[i] = llm.Cached(inner, llm.SharedGenerations(llm.NewMemoryCache(10, time.Now), read), time.Hour, llm.ForRoute)
	}
	steps := []struct {
		name    string
		do      func()
		replica int
		asks    bool
	}{
		{"the first is asked", nil, 0, true},
		{"its reply is kept", nil, 0, false},
		{"another replica has its own", nil, 1, true},
		{"which keeps it", nil, 1, false},
		{"forgotten anywhere", func() { generation = "two" }, 1, true},
		{"is forgotten everywhere", nil, 0, true},
		{"and kept again", nil, 0, false},
		{"an old generation does not come back", func() { generation = "one" }, 0, true},
		{"without the record nothing is read", func() { away = errors.New("away") }, 0, true},
		{"nor kept", nil, 0, true},
		{"when it is back what was kept is there", func() { away = nil }, 0, false},
		{"forgotten while it is answered", func() { generation, forgets = "three", true }, 1, true},
		{"the reply is not kept", func() { forgets = false }, 1, true},
		{"the next one is", nil, 1, false},
	}
	for _, s := range steps {
		if s.do != nil {
			s.do()
		}
		before := asked
		if _, err := replicas[s.replica].Generate(t.Context(), llm.Request{Purpose: llm.ForRoute}, nil); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if (asked > before) != s.asks {
			t.Errorf("%s: the model was asked %d times", s.name, asked-before)
		}
	}
}
