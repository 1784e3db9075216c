package extractive

import (
	"slices"

	"maru/agent/llm"
	"maru/phrase/correction"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/rag"
)

// pointing are words that stand for what was said before, and openings that go on from it: "그거 늦으면 어떻게
// 돼?" after "잔금은 언제까지 지급해?" asks about the payment, though it does not say so. A Korean question of one
// noun ("한도는?") leans on it as well.
var pointing = pattern.New(`(?i)(?:^|\s)(?:그건|그것\p{Hangul}*|그거\p{Hangul}*|그게|그때\p{Hangul}*|그\s+(?:조항|항목|기간|기한|금액|돈|비용|날짜|의무)\p{Hangul}*|이건|이것\p{Hangul}*|이거\p{Hangul}*|아까|방금|거기\p{Hangul}*|그럼|그러면|그렇다면|그리고|근데|그런데)(?:$|[\s,?])|` +
	`^\W*(?:and|then|so|also|but)\b|\b(?:what|how)\s+about\b|\b(?:that|it|its|it's|this|those|these|they|them)\b(?:\s*[?.!]*$|\s+(?:is|isn't|are|was|be|gets?|goes|ends?|comes?|costs?|takes?|happens?|does|doesn't|late|then|too|either)\b|'s\b)|\b(?:to|for|of|about|with|if|does|is|do|fix|before|after)\s+(?:that|it|this|those|these|they|them)\b|` +
	`^\s*\p{Hangul}{1,6}(?:은|는|이|가|도)(?:\s+(?:없|있|얼마|언제|몇|어떻|어때|뭐)\p{Hangul}*)?\s*\??\s*$`)

// corrected returns the previous question with the correction that a message makes to it ("no, I meant abroad"); "" if the message
// corrects no question.
func corrected(said string, before []llm.Message) string {
	var asked []string
	for _, m := range slices.Backward(before) {
		if m.Role == llm.User {
			asked = append(asked, rag.Unchatty(narrowed(intent.AfterCourtesy(m.Content))))
		}
	}
	whole, ok := correction.Whole(said, asked)
	if !ok {
		return ""
	}
	newest := slices.IndexFunc(asked, func(q string) bool { _, _, again := correction.Asked(q); return !again })
	if _, told := readStatement(asked[newest]); told {
		return ""
	}
	return whole
}

// leansOn returns the question before, if this one points to it or says too little alone; where that leans
// itself, the nearest that does not.
func leansOn(question string, before []llm.Message) string {
	if !pointing.MatchString(question) && !rag.BareVerb(question) {
		return ""
	}
	nearest := ""
	for _, m := range slices.Backward(before) {
		if m.Role == llm.User {
			nearest = rag.Unchatty(narrowed(intent.AfterCourtesy(m.Content)))
		}
		if nearest != "" && !rag.BareVerb(nearest) {
			break
		}
	}
	return nearest
}
