package extractive

import (
	"slices"

	"maru/agent/llm"
	"maru/rag"
)

// follow.go understands a question with the one before it: "그거 늦으면 어떻게 돼?" behind "잔금은
// 언제까지 지급해?" asks about the payment, though it does not say so.

var (
	// pointing are words that stand for what was said before, and openings that go on from it.
	pointing = expression(`(?i)(?:^|\s)(?:그건|그것\p{Hangul}*|그거\p{Hangul}*|그게|그때\p{Hangul}*|그\s+(?:조항|항목|기간|기한|금액|돈|비용|날짜|의무)\p{Hangul}*|이건|이것\p{Hangul}*|이거\p{Hangul}*|아까|방금|거기\p{Hangul}*|그럼|그러면|그렇다면|그리고|근데|그런데)(?:$|[\s,?])|` +
		`^\W*(?:and|then|so|also|but)\b|\b(?:what|how)\s+about\b|\b(?:that|it|its|it's|this|those|these|they|them)\b(?:\s*[?.!]*$|\s+(?:is|isn't|are|was|be|gets?|goes|ends?|comes?|costs?|takes?|happens?|does|doesn't|late|then|too|either)\b|'s\b)|\b(?:to|for|of|about|with|if|does|is|do|fix|before|after)\s+(?:that|it|this|those|these|they|them)\b`)
	// pointedAt is what a question points to by its kind: "그 금액은 언제 줘?"
	pointedAt = expression(`(?:^|\s)그\s+(?:조항|항목|기간|기한|금액|돈|비용|날짜|의무)\p{Hangul}*`)
	// onlyCase ends a question that goes on to another case: "그럼 반대로 내가 그만둘 때는?"
	onlyCase = expression(`(?:때|경우|면)(?:는|은|에는)?(?:요)?\s*[?]*\s*$`)
	// bare is a Korean question of one noun: "한도는?", "상한은 없어?".
	bare = expression(`^\s*\p{Hangul}{1,6}(?:은|는|이|가|도)(?:\s+(?:없|있|얼마|언제|몇|어떻|어때|뭐)\p{Hangul}*)?\s*\??\s*$`)
)

// carriedWeight is the weight of a word of the question before, of few: the new one counts more.
const carriedWeight = 0.5

// maxBack is how many questions back one may lean.
const maxBack = 4

// leansOn returns the question before, if this one points to it or says too little alone; where that leans
// itself, the nearest that does not.
func leansOn(question string, before []llm.Message) string {
	if !leans(question) {
		return ""
	}
	nearest, looked := "", 0
	for _, m := range slices.Backward(before) {
		if m.Role != llm.User {
			continue
		}
		q := rag.Unchatty(narrowed(m.Content))
		if nearest == "" {
			nearest = q
		}
		if !rag.BareVerb(q) {
			return q
		}
		if looked++; looked == maxBack {
			break
		}
	}
	return nearest
}

// leans reports whether a question points to what was said before it, or says too little alone.
func leans(question string) bool {
	return pointing.MatchString(question) || bare.MatchString(question) || rag.BareVerb(question) || rag.BareCase(question) && asksLapse.MatchString(question)
}

// carried adds to the words of a question those of the one that it leans on. Nothing is
// demanded of a sentence because of them: people go on to another side of the matter.
func (a *ask) carried(want []wanted) []wanted {
	before := subject(a.leant)
	if light := predicates(words(a.question)); firm(before) > 0 && !onlyCase.MatchString(a.question) { // the verb alone said what is asked about; now something else does
		for i := range want {
			if light[want[i].stem] {
				want[i].weight = faint
			}
		}
	}
	own := len(want)
	for _, w := range before {
		if !slices.ContainsFunc(want, func(h wanted) bool { return h.stem == w.stem }) && len(want) < maxTerms {
			w.weight *= carriedWeight
			want = append(want, w)
		}
	}
	if most, more := together(want[:own]), together(want[own:]); firm(want[:own]) > 0 && more > most { // "소풍은 언제야?" behind a long task may be about something new
		for i := range want[own:] {
			want[own+i].weight *= most / more
		}
	}
	return want
}

// together is the weight of words together.
func together(list []wanted) float64 {
	total := 0.0
	for _, w := range list {
		total += w.weight
	}
	return total
}
