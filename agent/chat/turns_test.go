package chat_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

// nightly are documents on meals of a night shift and on working hours.
var nightly = papers{
	{Chunk: rag.Chunk{ID: "d1#0", Text: "야근하면 밥값을 1만 5천 원까지 청구한다."}, Document: rag.Document{ID: "d1", Title: "비용", Scope: "public"}, Score: .45},
	{Chunk: rag.Chunk{ID: "d2#0", Text: "근무 시간은 하루 8시간이다."}, Document: rag.Document{ID: "d2", Title: "근무", Scope: "public"}, Score: .95},
}

// TestARewordingLosesNothing: what the question itself finds is among the passages, however high a rewording of one word scores.
func TestARewordingLosesNothing(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		if r.Purpose == llm.ForRoute {
			return llmtest.Text(`{"route": "rag", "reason": "asked", "wants": "answer", "query": "근무"}`)
		}
		return llmtest.Text("15,000원까지 청구합니다. [2]")
	})
	d := deskWith(t, m, nightly)
	if _, _, err := d.try(d.request("야근하면 밥값 나옴?")); err != nil {
		t.Fatal(err)
	}
	prompt := lastPrompt(m).Messages[0].Content
	if hours, meals := strings.Index(prompt, "[1] 근무"), strings.Index(prompt, "[2] 비용"); hours < 0 || meals < hours {
		t.Errorf("the passages of the prompt are not those of the rewording and of the question in turns:\n%s", prompt)
	}
}

// TestTheSearchToolAlsoSearchesForTheQuestion: a model's query in another language finds what the question finds.
func TestTheSearchToolAlsoSearchesForTheQuestion(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{"야근하면 밥값 나옴?": true, "야근하면 밥값 나온다고 번역해 줘": false} {
		m := llmtest.Script(route("agent"), llmtest.CallTool("search_documents", `{"query": "overtime meals"}`), llmtest.Text("네."))
		docs := papers{nightly[0]}
		docs[0].Score = .3
		d := deskWith(t, m, docs)
		if _, _, err := d.try(d.request(question)); err != nil {
			t.Fatal(err)
		}
		messages := lastPrompt(m).Messages
		if got := messages[len(messages)-1]; got.Role != llm.ToolRole || strings.Contains(got.Content, "1만 5천 원") != want {
			t.Errorf("%s: the tool says %q", question, got.Content)
		}
	}
}
