package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

// fact is a question for one fact of a passage, and what is quoted of it; nothing where the passage says
// other things of what is named.
type fact struct{ passage, question, want string }

// expectFacts asks each question by itself: the built-in model declines, and answers where the fact stands.
func expectFacts(t *testing.T, facts []fact) {
	t.Helper()
	for _, tc := range facts {
		got := factOf(t, "기록 Notes", tc.passage, tc.question)
		switch quoted := strings.Contains(got, "\n> "); {
		case tc.want == "" && quoted:
			t.Errorf("%s answered with %s", tc.question, got)
		case tc.want != "" && !strings.Contains(got, tc.want):
			t.Errorf("%s wants %q, got %s", tc.question, tc.want, got)
		}
	}
}

// factOf is the answer from one passage.
func factOf(t *testing.T, title, passage, question string) string {
	t.Helper()
	resp, err := extractive.New().Generate(t.Context(), llm.Request{
		Purpose:  llm.ForAnswer,
		Messages: []llm.Message{{Role: llm.User, Content: question}},
		Passages: []llm.Passage{{N: 1, Title: title, Text: passage}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Message.Content
}

func TestFactsThatAreMissing(t *testing.T) {
	t.Parallel()
	const (
		server = "결제 서버가 3월 14일 오전 9시 20분에 응답을 멈췄습니다. 한도현 팀장이 서버를 다시 시작했습니다. 연결 풀이 가득 찼기 때문입니다."
		house  = "누리상회는 1998년에 박정호가 세웠습니다. 2014년 본사를 서울로 옮겼습니다. 직원은 네 명이었습니다."
		banner = "광고 배너를 없애기로 했습니다. 누르는 사람이 적고 화면이 느려지기 때문입니다. 검색창은 아래로 내립니다."
		claims = "22시 이후에 퇴근하면 택시비를 청구할 수 있습니다. 개인 카드로 쓴 비용은 30일 안에 청구하세요."
		days   = "5월 1일 근로자의 날과 10월 1일 회사 창립 기념일도 유급 휴일입니다. 고객 지원팀은 당번을 정합니다."
		pay    = "급여는 매달 25일에 지급합니다. 인사팀이 명세서를 보냅니다. 자전거는 지하 1층 보관소에 둡니다. 회의실은 20명이 씁니다."
		terms  = "발주사가 대금을 늦게 내면 한 달에 1%의 이자를 냅니다. 공급사는 매달 말에 청구서를 보냅니다. 디자인은 마루야마 겐이 그렸습니다."
		fired  = "차범근 감독은 1994년에 성적 부진으로 경질되어 팀에서 물러났습니다. 프랭키 발리는 그 곡을 부른 뒤 쉬었습니다."
		shelf  = "악보는 2019년부터 모으기 시작했습니다. 점자책은 신청하면 사흘 안에 준비합니다. 프린터는 한 장에 50원입니다. 10월에 총회를 열고 회비를 올렸습니다. 반납함은 정문 오른쪽에 있습니다."
		market = "꿀은 동네 장터에 내다 팝니다. 여왕벌은 보은의 양봉장에서 사 왔습니다. 설탕물은 사흘에 한 번 줍니다. 상인회는 사무실을 강당 2층으로 옮겼습니다. 회장은 배은실 씨입니다."
	)
	expectFacts(t, []fact{
		{shelf, "악보는 어디에 있어?", ""},
		{shelf, "점자책은 어디서 받아요?", ""},
		{shelf, "프린터 어디 있어?", ""},
		{shelf, "총회는 어디서 열었어?", ""},
		{shelf, "반납함은 어디야?", "정문 오른쪽"},
		{market, "꿀은 어디에서 팔아?", "동네 장터"},
		{market, "여왕벌은 어디서 사 왔어?", "보은"},
		{market, "설탕물은 어디서 사?", ""},
		{market, "상인회는 사무실을 어디로 옮겼어?", "강당 2층"},
		{market, "회장은 어디에 살아?", ""},
		{days, "회사 창립자는 누구야?", ""},
		{days, "회사 창립 기념일은 언제야?", "10월 1일"},
		{pay, "급여는 누가 지급해?", ""},
		{pay, "명세서는 누가 보내?", "인사팀이"},
		{pay, "급여는 얼마나 나와?", ""},
		{pay, "자전거는 어디에 둬?", "보관소"},
		{pay, "보관소는 얼마나 커?", ""},
		{pay, "자전거는 몇 대까지 둬?", ""},
		{pay, "회의실은 몇 명이 써?", "20명"},
		{terms, "발주사가 대금을 늦게 내면 어떻게 돼?", "1%"},
		{terms, "공급사가 청구서를 늦게 보내면 이자가 얼마야?", ""},
		{terms, "디자인은 누가 그렸어?", "마루야마 겐이"},
		{fired, "차범근이 경질된 이유는?", "성적 부진으로"},
		{fired, "그 곡을 부른 가수는 누구야?", "프랭키 발리"},
		{house, "누리상회는 누가 세웠어?", "박정호"},
		{house, "누리상회는 누가 물려받았어?", ""},
		{house, "본사는 언제 서울로 옮겼지?", "2014년"},
		{house, "본사를 왜 서울로 옮겼어?", ""},
		{house, "누리상회는 누가 인수했어?", ""},
		{server, "결제 서버는 언제 멈췄어?", "9시 20분"},
		{server, "결제 서버는 누가 만들었어?", ""},
		{banner, "광고 배너를 왜 없애기로 했어?", "느려지기 때문"},
		{banner, "검색창을 왜 아래로 내려?", ""},
		{claims, "비용은 언제까지 청구해야 해?", "30일 안에"},
	})
	// Beside the deadline nothing is quoted that only holds a figure.
	if got := factOf(t, "비용", claims, "비용은 언제까지 청구해야 해?"); strings.Contains(got, "택시") {
		t.Errorf("the line about taxis is no deadline: %s", got)
	}
}

func TestFactsThatAreMissingInEnglish(t *testing.T) {
	t.Parallel()
	const (
		dome   = "The observatory was built in 1927 by Edith Marlow. The mirror is recoated every four years. Visits are cancelled in strong wind, because the dome cannot be opened."
		desk   = "The contract with Deskly was signed by Jonas Berg on 4 December. Training is given over video calls."
		goods  = "The Buyer inspects the goods. A Buyer who pays late owes interest of one per cent. The Supplier issues invoices at the end of each month. The cores were drilled at four places."
		laptop = "Employees who worked for a year receive pay within 14 days. Passwords have at least 12 characters. At most 4,000 runners are admitted. Tell the people team 30 days ahead."
		pool   = "The roof was raised by two metres. The slide is checked every morning, since children use it most. Lockers need a coin. The pool has been open since May. It was bought in a sale. Clay is recycled to save money. Staff were asked to help."
	)
	expectFacts(t, []fact{
		{pool, "Why was the roof raised?", ""},
		{pool, "Why is the slide checked every morning?", "children use it"},
		{pool, "Can you tell me why lockers need a coin?", ""},
		{pool, "Why has the pool been open?", ""},
		{pool, "Why were staff asked to help?", ""},
		{pool, "Why is clay recycled?", "save money"},
		{pool, "Where was the slide bought?", ""},
		{pool, "Do you know where the lockers are?", ""},
		{goods, "Who inspects the goods?", "The Buyer inspects"},
		{goods, "Who drilled the cores?", ""},
		{goods, "What happens if the buyer pays late?", "interest of one per cent"},
		{goods, "What happens if the supplier issues the invoice late?", ""},
		{goods, "How old is the Buyer?", ""},
		{laptop, "How many employees does the company have?", ""},
		{laptop, "How many people work here?", ""}, // the days of the people team are not people
		{laptop, "How many runners are admitted?", "4,000"},
		{laptop, "Why are passwords at least 12 characters long?", ""},
		{dome, "Who built the observatory?", "Edith Marlow"},
		{dome, "Who recoats the mirror?", ""},
		{dome, "Why are visits cancelled in strong wind?", "cannot be opened"},
		{dome, "Why was the observatory built?", ""},
		{dome, "When was the lighthouse built?", ""},
		{desk, "Who signed the contract with Deskly?", "Jonas Berg"},
		{desk, "Where was the contract with Deskly signed?", ""},
	})
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

// TestComparisonOfTwoDocuments quotes one sentence of each at least, also where those of one
// fit better.
func TestComparisonOfTwoDocuments(t *testing.T) {
	t.Parallel()
	resp, err := extractive.New().Generate(t.Context(), llm.Request{
		Purpose:  llm.ForAnswer,
		Messages: []llm.Message{{Role: llm.User, Content: "비밀유지는 표준계약서랑 비교하면 어때?"}},
		Passages: []llm.Passage{
			{N: 1, Title: "표준 용역계약서, 제11조(비밀유지)", Text: "① 두 당사자는 상대방의 비밀을 알리지 않는다.\n② 비밀유지 의무는 3년 동안 남는다.\n③ 다음 정보는 비밀로 보지 않는다."},
			{N: 2, Title: "개발계약서, 제8조(비밀유지)", Text: "양 당사자는 이 계약으로 안 비밀을 2년 동안 지킨다."},
		},
	}, nil)
	if err != nil || !strings.Contains(resp.Message.Content, "[1]") || !strings.Contains(resp.Message.Content, "2년 동안 지킨다. [2]") {
		t.Errorf("%v, %v", resp.Message.Content, err)
	}
}

// TestParagraphsAreNoOneSentence: an item without a stop ends where the next paragraph begins.
func TestParagraphsAreNoOneSentence(t *testing.T) {
	t.Parallel()
	for question, text := range map[string]string{
		"갑이 해지하려면 며칠 전에 알려야 해?":                                            "② 다음의 경우 바로 해지할 수 있다.\n1. 상대방이 비밀을 누설한 경우\n③ 갑은 30일 전에 서면으로 알리고 해지할 수 있다.",
		"How many days' written notice does the Client need to terminate?": "(2) A party may terminate at once if the other\n(a) breaches Article 11\n(3) The Client may terminate with 30 days' written notice.",
	} {
		resp, err := extractive.New().Generate(t.Context(), llm.Request{
			Purpose:  llm.ForAnswer,
			Messages: []llm.Message{{Role: llm.User, Content: question}},
			Passages: []llm.Passage{{N: 1, Title: "계약서, 해지 (Termination)", Text: text}},
		}, nil)
		if got := resp.Message.Content; err != nil || !strings.Contains(got, "30") || strings.Contains(got, "누설한 경우 ③") || strings.Contains(got, "Article 11 (3)") {
			t.Errorf("%s: %v, %v", question, got, err)
		}
	}
}

// TestShownAndAskedNothing: who shows a contract is told what it has, and given no sentence of it
// as an answer; with a question beside the wish the question is answered.
func TestShownAndAskedNothing(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"이 계약서 봐줘": "읽었어요", "계약서 먼저 확인해 주세요": "읽었어요", "please look at this contract": "I have read it",
		"이 계약서 봐줘. 대금이 얼마야?":           "3,000만 원",
		"이거 봐줘\n(shared files: a.pdf)": "읽었어요", "Look at this\n(shared files: Orbit agreement.txt)": "I have read it",
		"(shared files: Orbit agreement.txt)": "I have read it", "Here it is, how much is the 대금?\n(shared files: a.pdf)": "3,000만 원",
	} {
		resp, err := extractive.New().Generate(t.Context(), llm.Request{
			Purpose:  llm.ForAnswer,
			Messages: []llm.Message{{Role: llm.User, Content: question}},
			Passages: []llm.Passage{{N: 1, Title: "계약서, 제5조(대금)", Text: "대금은 3,000만 원으로 한다."}},
		}, nil)
		if err != nil || !strings.Contains(resp.Message.Content, want) {
			t.Errorf("%s: %v, %v", question, resp.Message.Content, err)
		}
	}
}
