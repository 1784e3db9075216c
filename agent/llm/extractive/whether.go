package extractive

import (
	"maps"
	"strings"
)

// whether.go finds what a question for yes or no cannot do without: the card of "Can we pay by credit
// card?", the cleaning of "관리비에 청소비도 들어가?", the change of "보증금을 월세로 바꿀 수 있어?". What
// else is said of payments and deposits is neither yes nor no.

var (
	// whetherEn is a question for yes or no; whoseDeed asks who does it, and names the same things.
	whetherEn = expression(`(?i)^\W*(?:(?:and|but|so)\s+)?(?:is|are|was|were|do|does|did|can|could|may|might|will|would|shall|should|must|has|have|am)(?:n't)?\s`)
	whoseDeed = expression(`(?i)^\W*(?:and\s+|but\s+|so\s+)?who\s+[a-z]+s\b`)
	// meansEn is with what, in what or for what something is done, at the end of a question.
	meansEn   = expression(`(?i)\s(?:by|in|with|for|via|through)\s+(?:(?:an?|the|our|my|your|their|its|any|new|another)\s+)?([a-z][a-z-]+(?:\s+[a-z][a-z-]+)?)\s*[?.!]*\s*$`)
	ourEn     = expression(`(?i)\b(?:our|my|your|their)\s+([a-z][a-z-]+)`)
	someoneKo = expression(`누가|누구`)
	// topicOfKo is what a question is about by its particle; for who somebody is see [mustKo].
	topicOfKo = expression(`(?:^|\s)(\p{Hangul}{2,}?)(?:은|는)\s+(?:[^\s누]|누[^구]|누구(?:랑|와|하고|에게|한테|를|의))`)
	// tooKo is what is said to be among something; caseDeedKo is what is done in a case, as a noun.
	tooKo      = expression(`(\p{Hangul}{2,}?)(?:까지)?도\s`)
	caseDeedKo = expression(`(?:^|\s)(\p{Hangul}{2,}?)(?:하|되)면(?:\s|,)`)
)

// asksKoEnd ends a Korean question, as no statement ends.
var asksKoEnd = expression(`[?]\s*$|(?:나요|까요?|니|냐|[돼되]나?요?|되죠)\s*$`)

// whetherKo reports whether a Korean question is one for yes or no.
func whetherKo(question string) bool {
	return hangul(question) && asksKoEnd.MatchString(question) && !opensKo.MatchString(question) && !compares.MatchString(question)
}

// mustBeSaid returns the stems of what a question for yes or no names and an answer has.
func mustBeSaid(question string) map[string]bool {
	out := map[string]bool{}
	note := func(re *pattern) {
		for _, m := range re.FindAllStringSubmatch(question, -1) {
			for _, w := range words(strings.ToLower(m[1])) {
				if st := stem(w); !empty[w] && !empty[st] && !weak[w] && !lightEn[w] && !aspects[st] && !slight[w] && !slight[st] {
					out[st] = true
				}
			}
		}
	}
	if hangul(question) {
		note(caseDeedKo)
		if whetherKo(question) {
			note(tooKo)
		}
		if whetherKo(question) || someoneKo.MatchString(question) {
			note(topicOfKo)
		}
		maps.DeleteFunc(out, func(w string, _ bool) bool { return lightRoots[w] })
		return out
	}
	whether := whetherEn.MatchString(question)
	if whether || whoseDeed.MatchString(question) {
		note(meansEn)
	}
	if whether {
		note(ourEn)
		note(properName)
	}
	return out
}

// endsKo ends the condition of a Korean sentence; ifEn is that of an English one.
var endsKo = expression(`\p{Hangul}면(?:[\s,]|$)|(?:때|경우)(?:에는|에|는)?(?:[\s,]|$)`)

// conditionOf is what of a sentence says in which case it holds; "" if it holds in any.
func conditionOf(text string) string {
	if !hangul(text) {
		return ifEn.FindString(text)
	}
	at := endsKo.FindAllStringIndex(text, -1)
	if len(at) == 0 {
		return ""
	}
	return text[:at[len(at)-1][1]]
}
