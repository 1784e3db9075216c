package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

// TestWhatHappensInACase: a sentence that tells the case in the question's own words answers, one about
// another case does not, and what a question word is fused to does not hide what is asked about.
func TestWhatHappensInACase(t *testing.T) {
	t.Parallel()
	const (
		lease    = "The tenant pays 900 euros. If the tenant pays late, interest of four per cent is added."
		works    = "For each day of delay the Contractor pays 0.2 per cent. The gate was moved, as the road is narrow. The parts arrive in September. The tools are kept in Kiel."
		supply   = "구매자가 대금을 늦게 내면 이자를 더해 냅니다. 공급자는 매달 청구서를 보냅니다."
		festival = "축제는 강변 공원에서 열립니다. 무대는 18일부터 설치합니다."
		ill      = "If you are ill for 3 or more days in a row, give the people team a note."
		leave    = "연차는 쓰기 3일 전까지 신청합니다. 연차는 반차로 나누어 쓸 수 있습니다."
	)
	for _, c := range []struct{ passage, question, want string }{
		{lease, "What happens if the tenant pays late?", "four per cent"},
		{lease, "What happens if the tenant leaves late?", ""},
		{lease, "What happens if somebody doesn't pay the euros?", ""},
		{ill, "What happens if I am ill for more than three days?", "give the people team a note"},
		{ill, "What happens if I am sick for 5 days?", "give the people team a note"},
		{ill, "What happens if I am away for three days?", ""},
		{works, "What happens if the contractor is late?", "0.2 per cent"},
		{works, "Why was the gate moved?", "as the road"},
		{works, "Where are the tools now?", "Kiel"},
		{works, "Where are the parts?", ""},
		{supply, "구매자가 대금을 늦게 내면 어떻게 돼?", "이자를 더해"},
		{supply, "구매자가 검사를 늦게 하면 어떻게 돼?", ""},
		{festival, "축제는 어디서 열려?", "강변 공원"},
		{leave, "연차는 언제까지야?", "3일 전까지"},
		{leave, "연차는 언제까지 써야 해?", "3일 전까지"},
	} {
		resp, err := extractive.New().Generate(t.Context(), llm.Request{
			Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.User, Content: c.question}},
			Passages: []llm.Passage{{N: 1, Title: "기록 Notes", Text: c.passage}},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := resp.Message.Content
		if quoted := strings.Contains(got, "\n> "); quoted != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s is answered with %s", c.question, got)
		}
	}
}
