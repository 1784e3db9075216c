package chat_test

import (
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

// TestPlacesAreNoAnswer: a small model copies the places of passages from its prompt. They are left out of an answer, and
// one that is nothing else becomes the sentence that stands there.
func TestPlacesAreNoAnswer(t *testing.T) {
	t.Parallel()
	docs := papers{
		{Chunk: rag.Chunk{ID: "d1#0", Text: "퇴사는 30일 전에 알립니다. 사직서는 인사 시스템에 냅니다.", Heading: []string{"퇴사", "알리는 시기"}}, Document: rag.Document{ID: "d1", Title: "퇴사", Scope: "public"}, Score: .9},
		{Chunk: rag.Chunk{ID: "d2#0", Text: "사직서 양식은 게시판에 있습니다.", Heading: []string{"양식"}}, Document: rag.Document{ID: "d2", Title: "양식", Scope: "public"}, Score: .8},
	}
	for name, c := range map[string]struct{ draft, want string }{
		"only_a_place":   {"퇴사 › 알리는 시기 [1]", "> 사직서는 인사 시스템에 냅니다. [1]"},
		"number_first":   {"[1] 퇴사 › 알리는 시기", "> 사직서는 인사 시스템에 냅니다. [1]"},
		"above_a_text":   {"[1] 퇴사 › 알리는 시기\n\n인사 시스템에 냅니다. [1]", "인사 시스템에 냅니다. [1]"},
		"title_alone":    {"**양식** [2]\n사직서 양식은 게시판에 있습니다. [2]", "사직서 양식은 게시판에 있습니다. [1]"},
		"another_number": {"퇴사 › 알리는 시기 [2]", "퇴사 › 알리는 시기 [1]"},
		"only_citations": {"[2] [1]", "> 사직서 양식은 게시판에 있습니다. [1]"},
		"one_citation":   {"[1].", "> 사직서는 인사 시스템에 냅니다. [1]"},
		"invented":       {"[7]", "> 사직서는 인사 시스템에 냅니다. [1]"},
		"a_sentence":     {"사직서는 인사 시스템에 냅니다. [1]", "사직서는 인사 시스템에 냅니다. [1]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := deskWith(t, llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
				if r.Purpose == llm.ForRoute {
					return route("rag")
				}
				return llmtest.Text(c.draft)
			}), docs)
			res, _, err := d.try(d.request("사직서는 어디에 내?"))
			if err != nil || res.Text != c.want || len(res.Sources) != 1 {
				t.Errorf("answer %q with %d sources, want %q; %v", res.Text, len(res.Sources), c.want, err)
			}
		})
	}
}
