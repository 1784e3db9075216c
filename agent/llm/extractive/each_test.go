package extractive_test

import (
	"strings"
	"testing"
)

// TestEachOfSeveralDocuments: who asks of two contracts at once reads what each of them says, under its name, and
// who compares two of a contract's articles reads both.
func TestEachOfSeveralDocuments(t *testing.T) {
	t.Parallel()
	const (
		ko = "나래 계약서, 제2조(기간)\n기간은 6개월로 한다.\n\n나래 계약서, 제4조(지연)\n을이 늦으면 하루에 대금의 1,000분의 1을 낸다.\n\n" +
			"가람 계약서, 제2조(기간)\n기간은 2027년 1월 1일부터 2년으로 한다.\n\n가람 계약서, 제7조(해지)\n임차인이 차임을 두 번 밀리면 임대인은 해지할 수 있다."
		en = "narae-translation, Article 2 (Term)\nThe term is six months.\n\nnarae-translation, Article 4 (Delay)\nFor each day of delay the contractor pays 0.1 percent of the fee.\n\n" +
			"garam-lease, Article 2 (Term)\nThe term is two years from 1 January 2027.\n\ngaram-lease, Article 6 (Termination)\nThe landlord may terminate if the tenant is late with rent twice."
	)
	for _, c := range []struct {
		passages, question string
		says, not          []string
	}{
		{ko, "두 계약의 기간은?", []string{"**나래 계약서:**", "6개월", "**가람 계약서:**", "2년으로"}, []string{"해지할"}},
		{ko, "두 계약서의 기간을 비교해줘", []string{"6개월", "2년으로"}, []string{"해지할"}},
		{ko, "가람이랑 나래 계약서의 기간은?", []string{"6개월", "2년으로"}, []string{"해지할"}},
		{ko, "두 계약에서 늦으면 각각 어떻게 돼?", []string{"1,000분의 1", "**가람 계약서:**", "해지할"}, nil},
		{en, "What is the term of each contract?", []string{"**narae-translation:**", "six months", "**garam-lease:**", "two years"}, []string{"delay"}},
		{en, "Compare the term of both contracts", []string{"six months", "two years"}, []string{"delay"}},
		{en, "Compare the term of Garam and Narae", []string{"six months", "two years"}, []string{"delay"}},
		{ko, "나래 계약서의 기간은?", []string{"6개월"}, []string{"**가람 계약서:**"}},
		{ko, "제7조하고 제4조 비교해줘", []string{"해지할", "1,000분의 1"}, nil},
		{ko, "제7조와 제4조가 어떻게 다른가요?", []string{"해지할", "1,000분의 1"}, nil},
	} {
		got := asks(t, exchange{c.passages, "", c.question, ""})
		for _, want := range c.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not say %q: %s", c.question, want, got)
			}
		}
		for _, no := range c.not {
			if strings.Contains(got, no) {
				t.Errorf("%s says %q: %s", c.question, no, got)
			}
		}
	}
}
