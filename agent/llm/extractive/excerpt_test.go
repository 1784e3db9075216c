package extractive_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"maru/agent/llm"
)

// factOf returns the answer from one passage.
func factOf(t *testing.T, title, passage, question string) string {
	t.Helper()
	return generate(t, llm.Request{
		Purpose: llm.ForAnswer, Messages: said(question), Passages: []llm.Passage{{N: 1, Title: title, Text: passage}},
	}).Message.Content
}

// TestTheColumnThatIsAskedForIsShown: a row of fifty columns is longer than a quotation.
func TestTheColumnThatIsAskedForIsShown(t *testing.T) {
	t.Parallel()
	cells := []string{"이름: 한지우", "사번: 1002"}
	for i := 3; i <= 80; i++ {
		cells = append(cells, fmt.Sprintf("지표%d: %d", i, 7*i))
	}
	row := strings.Join(cells, ", ")
	for question, want := range map[string][]string{
		"사번 1002의 지표77은?":   {"> 이름: 한지우, 사번: 1002, ", "지표77: 539"},
		"한지우 지표3과 지표80 알려줘": {"> 이름: 한지우, ", "지표3: 21", "지표80: 560"},
		"사번 1002 이름이 뭐야?":   {"> 이름: 한지우, 사번: 1002"},
	} {
		got := factOf(t, "지표", row, question)
		_, quoted, _ := strings.Cut(got, "> ")
		quoted, _, _ = strings.Cut(quoted, " [1]")
		for _, w := range want {
			if !strings.Contains(got, w) || !strings.Contains(quoted, "…") || utf8.RuneCountInString(quoted) > 400 {
				t.Errorf("%s is answered %q, without %q", question, got, w)
			}
		}
	}
	prose := strings.Repeat("연차는 해마다 새로 주어지며 ", 40) + "15일이다."
	if got := factOf(t, "휴가", prose, "연차는 며칠이야?"); !strings.Contains(got, "> 연차는 해마다") || utf8.RuneCountInString(got) > 600 {
		t.Errorf("a long sentence is quoted %q", got)
	}
}

// TestCodeIsQuotedByItsLines: a comment is no heading, and a line is not run into the next.
func TestCodeIsQuotedByItsLines(t *testing.T) {
	t.Parallel()
	const guide = "서버마다 한 번씩 실행합니다.\n\n```sh\nmake deploy ENV=prod TAG=v2.4.1\n# 되돌리기: make rollback\nmake __check__ *all*\n```\n\n배포는 화요일과 목요일 오후 2시에만 합니다."
	for question, want := range map[string]string{
		"되돌리기는 어떻게 해?":     "> `# 되돌리기: make rollback` [1]",
		"make deploy는 뭐야?": "> `make deploy ENV=prod TAG=v2.4.1` [1]",
		"배포는 무슨 요일에 해?":    "> 배포는 화요일과 목요일",
	} {
		if got := factOf(t, "기록 Notes", guide, question); !strings.Contains(got, want) {
			t.Errorf("%s wants %q, got %s", question, want, got)
		}
	}
}
