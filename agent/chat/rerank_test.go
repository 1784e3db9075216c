package chat_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

// many are n passages about leave, the best first.
func many(n int) papers {
	var out papers
	for i := range n {
		id := fmt.Sprint("d", i+1)
		out = append(out, rag.Hit{Chunk: rag.Chunk{ID: id + "#0", Text: fmt.Sprintf("연차 규정 %d호.", i+1)}, Document: rag.Document{ID: id, Title: id, Scope: "public"}, Score: .9 - float64(i)/100})
	}
	return out
}

// TestRerank: with a model for it the passages of an answer are picked among twenty, in one more call. A reply that is no
// order of theirs, or none, leaves the index's order.
func TestRerank(t *testing.T) {
	t.Parallel()
	plain := []string{"d1", "d2", "d3", "d4", "d5"}
	for name, c := range map[string]struct {
		off   bool
		docs  papers
		reply llmtest.Reply
		calls int
		want  []string
	}{
		"off":           {off: true, docs: many(20), calls: 1, want: plain},
		"ordered":       {docs: many(20), reply: llmtest.Text(`{"order": [17, 2]}`), calls: 2, want: []string{"d17", "d2", "d1", "d3", "d4"}},
		"full":          {docs: many(20), reply: llmtest.Text(`{"order": [9, 8, 7, 6, 5, 4, 3, 2, 1]}`), calls: 2, want: []string{"d9", "d8", "d7", "d6", "d5"}},
		"nothing_helps": {docs: many(20), reply: llmtest.Text(`{"order": []}`), calls: 2, want: plain},
		"no_such":       {docs: many(20), reply: llmtest.Text(`{"order": [3, 21]}`), calls: 2, want: plain},
		"zero":          {docs: many(20), reply: llmtest.Text(`{"order": [0, 3]}`), calls: 2, want: plain},
		"twice":         {docs: many(20), reply: llmtest.Text(`{"order": [3, 3]}`), calls: 2, want: plain},
		"other_names":   {docs: many(20), reply: llmtest.Text(`{"passages": [3]}`), calls: 2, want: plain},
		"words":         {docs: many(20), reply: llmtest.Text("The best one is 3."), calls: 2, want: plain},
		"empty":         {docs: many(20), reply: llmtest.Text(""), calls: 2, want: plain},
		"failed":        {docs: many(20), reply: llmtest.Fail(&llm.Error{Class: llm.BadRequest, Status: 400, Err: errors.New("too long")}), calls: 2, want: plain},
		"few":           {docs: many(5), calls: 1, want: plain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
				if r.Purpose == llm.ForRerank {
					if text := r.Messages[1].Content; strings.Count(text, "\n[") != 20 || !strings.Contains(text, "Question: 연차 휴가는 며칠이야?") || r.Schema == nil {
						t.Errorf("asked %s with %+v", text, r.Schema)
					}
					return c.reply
				}
				return llmtest.Text("15일이에요 [1].")
			})
			a, err := chat.New(chat.Config{
				Model: llm.Metered(m, time.Now), Documents: c.docs, Rerank: !c.off, Passages: 5,
				Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), DetectMutation: true}),
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			res, err := a.Run(t.Context(), (&desk{t: t}).request("연차 휴가는 며칠이야?"), func(e agent.Event) {
				if e.Kind == agent.EventSources {
					got = nil
					for i, s := range e.Sources {
						if s.N != i+1 {
							t.Errorf("passage %d has the number %d", i+1, s.N)
						}
						got = append(got, s.Document)
					}
				}
			})
			if err != nil || res.Text == "" || res.Usage.Calls != c.calls {
				t.Errorf("%q, %d calls, want %d; %v", res.Text, res.Usage.Calls, c.calls, err)
			}
			if c.off {
				got = got[:min(len(got), 5)] // these documents know no limit
			}
			if strings.Join(got, " ") != strings.Join(c.want, " ") {
				t.Errorf("passages %v, want %v", got, c.want)
			}
		})
	}
}
