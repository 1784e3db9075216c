package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

// TestFactsThatAreMissing asks for one fact of a passage that says other things of what is
// named: the built-in model declines, and answers where the fact stands.
func TestFactsThatAreMissing(t *testing.T) {
	t.Parallel()
	const (
		server = "결제 서버가 3월 14일 오전 9시 20분에 응답을 멈췄습니다. 한도현 팀장이 서버를 다시 시작했습니다. 연결 풀이 가득 찼기 때문입니다."
		house  = "누리상회는 1998년에 박정호가 세웠습니다. 2014년 본사를 서울로 옮겼습니다. 직원은 네 명이었습니다."
		banner = "광고 배너를 없애기로 했습니다. 누르는 사람이 적고 화면이 느려지기 때문입니다. 검색창은 아래로 내립니다."
		dome   = "The observatory was built in 1927 by Edith Marlow. The mirror is recoated every four years. Visits are cancelled in strong wind, because the dome cannot be opened."
		desk   = "The contract with Deskly was signed by Jonas Berg on 4 December. Training is given over video calls."
		claims = "22시 이후에 퇴근하면 택시비를 청구할 수 있습니다. 개인 카드로 쓴 비용은 30일 안에 청구하세요."
	)
	for _, tc := range []struct{ passage, question, want string }{
		{house, "누리상회는 누가 세웠어?", "박정호"},
		{house, "누리상회는 누가 물려받았어?", ""},
		{house, "본사는 언제 서울로 옮겼지?", "2014년"},
		{house, "본사를 왜 서울로 옮겼어?", ""},
		{house, "누리상회는 누가 인수했어?", ""},
		{server, "결제 서버는 언제 멈췄어?", "9시 20분"},
		{server, "결제 서버는 누가 만들었어?", ""},
		{banner, "광고 배너를 왜 없애기로 했어?", "느려지기 때문"},
		{banner, "검색창을 왜 아래로 내려?", ""},
		{dome, "Who built the observatory?", "Edith Marlow"},
		{dome, "Who recoats the mirror?", ""},
		{dome, "Why are visits cancelled in strong wind?", "cannot be opened"},
		{dome, "Why was the observatory built?", ""},
		{dome, "When was the lighthouse built?", ""},
		{desk, "Who signed the contract with Deskly?", "Jonas Berg"},
		{desk, "Where was the contract with Deskly signed?", ""},
		{claims, "비용은 언제까지 청구해야 해?", "30일 안에"},
	} {
		resp, err := extractive.New().Generate(t.Context(), llm.Request{
			Purpose:  llm.ForAnswer,
			Messages: []llm.Message{{Role: llm.User, Content: tc.question}},
			Passages: []llm.Passage{{N: 1, Title: "기록 Notes", Text: tc.passage}},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := resp.Message.Content
		switch quoted := strings.Contains(got, "\n> "); {
		case tc.want == "" && quoted:
			t.Errorf("%s answered with %s", tc.question, got)
		case tc.want != "" && !strings.Contains(got, tc.want):
			t.Errorf("%s wants %q, got %s", tc.question, tc.want, got)
		}
	}
	// Beside the deadline nothing is quoted that only holds a figure.
	resp, err := extractive.New().Generate(t.Context(), llm.Request{
		Purpose:  llm.ForAnswer,
		Messages: []llm.Message{{Role: llm.User, Content: "비용은 언제까지 청구해야 해?"}},
		Passages: []llm.Passage{{N: 1, Title: "비용", Text: claims}},
	}, nil)
	if err != nil || strings.Contains(resp.Message.Content, "택시") {
		t.Errorf("%v, %v: the line about taxis is no deadline", resp.Message.Content, err)
	}
}

// TestComparisonQuotesBoth asks for two articles side by side: each is quoted whole.
func TestComparisonQuotesBoth(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"제5조와 제14조 비교해줘", "제5조와 제14조의 차이가 뭐야?"} {
		resp, err := extractive.New().Generate(t.Context(), llm.Request{
			Purpose:  llm.ForAnswer,
			Messages: []llm.Message{{Role: llm.User, Content: question}},
			Passages: []llm.Passage{{N: 1, Title: "계약서 › 제5조(대가)", Text: "대가는 총액으로 지급한다."}, {N: 2, Title: "계약서 › 제14조(지체상금)", Text: "늦으면 지체상금을 낸다."}},
		}, nil)
		if err != nil || !strings.Contains(resp.Message.Content, "지급한다. [1]") || !strings.Contains(resp.Message.Content, "낸다. [2]") {
			t.Errorf("%s: %v, %v", question, resp.Message.Content, err)
		}
	}
}
