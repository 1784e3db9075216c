package intent

import (
	"strings"

	"maru/phrase/pattern"
)

// asksPeopleEn matches English questions to somebody about what they do or did, about what has happened, or for company.
var asksPeopleEn = pattern.New(`(?i)^(?:(?:did|was|were|has|had|have)(?:n['’]t)?\s|(?:how|where|when|what)\s+(?:was|were|did)\s|shall\s+we\b|who\s+wants\b)|` +
	`\b(?:are|were|do|did|have|will|would)\s+you\b|\byours?\b|\b(?:any|some)(?:one|body)\b`)

// namesKo matches a person who is spoken to or about: "민수님", "김민수 씨는".
var namesKo = pattern.New(`(?:^|\s)[가-힣]{2,4}\s?(?:님|씨)(?:$|[,\s은는이가도])`)

// AsksPeople reports whether a question is about what the people in a conversation do, did or want, or about what has
// happened, rather than about what holds: "did you change your password?", "수습 끝났어?", "점심 뭐 먹을래?". It errs towards
// people: a question about the past of a rule is taken for one.
func AsksPeople(text string) bool {
	text = bare(text)
	if !hangul(text) {
		return asksPeopleEn.MatchString(text[len(opening.FindString(text)):])
	}
	if namesKo.MatchString(text) {
		return true
	}
	for _, end := range []string{"어", "지", "죠", "나", "니", "냐", "습니까", "는지", "래"} {
		before, ok := strings.CutSuffix(strings.TrimSuffix(text, "요"), end)
		switch final(before) {
		case 20: // ㅆ, of the past: not of 있 and 겠
			ok = ok && !strings.HasSuffix(before, "있") && !strings.HasSuffix(before, "겠")
		case 8: // ㄹ, of a wish: 먹을래, 갈래
			ok = ok && end == "래"
		default:
			ok = false
		}
		if ok {
			return true
		}
	}
	return false
}
