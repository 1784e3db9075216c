package answer_test

import (
	"strings"
	"testing"

	"maru/rag/answer"
)

// TestThing: a passage that lacks a noun of what a short question names is about another thing; the value's own noun may be left out.
func TestThing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ question, text, want string }{
		{"What is the laptop stipend?", "We offer a coworking stipend of $200 a month.", ""},
		{"What is the coworking stipend?", "We offer a coworking stipend of $200 a month.", "$200"},
		{"how much is the signing bonus?", "We offer a $5,000 referral bonus for any new hire.", ""},
		{"When was the lighthouse built?", "It was built in 1927 by the architect Edith Marlow.", ""},
		{"When was the hall built?", "The hall was built in 1927 by the architect Edith Marlow.", "1927"},
		{"When does the cafe open?", "The library opens at nine. The pool opens at ten.", ""},
		{"임채린 출연료는 얼마야?", "그중 출연료가 300만 원입니다.", ""},
		{"팀 회식비 금액이 얼마야?", "팀 회식비는 한 사람당 매달 5만 원입니다.", "5만 원"},
		{"외부강의는 1년에 몇 번까지 들을 수 있어?", "휴가는 1년에 총 15일이고 네 번에 나눠 지급해요.", ""},
		{"What is the vacation policy?", "Full-time staff take 25 vacation days a year.", "25"},
		{"출장 숙박비 상한이 얼마야?", "출장 중 숙박비는 하루 10만 원까지다.", "10만"},
		{"출장 규정이 뭐야?", "출장은 일주일 전에 신청한다.", "일주일"},
		{"8명 들어가는 회의실은 어디야?", "회의실: 설악 | 층: 4층 | 인원: 8명 | 장비: 화상 회의", "설악"},
		{"How many days does a refund take?", "You can take up to 10 days of paid sick leave a year.", ""},
		{"How many days does a refund take?", "A refund takes 5 working days.", "5"},
		{"do we get free parking?", "Visitors park free of charge. Parking for staff is free.", "free"},
		{"do we get October 1 off?", "The company is closed on October 1, its foundation day.", "October 1"},
		{"can I have a day off on my birthday?", "Everyone has half a day off on their birthday.", "birthday"},
		{"do we have somewhere to park bikes?", "Bikes park in the basement.", "basement"},
		{"do you have a delayed start function?", "A delayed start of up to 24 hours can be set.", "24 hours"},
		{"택시비 지원 있어?", "야근하면 택시비를 3만 원까지 지급합니다.", "3만"},
		{"안식휴가 있어요?", "5년을 일하면 안식 휴가를 한 달 쓴다.", "안식"},
		{"경조휴가 있어?", "본인 결혼에는 경조 휴가 5일을 준다.", "5일"},
		{"사내 도서관 있어?", "사내 도서관은 3층에 있다.", "3층"},
		{"휴가는 1년에 며칠까지 쓸 수 있어?", "휴가는 1년에 총 15일이고 네 번에 나눠 지급해요.", "15일"},
	} {
		var got strings.Builder
		for _, s := range answer.Best(c.question, "", []answer.Passage{{N: 1, Text: c.text}}) {
			got.WriteString(s.Text)
		}
		if c.want == "" && got.Len() > 0 || !strings.Contains(got.String(), c.want) {
			t.Errorf("%q is answered %q, want %q", c.question, got.String(), c.want)
		}
	}
}

// TestTermOfStatute: a statute that limits how long leases may last has no term, and a period of anything is none of a contract.
func TestTermOfStatute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, title, text string
		quoted                bool
	}{
		{"임대차 계약 기간은 얼마야?", "주택법 › 제78조 (임대차)", "토지에 대한 임대차기간은 40년 이내로 한다.", false},
		{"임대차 계약 기간은 얼마야?", "사무실 임대차 계약서", "임대차기간은 2년으로 한다.", true},
		{"주택법에서 임대차 기간은 몇 년이야?", "주택법 › 제78조 (임대차)", "토지에 대한 임대차기간은 40년 이내로 한다.", true},
		{"임대차 계약 기간은 얼마야?", "주택임대차보호법(법률)", "제4조(임대차기간 등) 임대차기간은 2년으로 본다.", false},
		{"How long does the lease last?", "Tenancies Act 2016", "A lease begins on the first and continues for a period of three years.", false},
		{"How long does the lease last?", "Lease › Act of God", "The lease begins on January 1 2026 and continues for a period of three years.", true},
		{"계약은 언제까지야?", "용역계약서 › 제5조 해지 방법", "계약기간은 2026년 1월 1일부터 2027년 12월 31일까지로 한다.", true},
		{"계약은 언제까지야?", "㈜한국서법 용역계약서 › 제5조", "계약기간은 2026년 1월 1일부터 2027년 12월 31일까지로 한다.", true},
		{"계약은 언제 끝나?", "할부거래 안내", "계약을 체결한 날의 전월 말일까지 받은 선수금은 제27조에 따라 보전한다.", false},
		{"What is the term of the Larch agreement?", "Larch agreement", "This agreement runs until 31 May 2027.", true},
	} {
		if got := answer.Best(c.question, "", []answer.Passage{{N: 1, Title: c.title, Text: c.text}}); len(got) > 0 != c.quoted {
			t.Errorf("%q is answered %v from %q", c.question, got, c.title)
		}
	}
}

// TestLead: a line that introduces a list, or stands over a paragraph, belongs to what is below it.
func TestLead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ question, text, want string }{
		{"경조휴가 출산은 며칠이야?", "휴가는 1년에 15일 지급해요\n경조휴가는 다음과 같이 지급해요\n결혼 : 5일\n출산 : 10일", "출산 : 10일"},
		{"육군 현역병 복무기간은 얼마야?", "현역병의 복무기간은 다음과 같다.\n해군: 2년 2개월\n육군: 2년\n공군: 2년 4개월", "육군: 2년"},
		{"접속기록은 얼마나 보관해?", "접속기록의 보관 및 위변조 방지\n시스템에 접속한 내역을 최소 2년 이상 보관하며 분실되지 않도록 관리하고 있습니다.", "최소 2년"},
	} {
		got := answer.Best(c.question, "", []answer.Passage{{N: 1, Text: c.text}})
		if len(got) == 0 || !strings.Contains(got[0].Text, c.want) {
			t.Errorf("%q is answered %v, want %q", c.question, got, c.want)
		}
	}
}
