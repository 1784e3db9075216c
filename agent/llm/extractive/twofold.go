package extractive

import (
	"sort"
	"strings"
)

// twofold.go answers two questions in one, "보증금 얼마고 언제 내?", "How much is the deposit and when is it
// paid?", each by itself: a sentence that has all words of both is seldom there.

// twofoldKo and twofoldEn are the two questions.
var (
	twofoldKo = expression(`^(.*(?:얼마|언제|누구|누가|어디|며칠|무엇|뭐|몇\s?\p{Hangul}{1,3})(?:\s?\p{Hangul}+){0,2}?)(?:이고|이며|고|며|랑|하고)[,\s]\s*(\S.*)$`)
	twofoldEn = expression(`(?i)^(\W*(?:and\s+|so\s+)?(?:how|what|when|who|where|which|why|is|are|do|does|can|may|must)\b.*?),?\s+and\s+((?:(?:by|from|until|for)\s+)?(?:when|how|who|where|what|why|which|is\s+(?:it|there)|do\s+(?:we|i)|can\s+(?:we|i|they))\b.*)$`)
)

// reportedKo ends what somebody said or thinks, behind which no second question stands: "누구와 연루됐다고 주장했어?"
var reportedKo = expression(`(?:[다라냐자]|까)$`)

// bothOf are the sentences that answer both of two questions in one, in the order of the passages; none if it is
// one question, or one of the two has no answer.
func (a *ask) bothOf() []candidate {
	m := twofoldKo.FindStringSubmatch(a.question)
	if m == nil {
		m = twofoldEn.FindStringSubmatch(a.question)
	}
	if m == nil || compares.MatchString(a.question) || reportedKo.MatchString(m[1]) {
		return nil
	}
	first, second := *a, *a
	asks := ""
	if strings.HasSuffix(m[1], "하") || strings.HasSuffix(m[1], "되") {
		asks = "나요" // of "며칠까지 가능하고"
	}
	first.question, second.question = m[1]+asks+"?", m[2]
	second.leant = m[1] // "and when is it paid?"
	out, lacks := first.told()
	more, lacksToo := second.told()
	if len(out) == 0 || len(more) == 0 || lacks != nil || lacksToo != nil {
		return nil
	}
	out = out[:min(len(out), maxOfTwo)]
	for _, c := range more[:min(len(more), maxOfTwo)] {
		if !repeats(out, c) {
			out = append(out, c)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].order < out[j].order })
	return out
}

// maxOfTwo bounds the sentences for each of two questions.
const maxOfTwo = 2
