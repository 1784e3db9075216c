package answer

import (
	"strings"
	"testing"
)

func TestBands(t *testing.T) {
	t.Parallel()
	for cell, c := range map[string]struct {
		in, out []string // questions whose amount the band holds, and does not
	}{
		"3 years to less than 5 years": {[]string{"after 4 years", "with 3 years of service"}, []string{"after 5 years", "2 years"}},
		"3–5 years":                    {[]string{"after 5 years?"}, []string{"after 6 years?"}},
		"Less than 1 year":             {nil, []string{"after 1 year"}},
		"21 years or more":             {[]string{"for 21 years", "30 years"}, []string{"20 years"}},
		"up to 10 people":              {[]string{"a room for 10 people", "8 guests"}, []string{"for 12 people"}},
		"over $500":                    {[]string{"a $600 flight", "501 dollars"}, []string{"costs $500", "costs 100 dollars"}},
		"5년 이상 7년 미만":                  {[]string{"5년 일하면", "근속 6년이면"}, []string{"7년 일하면", "4년이면"}},
		"10만 원 초과":                     {[]string{"15만원짜리", "150,000원을 쓰면"}, []string{"10만 원이면", "5만원"}},
		"10만 원 이하":                     {[]string{"10만 원이면"}, []string{"15만원짜리"}},
		"5인 이하":                        {[]string{"5명이 쓰려면"}, []string{"6명이 쓰려면"}},
		"3개월 미만":                       {[]string{"2개월 다니면"}, []string{"3개월 다니면"}},
	} {
		b, ok := bandOf(cell)
		if !ok {
			t.Errorf("%q is no band", cell)
			continue
		}
		for _, list := range []struct {
			questions []string
			want      bool
		}{{c.in, true}, {c.out, false}} {
			for _, q := range list.questions {
				n, named := askedSums(q)[b.unit]
				if !named || b.holds(n) != list.want {
					t.Errorf("%q holds %q (%v of %q, named %v): want %v", cell, q, n, b.unit, named, list.want)
				}
			}
		}
	}
	for _, cell := range []string{"Seoul", "2 days", "15 days a year and 3 more", "Form 3 to be sent within 5 days", "1인당 5만 원 이하", "A to B"} {
		if b, ok := bandOf(cell); ok {
			t.Errorf("%q is a band: %+v", cell, b)
		}
	}
	for _, q := range []string{"7년차면 며칠이야", "2026년 연차", "12월 3일에 쉬어?", "3일 내면 4일 쉬어?", "in 2026"} {
		if asked := askedSums(q); len(asked) > 0 {
			t.Errorf("%q names %v", q, asked)
		}
	}
}

// TestBandOfTheAmount: of a table with bands the row that holds the amount answers, and no other.
func TestBandOfTheAmount(t *testing.T) {
	t.Parallel()
	leave := Passage{N: 1, Title: "Annual leave › How many days of annual leave you have", Text: "Length of service: 1 year to less than 3 years | Days of annual leave: 15 days\nLength of service: 3 years to less than 5 years | Days of annual leave: 16 days\nLength of service: 5 years to less than 7 years | Days of annual leave: 17 days"}
	gifts := Passage{N: 1, Title: "선물 › 신고", Text: "금액: 5만 원 이하 | 선물 신고: 필요 없음\n금액: 5만 원 초과 10만 원 이하 | 선물 신고: 팀장에게\n금액: 10만 원 초과 | 선물 신고: 감사팀에게"}
	for question, c := range map[string]struct {
		passage Passage
		want    string
	}{
		"how many days of annual leave after 4 years?":      {leave, "16 days"},
		"How many days of annual leave do I get at 6 years": {leave, "17 days"},
		"7만원 선물은 누구에게 신고해?":                                 {gifts, "팀장에게"},
		"20만 원 선물 신고는 어디에?":                                 {gifts, "감사팀에게"},
	} {
		got := Best(question, "", []Passage{c.passage})
		if len(got) == 0 || !strings.Contains(got[0].Text, c.want) || len(got) > 1 {
			t.Errorf("%q: %v, want %q alone", question, got, c.want)
		}
	}
	// Words that compare make a limit of the amount: all rows are as before.
	for _, question := range []string{"선물이 10만 원 초과면 누구에게 신고해?", "5년 미만이면 연차 며칠이야?", "who approves expenses over $500?", "25일에 휴가 가면 누가 승인해?"} {
		if asked := askedSums(question); len(asked) > 0 {
			t.Errorf("%q names %v", question, asked)
		}
	}
}
