package rag_test

import (
	"slices"
	"strings"
	"testing"

	"maru/rag"
)

// TestCompounds: what a question writes as one word or two is found either way.
func TestCompounds(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, index, question, split, joined string }{
		{"one_word_for_two", "육아 휴직", "육아휴직 기간은?", "육아 휴직", ""},
		{"particle_is_no_part", "육아 휴직", "육아휴직은 얼마나 돼?", "육아 휴직", ""},
		{"one_word_for_three", "배우자 출산 휴가", "배우자출산휴가 며칠이야?", "배우자 출산 휴가", ""},
		{"fewest_parts", "초과 근무 수당 초과근무", "초과근무수당은?", "초과근무 수당", ""},
		{"known_stays_whole", "육아휴직 육아 휴직", "육아휴직 기간은?", "", ""},
		{"unknown_part", "육아", "육아휴직 기간은?", "", ""},
		{"too_short", "식대 비용", "식대비 얼마야?", "", ""},
		{"long_names_stay_whole", "소방 시설 공사업법 시행 규칙", "소방시설공사업법시행규칙 알려줘", "", ""},
		{"two_words_for_one", "육아휴직", "육아 휴직 기간은?", "", "육아휴직"},
		{"two_known_words", "육아휴직 육아 휴직", "육아 휴직 기간은?", "", ""},
		{"particle_between", "휴직급여", "휴직은 급여 나와?", "", ""},
		{"sentence_between", "휴직급여", "휴직. 급여는?", "", ""},
		{"english_is_left_alone", "parental leave", "parentalleave", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a rag.Analyzer
			words := a.Query(tt.question)
			rag.Compounds(words, func(term string) bool { return slices.Contains(strings.Fields(tt.index), term) })
			var split []string
			joined := ""
			for _, w := range words {
				split = append(split, w.Split...)
				joined += w.Joined
			}
			if got := strings.Join(split, " "); got != tt.split || joined != tt.joined {
				t.Errorf("split %q, joined %q; want %q, %q", got, joined, tt.split, tt.joined)
			}
		})
	}
}

// TestCompoundsAreBounded: a pasted text does not cost a look-up a word.
func TestCompoundsAreBounded(t *testing.T) {
	t.Parallel()
	var a rag.Analyzer
	words := a.Query(strings.Repeat("가나다라마바사 아자차카타파하 ", 1000))
	for i := range words {
		words[i].Sentence = 0
	}
	for len(words) < 3000 {
		words = append(words, words...)
	}
	asked := 0
	rag.Compounds(words, func(string) bool { asked++; return false })
	if asked > 1000 {
		t.Errorf("%d look-ups", asked)
	}
}
