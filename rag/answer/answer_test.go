package answer_test

import (
	"strings"
	"testing"

	"maru/rag/answer"
)

// TestLacks: a text lacks the amount, date, length or number that a question asks for unless it has one that the question does
// not have itself. Other questions ask for none.
func TestLacks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, text string
		want           bool
	}{
		{"보증금 얼마예요?", "보증금은 계약할 때 냅니다.", true},
		{"보증금 얼마예요?", "보증금은 금 오천만 원입니다.", false},
		{"보증금 얼마예요?", "보증금은 없고, 무료입니다.", false},
		{"연차를 며칠 전에 신청해?", "팀장에게 미리 신청합니다.", true},
		{"연차를 며칠 전에 신청해?", "사흘 전까지 신청합니다.", false},
		{"3년 일하면 연차가 며칠이야?", "3년 일한 직원은 더 받습니다.", true},
		{"3년 일하면 연차가 며칠이야?", "3년 일한 직원은 16일을 받습니다.", false},
		{"회의는 몇 시야?", "회의는 대회의실에서 합니다.", true},
		{"회의는 몇 시야?", "회의는 정오에 합니다.", false},
		{"How long is the notice period?", "Employees give notice in writing.", true},
		{"How long is the notice period?", "Two weeks.", false},
		{"When does the office close?", "The office closes on Friday.", false},
		{"When does the office close?", "The office closes early.", true},
		{"How many guests may I bring?", "Members may bring guests.", true},
		{"How many guests may I bring?", "Members may bring two guests.", false},
		{"누가 승인해?", "따로 승인을 받습니다.", false},
		{"Where do I park?", "Behind the house.", false},
		{"Tell me about parking.", "Park behind the house.", false},
		{"", "", false},
	} {
		if got := answer.Lacks(c.question, c.text); got != c.want {
			t.Errorf("Lacks(%q, %q) = %t", c.question, c.text, got)
		}
	}
}

// TestBest: sentences keep the number of their passage, and those of passages that do not answer are left out.
func TestBest(t *testing.T) {
	t.Parallel()
	passages := []answer.Passage{
		{N: 4, Title: "Pool", Text: "The pool opens at six. Children swim with an adult."},
		{N: 9, Title: "Gym", Text: "The gym is free for members."},
	}
	got := answer.Best("When does the pool open?", "", passages)
	if len(got) == 0 || got[0] != (answer.Sentence{Text: "The pool opens at six.", N: 4}) {
		t.Errorf("got %+v", got)
	}
	for _, s := range got {
		if s.N == 9 {
			t.Errorf("got %+v", s)
		}
	}
	if got := answer.Best("How old is the librarian?", "", passages); len(got) > 0 {
		t.Errorf("no sentence answers, got %+v", got)
	}
}

// FuzzBest: any texts end in sentences of the passages, with nothing added.
func FuzzBest(f *testing.F) {
	f.Add("When does the pool open?", "It opens at six. 여섯 시에 엽니다.", "")
	f.Add("몇 시?", "| 요일 | 시간 |\n|---|---|\n| 월 | 9시 |", "수영장은?")
	f.Fuzz(func(t *testing.T, question, text, before string) {
		found := answer.Best(question, before, []answer.Passage{{N: 1, Text: text}})
		if len(found) > answer.MaxSentences {
			t.Errorf("%d sentences", len(found))
		}
		for _, s := range found {
			if s.N != 1 || strings.TrimSpace(s.Text) == "" {
				t.Errorf("sentence %+v", s)
			}
		}
		answer.Lacks(question, text)
	})
}

// TestPersonUnderTitle: the words of a document's name are in its title, so a sentence below it need not have them to say who.
func TestPersonUnderTitle(t *testing.T) {
	t.Parallel()
	passages := []answer.Passage{
		{N: 1, Title: "재무팀 주간회의 2025-02-10 › 참석자", Text: "참석자는 한가람 외 2명이다."},
		{N: 2, Title: "재무팀 주간회의 2025-02-10 › 결정", Text: "발표는 문지우가 맡기로 했다."},
		{N: 3, Title: "영업팀 주간회의 2025-02-10 › 참석자", Text: "참석자는 이수민 외 6명이다."},
	}
	got := answer.Best("재무팀 주간회의 참석자 누구였어", "", passages)
	if len(got) == 0 || got[0].N != 1 {
		t.Errorf("%+v", got)
	}
	if got := answer.Best("재무팀 주간회의 장소는 누가 잡았어?", "", passages); len(got) > 0 {
		t.Errorf("no sentence says who: %+v", got)
	}
}

// TestTerm: when an agreement begins or ends and how long it lasts is answered by its term, not by a sentence that repeats the
// question's words or has a date of something else.
func TestTerm(t *testing.T) {
	t.Parallel()
	ko := []answer.Passage{
		{N: 1, Title: "상가 임대차계약서 › 제3조(보증금)", Text: "임차인은 보증금 3천만 원을 계약 체결과 동시에 낸다. 계약이 끝나면 30일 안에 돌려받는다."},
		{N: 2, Title: "상가 임대차계약서 › 제2조(존속)", Text: "임대차 기간은 2024년 3월 1일부터 2026년 2월 28일까지로 한다."},
		{N: 3, Title: "상가 임대차계약서 › 제7조(연장)", Text: "기간 만료 1개월 전까지 이의가 없으면 본 계약은 자동 연장된다."},
	}
	en := []answer.Passage{
		{N: 1, Title: "Service Agreement › Preamble", Text: "This Agreement is entered into as of January 1, 2025 by the parties."},
		{N: 2, Title: "Service Agreement › Term", Text: "It shall commence on February 1, 2025 and continue for a period of two years."},
		{N: 3, Title: "Service Agreement › Termination", Text: "Either party may end this agreement with 30 days' notice."},
	}
	for _, c := range []struct {
		question string
		in       []answer.Passage
		want     int
	}{
		{"계약 언제까지야", ko, 2}, {"계약은 언제 끝나요?", ko, 2}, {"이 임대차는 언제부터 시작해?", ko, 2}, {"계약 만료일이 언제예요?", ko, 2}, {"계약 기간이 얼마나 돼?", ko, 2},
		{"보증금은 언제 돌려받아?", ko, 1},
		{"when does the agreement end?", en, 2}, {"How long is the service agreement?", en, 2}, {"What's the start date of this contract?", en, 2},
	} {
		if got := answer.Best(c.question, "", c.in); len(got) == 0 || got[0].N != c.want {
			t.Errorf("%q: %+v, want a sentence of %d", c.question, got, c.want)
		}
	}
	other := []answer.Passage{
		{N: 1, Title: "Lease Agreement - Zeta › Term", Text: "This lease shall commence on January 1, 2025 and continue for a period of three years."},
		{N: 2, Title: "임대차계약서(제타) › 제2조(존속)", Text: "임대차 기간은 2024년 3월 1일부터 2026년 2월 28일까지로 한다."},
	}
	for question, want := range map[string]int{
		"When does the Acme lease end?": 0, "When does the lease with Acme end?": 0, "How long is the Acme lease?": 0, "아크메 임대차는 언제 끝나?": 0, "아크메 계약은 언제까지야?": 0,
		"When does the Zeta lease end?": 1, "When does the tenancy with Zeta end?": 1, "제타 임대차는 언제 끝나?": 2, "제타(주)와의 임대차계약 기간이 어떻게 돼?": 2, "제타 계약은 언제까지야?": 2,
	} {
		if got := answer.Best(question, "", other); len(got) == 0 && want > 0 || len(got) > 0 && got[0].N != want {
			t.Errorf("%q: %+v, want a sentence of %d", question, got, want)
		}
	}
	if got := answer.Best("계약은 언제까지야?", "보증금은 얼마야?", ko); len(got) == 0 || got[0].N != 2 {
		t.Errorf("behind a question about the deposit: %+v, want a sentence of 2", got)
	}
	for question, changed := range map[string]bool{"릴리스는 언제 시작해?": false, "크리스는 언제 끝나?": false, "리스는 언제 끝나?": true, "용역계약은 언제 끝나?": true, "계약은 언제 끝나요?": true, "계약 해지하려면 며칠 전에 말해?": false, "계약금은 언제까지 내?": false, "When does the lease end?": true, "When is the deposit due after the lease ends?": false} {
		if got := answer.Query(question); (got != question) != changed {
			t.Errorf("Query(%q) = %q", question, got)
		}
	}
}

// TestListItem: a bare item of a list is quoted after what introduces the list; a whole sentence stands alone.
func TestListItem(t *testing.T) {
	t.Parallel()
	for question, c := range map[string]struct{ text, want string }{
		"노트북 반납은 어떻게 해?": {
			"퇴사하는 직원은 다음과 같이 한다:\n\n- 사원증 반납\n- 노트북 반납 후 확인증 받기\n- 법인카드 반납",
			"퇴사하는 직원은 다음과 같이 한다: … 노트북 반납 후 확인증 받기",
		},
		"Is the gym membership covered?": {
			"The wellness budget does not pay for the following:\n\n- food and drinks\n- gym membership at home clubs\n- travel",
			"The wellness budget does not pay for the following: … gym membership at home clubs",
		},
		"Who approves travel?": {
			"Please note the following:\n\n- Your manager approves travel.\n- Nobody approves food.",
			"Your manager approves travel.",
		},
	} {
		best := answer.Best(question, "", []answer.Passage{{N: 1, Title: "Rules", Text: c.text}})
		if len(best) == 0 || best[0].Text != c.want {
			t.Errorf("%q is answered with %+v, want %q", question, best, c.want)
		}
	}
}
