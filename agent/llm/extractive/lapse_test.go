package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

// exchange is a conversation about documents: what was asked first, then what is asked now.
type exchange struct{ documents, first, question, want string }

// asks runs both questions and returns what is quoted for the second.
func asks(t *testing.T, c exchange) string {
	t.Helper()
	var passages []llm.Passage
	for part := range strings.SplitSeq(c.documents, "\n\n") {
		title, text, _ := strings.Cut(part, "\n")
		passages = append(passages, llm.Passage{N: len(passages) + 1, Title: title, Text: text})
	}
	var said []llm.Message
	for _, q := range []string{c.first, c.question} {
		if q == "" {
			continue
		}
		said = append(said, llm.Message{Role: llm.User, Content: q})
		resp, err := extractive.New().Generate(t.Context(), llm.Request{Purpose: llm.ForAnswer, Messages: said, Passages: passages}, nil)
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, resp.Message)
	}
	return said[len(said)-1].Content
}

// expect asks, and checks that what is wanted is quoted, in so many sentences unless 0 is said, or
// that nothing is.
func expect(t *testing.T, c exchange, sentences int) (got string) {
	t.Helper()
	got = asks(t, c)
	n := strings.Count(got, "\n> ")
	if (n > 0) != (c.want != "") || n > 0 && sentences > 0 && n != sentences || !strings.Contains(got, c.want) {
		t.Errorf("%s %s is answered with %s", c.first, c.question, got)
	}
	return got
}

func TestWhatIfItIsNotDone(t *testing.T) {
	t.Parallel()
	const (
		supply = "물품 계약, 제2조(대금)\n구매자는 물품을 받은 날부터 20일 이내에 대금을 지급한다.\n\n" +
			"물품 계약, 제3조(지연)\n대금 지급이 늦으면 연 6%의 지연이자를 더한다.\n\n" +
			"물품 계약, 제4조(납품)\n공급자는 주문한 물품을 30일 이내에 납품한다. 공급자가 이를 넘기면 하루에 0.1%를 배상한다.\n\n" +
			"물품 계약, 제5조(보관)\n구매자는 상자를 5일 이내에 돌려준다."
		rent = "임대차, 제4조(차임)\n임차인은 매월 5일까지 차임을 보낸다. 올린 뒤 1년 안에는 다시 올릴 수 없다.\n\n" +
			"임대차, 제6조(지연)\n임차인이 차임을 제때 내지 않으면 연 8%의 이자를 더한다.\n임대인이 제4조 제3항의 기한 안에 보증금을 돌려주지 않으면 연 9%의 이자를 더한다."
		works = "용역, 제2조(일정)\n작업자는 4월 30일까지 완성 원고를 보낸다.\n의뢰인은 초벌 번역을 받고 2주 안에 의견을 준다.\n\n" +
			"용역, 제3조(번역료)\n의뢰인은 완성 원고를 받은 날부터 30일 이내에 번역료를 준다.\n\n" +
			"용역, 제4조(마감을 어긴 경우)\n작업자가 완성 원고를 늦게 보내면 하루에 0.5%를 뺀다.\n의뢰인이 번역료를 제때 주지 않으면 연 12%의 이자를 더한다."
		annex   = "Hosting, 7 (Calls)\n7.1 The host answers a call within one hour. Details are in Annex A.\n7.2 If the host does not answer a call in time, it pays 30 euros."
		hosting = "Hosting, 3 (Reports)\nThe Host reports an outage within two hours. If it does not, it grants a credit of 40 euros.\n\n" +
			"Hosting, 4 (Bills)\nBills are due 14 days after receipt.\n\n" +
			"Hosting, 5 (Overdue sums)\nSums not paid when due bear interest of 7 per cent.\n\n" +
			"Hosting, 6 (Backups)\nThe Host makes a backup every night."
	)
	for _, c := range []exchange{
		{supply, "대금은 언제까지 다 내야 해?", "그거 늦으면 어떻게 돼?", "연 6%"},
		{supply, "대금은 언제까지 다 내야 해?", "안 내면 어떻게 되나요?", "연 6%"},
		{supply, "물품은 언제까지 납품해?", "그 기한을 넘기면요?", "0.1%"},
		{supply, "대금을 늦게 내면 어떻게 돼?", "그럼 반대로 공급자가 늦으면?", "0.1%"},
		{supply, "상자는 언제까지 돌려줘?", "그거 늦으면 어떻게 돼?", ""},
		{rent, "차임은 언제까지 내야 해?", "그거 늦으면 어떻게 돼?", "연 8%"},
		{rent, "차임을 늦게 내면 어떻게 돼?", "그럼 반대로 내가 보증금을 늦게 받으면?", "연 9%"},
		{supply, "상자는 언제까지 돌려줘?", "안 돌려주면?", ""},
		{hosting, "How soon does the host report an outage?", "What if they miss it?", "40 euros"},
		{hosting, "How soon does the host report an outage?", "And if they don't?", "40 euros"},
		{works, "번역료는 언제 줘?", "그거 늦게 주면 어떻게 돼?", "연 12%"},
		{works, "의견은 언제까지 줘야 해?", "안 주면 어떻게 돼?", ""},
		{annex, "How soon does the host answer a call?", "What if they miss it?", "\n> 7.2 If the host"},
		{hosting, "When are bills due?", "What if we're late with it?", "7 per cent"},
		{hosting, "How often does the host make a backup?", "And what if they miss that?", ""},
	} {
		if got := expect(t, c, 0); strings.Contains(got, "8%") && strings.Contains(got, "9%") {
			t.Errorf("%s: both parties' lapses are told: %s", c.question, got)
		}
	}
}

func TestTwoThingsOfOneDocument(t *testing.T) {
	t.Parallel()
	const (
		work  = "근로 계약, 제8조(휴가)\n연차는 1년에 15일을 준다.\n\n근로 계약, 제9조(병가)\n병가는 1년에 30일까지 쓸 수 있다."
		rules = "Rules, 2 (Renewal)\nThe contract renews for a year.\n\nRules, 3 (Deposit)\nThe deposit is 900 euros."
	)
	for _, c := range []exchange{
		{work, "", "연차랑 병가는 뭐가 달라?", "30일까지"},
		{work, "", "병가와 연차의 차이가 뭐예요?", "15일"},
		{work, "", "연차와 출장은 어떻게 달라?", ""},
		{rules, "", "How do renewal and deposit differ?", "900 euros"},
		{rules, "", "What's the difference between the deposit and the parking?", ""},
	} {
		expect(t, c, 2)
	}
}

func TestYesOrNoIsNotAnsweredByTheRest(t *testing.T) {
	t.Parallel()
	const (
		lease  = "임대 계약, 제4조(돈)\n보증금은 3,000만원이다. 임차인은 관리비로 매월 9만원을 낸다. 근무 장소는 제2공장이다. 기간은 같은 조건으로 1년 연장된 것으로 본다."
		vendor = "Terms, 2 (Money)\nThe vendor pays for the audit. Credits are granted for outages. The product works as described."
	)
	for _, c := range []exchange{
		{lease, "", "관리비에 청소비도 들어가?", ""},
		{lease, "", "재택근무 할 수 있어?", ""},
		{lease, "", "보증금은 얼마야?", "3,000만원"},
		{lease, "", "자동으로 연장돼?", "1년 연장"},
		{vendor, "", "Can we pay by credit card?", ""},
		{vendor, "", "Does the product work in Spanish?", ""},
		{vendor, "", "Who pays for travel?", ""},
		{vendor, "", "Who pays for the audit?", "The vendor pays"},
	} {
		expect(t, c, 0)
	}
}
