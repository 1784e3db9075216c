package longterm_test

import (
	"strings"
	"testing"

	"maru/memory/longterm"
)

// TestWishesAboutMannerAreKept keeps what people say of how they want to be answered, and no task that only looks so. The
// second list was kept back while the rule was written.
func TestWishesAboutMannerAreKept(t *testing.T) {
	t.Parallel()
	keeps := [2][]string{
		{"답변은 짧게 해 줘", "앞으로는 존댓말 쓰지 마", "keep your answers short", "keep it short", "반말로 해"},
		{
			"대답은 항상 간단하게 부탁해요", "존댓말로 해주세요", "Please write your replies in bullet points", "be more formal", "설명은 자세하게 해주면 좋겠어",
			"고마워. 답변을 표로 해줘", "don't be so formal", "답변은 영어로 해줘", "from now on, be brief",
		},
	}
	tasks := [2][]string{
		{"이 문서를 표로 정리해 줘", "영어로 번역해 줘", "write a short mail to Kim", "목록으로 보여줘", "짧은 글 써 줘"},
		{
			"Make a table of the sales", "김 대리에게 정중하게 답장 써 줘", "이번 답변은 짧게 해 줘", "Summarize this in one line", "상세 일정 알려줘", "write a formal letter to the bank",
			"회의록을 간단하게 요약해 줘", "keep it short this time", "list all customers", "Write a mail to Kim. Keep it short.",
		},
	}
	for half := range 2 {
		for _, s := range keeps[half] {
			l, ok, err := longterm.WordsLesson(s)
			read := longterm.Explicit(s)
			if err != nil || !ok || len(read) != 1 || !(longterm.Preference{Type: read[0].Type, Subject: read[0].Subject, Value: read[0].Value}).Manner() {
				t.Errorf("half %d, %q: %+v %v, %+v", half+1, s, l, ok, read)
			}
		}
		for _, s := range tasks[half] {
			if read := longterm.Explicit(s); len(read) > 0 {
				t.Errorf("half %d, the task %q is kept as %+v", half+1, s, read)
			}
		}
	}
}

// TestMannerGoesBeforeTheDefaults puts wishes about manner under a heading of their own, whatever the question is.
func TestMannerGoesBeforeTheDefaults(t *testing.T) {
	t.Parallel()
	m := fresh(t)
	for i, s := range []string{"앞으로는 존댓말 쓰지 마", "답변은 짧게 해 줘", "우리 팀은 데이터팀이야"} {
		for _, l := range longterm.Explicit(s) {
			must(t, m.Preferences.Consolidate(t.Context(), mina, string(rune('a'+i)), at(i), l))
		}
	}
	r, err := m.Recall(t.Context(), mina, "우리 팀 이름이 뭐였지?", 0)
	must(t, err)
	facts, manner, ok := strings.Cut(r.Prompt(), "How they want to be answered")
	if !ok || !strings.Contains(facts, "데이터팀") || strings.Contains(facts, "존댓말") || !strings.Contains(manner, "goes before the defaults above") ||
		!strings.Contains(manner, "존댓말 쓰지 마") || !strings.Contains(manner, "짧게") {
		t.Errorf("%s", r.Prompt())
	}
}
