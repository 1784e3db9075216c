package extractive

import "strings"

// said.go tells questions about what was said in the conversation from those for documents, where both know the words:
// who is about to take leave asks the handbook how much there is, and "when did we want to meet?" asks the conversation.

var (
	// backKo ends a question for what people know they heard: "코드네임이 뭐였지?", "언제 하기로 했더라".
	backKo = expression(`(?:였|이었|했|하였|았|었|렀|랐)(?:었)?(?:지|죠|더라|더라고|던가|나)(?:요)?[\s?？.!~]*$`)
	backEn = expression(`(?i)^\W*(?:(?:and|so|but|ok(?:ay)?|hey)[\s,]+)*(?:what|who|where|when|which|how\s+\w+)\s+(?:was|were|did\s+(?:i|we)\s+(?:say|agree|decide|want|plan|call|name|pick|choose))\b|\bagain\s*[?.!]*$`)
	// asksHow asks for a way or a right: what somebody did or wants is no answer.
	asksHow = expression(`(?i)어떻게|방법|절차|해야|하려면|되나|되나요|돼\s*[?.!]*$|돼요|될까|수\s*있|가능|신청|\bhow\s+(?:do|does|can|could|should|would|to)\b|\b(?:can|could|may|should|must)\s+(?:i|we|you|one|somebody|someone)\b|\ballowed\b|\bhave\s+to\b`)
	// oneself speaks of the one who speaks.
	oneself = expression(`(?i)(?:^|[\s,])(?:나|내|저|제)(?:는|가|의|도|를|한테|에게)?(?:\s|$)|(?:^|[\s,])(?:난|전|내가|제가)(?:\s|$)|\b(?:i|my|me|mine|i'm|i've)\b`)
	// isKo and isEn say what something is, and of what: "우리 팀장은 영희야", "my dog is called Bori".
	isKo = expression(`^\s*(.{1,60}?)(?:은|는|이|가)\s+(.+?)(?:이야|야|이에요|예요|에요|입니다|이다|임|(?:으?로|기로)\s*(?:하자|해|했어|했어요|정했어|정했어요|합시다|할게|할게요)|라고\s*(?:해|해요|합니다|불러|불러요|부르자))[\s.!~]*$`)
	isEn = expression(`(?i)^\W*(?:(?:and|so|by\s+the\s+way|fyi|ok(?:ay)?)[\s,]+)*(.{1,60}?)(?:'s|\s+(?:is|are|was|were|will\s+be))\s+(?:(called|named)\s+)?(.+)$`)
)

// recalls reports whether a question that documents may answer as well asks for what a statement said: it asks back
// for it, or the statement says of the very thing what is asked.
func (a *ask) recalls(said string) bool {
	q := a.question
	if backKo.MatchString(q) || backEn.MatchString(q) {
		return true
	}
	f := a.form()
	fits := f == nil || f.fits(said, q)
	switch {
	case asksHow.MatchString(q):
		return false
	case a.isAbout(said): // by their bare names people know whom they mean
		return fits || f.lacks == formPerson
	}
	return fits && oneself.MatchString(q) && oneself.MatchString(said)
}

var (
	// agreedKo is what people say of what was agreed, and no word of it: "하기로 했지".
	agreedKo = expression(`\p{Hangul}+기로\s*(했|정했|결정했|한\s|하였)`)
	// howManyKo is a question for a number, in two words.
	howManyKo = expression(`(^|\s)몇\s+(\p{Hangul})`)
)

// recallTerms are the words of a question that must stand in what was said.
func (a *ask) recallTerms() []string {
	q := agreedKo.ReplaceAllString(a.question, "$1")
	return dropRecallWords(content(howManyKo.ReplaceAllString(q, "${1}몇$2")))
}

// isAbout reports whether a statement says what the very thing is for which the question asks.
func (a *ask) isAbout(said string) bool {
	of := ""
	if m := isKo.FindStringSubmatch(said); m != nil {
		of = m[1]
	} else if m := isEn.FindStringSubmatch(said); m != nil && !hangul(said) {
		of = m[1] + " " + m[2]
	}
	have := stems(of)
	for _, w := range a.recallTerms() {
		if !has(have, w) {
			return false
		}
	}
	return strings.TrimSpace(of) != ""
}

var (
	// recapKo and recapEn wish for all that was said: "지금까지 얘기 정리해 줘", "sum up this conversation".
	recapKo = expression(`(?:대화|얘기|이야기|논의|스레드)\p{Hangul}{0,6}(?:\s*(?:한|했던|나눈|나눴던)?\s*(?:내용|것|거)\p{Hangul}{0,2})?(?:\s*(?:좀|다시|간단히|짧게|모두|전부|다|쭉|한번|한\s*번))*\s*(?:요약|정리)(?:\s*(?:좀\s*)?(?:해|부탁)|[\s.!~]*$)`)
	recapEn = expression(`(?i)\b(?:summari[sz]e|recap|sum\s+up|wrap\s+up|(?:summary|recap)\s+of)\b.{0,40}\b(?:conversation|discussion|chat|thread|so\s+far|we(?:'ve)?\s+(?:said|talked|discussed))\b|^\W*(?:please\s+)?recap(?:\s+please)?\W*$`)
)

// wantsRecap reports whether words wish for a summary of the conversation.
func wantsRecap(q string) bool { return recapKo.MatchString(q) || recapEn.MatchString(q) }
