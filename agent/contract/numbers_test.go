package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm/extractive"
)

// feesEn numbers the paragraphs of its articles by the article: 2.1, 2.2.
const feesEn = `Article 1 Purpose
The Supplier builds a web shop for the Client.

Article 2 Fees
2.1 The fee is 40,000 euros.
2.2 The Client pays 25% in advance within ten days of signing.

Article 3 Late payment
Late sums bear interest of 9% a year.

Article 4 Confidentiality
(1) Each party keeps the other's information secret.
(2) This duty lasts for three years.
`

// TestPartsByNumber: who asks for parts of a contract and nothing else gets all of them,
// however they write the numbers and whatever they asked before.
func TestPartsByNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, question, says, not string }{
		{"ko", leaseKo, "제2조부터 제7조까지", "2027년 3월 31일|3,000만 원|선금 50퍼센트|5년 동안|위약벌", "7일 전"},
		{"ko", leaseKo, "제2조와 제9조", "2027년 3월 31일|7일 전", "3,000만"},
		{"ko", leaseKo, "제오조 알려줘", "3,000만 원|선금 50퍼센트", "2027년"},
		{"ko", strings.Replace(leaseKo, "제7조", "제5조의2", 1), "제5의2조", "5년 동안", "3,000만"},
		{"en", feesEn, "clause 2.2", "25% in advance", "40,000|no paragraph"},
		{"en", feesEn, "Article 2(1)", "40,000", "25%|no paragraph"},
		{"en", feesEn, "Section 2.7", "Article 2 of “Fees agreement” has no paragraph (7)", ""},
		{"en", feesEn, "Articles 2 to 4", "40,000|25% in advance|9% a year|secret|three years", "web shop"},
		{"en", feesEn, "articles 1 and 3", "web shop|9% a year", "40,000"},
		{"en", feesEn, "What does Article IV say?", "secret|three years", "9%"},
		{"en", feesEn, "Article three", "9% a year", "secret"},
		{"en", feesEn, "Art. 3", "9% a year", "secret"},
	} {
		d := newDesk(t, extractive.New())
		name := map[string]string{"ko": "개발 계약서.txt", "en": "Fees agreement.txt"}[c.language]
		d.add(home, name, c.text)
		for _, before := range []string{"", map[string]string{"ko": "제5조 제1항", "en": "Article 3"}[c.language]} {
			if before != "" {
				d.ask(before, c.language)
			}
			got := d.ask(c.question, c.language).Text
			for _, want := range strings.Split(c.says, "|") {
				if !strings.Contains(got, want) {
					t.Errorf("%s (after %q): no %q in %q", c.question, before, want, got)
				}
			}
			for _, not := range strings.Split(c.not, "|") {
				if not != "" && strings.Contains(got, not) {
					t.Errorf("%s (after %q): %q in %q", c.question, before, not, got)
				}
			}
		}
	}
}
