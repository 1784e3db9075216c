package rag_test

import (
	"slices"
	"testing"

	"maru/rag"
)

// TestSynonyms: another word stands in only for a word that the collection lacks.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		question string
		has      string // what the collection says
		want     []string
	}{
		"korean":                {"월급날이 언제야?", "급여일은 25일", []string{"급여일"}},
		"the_word_itself":       {"월급날이 언제야?", "급여일은 월급날", nil},
		"nothing_fits":          {"월급날이 언제야?", "연차 휴가", nil},
		"ending_of_a_verb":      {"사원증 잃어버렸는데", "분실 신고", []string{"분실"}},
		"itself_with_an_ending": {"노트북 고장났는데", "고장 수리", []string{"고장", "수리"}},
		"another_thing":         {"등록금은 얼마예요?", "면담 신청", nil},
		"another_with_an_end":   {"아이폰으로 되나요?", "자녀", nil},
		"money_of_the_thing":    {"환불금은 언제 들어와요?", "refund", []string{"refund"}},
		"ticket_of_the_thing":   {"주차권은 어디서 받아요?", "주차장", []string{"주차장"}},
		"money_lent":            {"대출금은 언제 갚아요?", "융자", []string{"융자"}},
		"english":               {"When is my paycheck coming?", "Your salary arrives", []string{"salari"}},
		"phrase":                {"how do I turn up the heat", "people appear", []string{"appear"}},
		"phrase_over_a_break":   {"is it my turn? Up there", "people appear", nil},
		"wider_word":            {"에어컨 고장", "냉난방", []string{"냉난방"}},
		"not_the_narrower":      {"냉난방", "에어컨", nil},
		"translation":           {"How much is the deposit?", "보증금 오천만 원", []string{"보증금"}},
		"translation_back":      {"연체료는 얼마야?", "a late fee of $40", []string{"late", "fee"}},
		"never_within_one":      {"촬영은 누가 책임져?", "책임을 묻지 않는다", nil},
		"phrase_for_the_other":  {"애기 낳으면 육휴", "육아 휴직", []string{"육아", "휴직"}},
	} {
		var a rag.Analyzer
		holds := map[string]bool{}
		a.Document(c.has, func(term []byte) { holds[string(term)] = true })
		words := a.Query(c.question)
		rag.Synonyms(words, func(term string) bool { return holds[term] })
		var got []string
		for _, w := range words {
			for _, s := range w.Same {
				for _, o := range s.Words {
					if !slices.Contains(got, o.Terms[0]) {
						got = append(got, o.Terms[0])
					}
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q for %q, want %q", name, got, c.question, c.want)
		}
	}
}
