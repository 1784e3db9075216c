package rag_test

import (
	"slices"
	"strings"
	"testing"

	"maru/rag"
)

// TestSpoken: words with endings of speech are looked up by their noun, years by four digits.
func TestSpoken(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, index, question, noun, year string }{
		{"and", "헌법", "헌법이랑 관련 있나요?", "헌법", ""},
		{"to_someone", "유시민", "유시민한테도 뭐라고 했어?", "유시민", ""},
		{"side", "야당", "야당쪽은 뭐래?", "야당", ""},
		{"then", "경선", "경선때 후보는?", "경선", ""},
		{"hearsay_of_a_noun", "내각", "내각이었다던데 맞아?", "내각", ""},
		{"which_it_was", "작품", "첫 작품이었는지 알려줘", "작품", ""},
		{"quoted", "아프리카", "아프리카였다고 하던데", "아프리카", ""},
		{"verb_of_a_noun", "서명", "서명했다던데 언제?", "서명", ""},
		{"known_as_it_is", "헌법 헌법이", "헌법이랑 관련 있나요?", "", ""},
		{"bank_is_no_particle", "국민 하나", "국민은행 하나은행 계좌", "", ""},
		{"tree", "사과", "사과나무 심는 방법", "", ""},
		{"university", "고려", "고려대 주소", "", ""},
		{"who_asks", "공무원 학생", "공무원인데 학생인데요 학생입니다", "", ""},
		{"verb", "있다 넘겼다", "있다던데 넘겼다고 하던데", "", ""},
		{"year", "", "85년 시즌 성적", "", "1985"},
		{"decade", "", "80년대에 나온 투수", "", "1980"},
		{"zero", "", "07년 대선 후보", "", "2007"},
		{"this_century", "", "16년도 예산", "", "2016"},
		{"length", "", "60년간 쓴 건물, 70년 동안", "", ""},
		{"age_of_a_building", "", "80년 된 건물", "", ""},
		{"long_ago", "", "80년 지난 나무", "", ""},
		{"service", "", "55년 근무한 사람", "", ""},
		{"age", "", "15년 근속 휴가", "", ""},
		{"four_digits", "", "1985년 시즌", "", ""},
		{"no_year", "", "85명 정원", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a rag.Analyzer
			words := a.Query(tt.question)
			new(rag.Thesaurus).Synonyms(words, func(term string) bool { return slices.Contains(strings.Fields(tt.index), term) }, false)
			noun, year := "", ""
			for _, w := range words {
				for _, s := range w.Same {
					noun += s.Words[0].Text
				}
				year += strings.Join(w.Split, "")
			}
			if noun != tt.noun || year != tt.year {
				t.Errorf("noun %q, year %q; want %q, %q", noun, year, tt.noun, tt.year)
			}
		})
	}
}
