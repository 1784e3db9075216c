package extractive

import (
	"strings"

	"maru/agent/llm"
)

// term.go answers when a contract itself starts and ends, and how long it runs: "계약 언제 끝나?", "When does
// the agreement start?" Every sentence of a contract is about the contract, and many have a date, so those
// that say its term are taken by themselves, and nothing else answers.

// side is what of a term is asked for.
type side int

const (
	noTerm side = iota
	itsStart
	itsEnd
	itsLength
)

var (
	termAsked = map[side]*pattern{
		itsStart: expression(`(?i)언제\s*부터|언제.*(?:시작|개시|발효|효력)|(?:시작|개시|발효|효력).*언제|(?:시작일|개시일|발효일)|` +
			`\b(?:when|what\s+(?:date|day)|from\s+when)\b.*\b(?:starts?|starting|begins?|commences?|effect|effective|force|kick\s+in)\b|\b(?:start|commencement|effective)\s+date\b|\bsince\s+when\b`),
		itsEnd: expression(`(?i)언제\s*까지|언제.*(?:끝|종료|만료|만기)|(?:끝|종료|만료|만기).*언제|(?:종료일|만료일|만기일|만기)|` +
			`\b(?:when|what\s+(?:date|day)|until\s+when)\b.*\b(?:ends?|ending|over|expires?|expiry|finish(?:es)?|up|run\s+out|runs?\s+out)\b|\b(?:end|expiry|expiration)\s+date\b`),
		itsLength: expression(`(?i)몇\s*(?:년|개월|달)|얼마나|얼마\s*동안|며칠|기간(?:은|이|을)?\s*(?:얼마|어떻|어떠|[?]|$|알려|언제)|\bhow\s+(?:long|many\s+(?:years|months))\b|\bwhat(?:'s|\s+is)\s+the\s+(?:[a-z]+\s+)?(?:term|period|duration|length)\b`),
	}
	// termWords are all that such a question says besides what it is called.
	termWordsKo = expression(`^(?:이|본|그|저희|우리|근데|그럼|혹시|총|전체|대체|정확히|계약|계약서|협약|약정|기간|날짜|시점|` +
		`언제|몇|년|개월|달|며칠|얼마|얼마나|동안|시작|개시|발효|효력|효력이|끝|종료|만료|만기|시작일|개시일|발효일|종료일|만료일|만기일|유효|지속|유지|길|길어|길이|짜리|날|(?:돼|되|될)\p{Hangul}{0,2}|알려줘|알려주세요|` +
		`(?:끝나|끝내|시작하|시작되|시작해|시작돼|종료되|종료돼|만료되|만료돼|이어지|이어져|유지되|유지돼|지속되|발생하|생기|생겨)\p{Hangul}*|(?:언제|얼마나|몇\s?년|년|개월|달|며칠)(?:부터|까지|짜리|간|동안|이?야|이?예요|이에요|인가요?|이?죠|이?지|인지|돼|되나요?)\p{Hangul}*|기간(?:이야|인가요?|이에요|은|이))$`)
	termWordsEn = expression(`(?i)^(?:the|this|our|my|a|is|are|was|does|do|did|will|it|its|what|what's|when|when's|how|long|many|years?|months?|date|day|of|from|until|till|since|by|exactly|again|actually|and|so|contract|agreement|deal|term|terms|period|duration|length|start|starts|starting|begin|begins|commence|commences|commencement|effective|take|takes|effect|come|comes|into|in|force|kick|kicks|end|ends|ending|over|expire|expires|expiry|expiration|finish|finishes|run|runs|out|up|last|lasts|go|goes|on|for|to|we|are|bound|tied|initial|total|valid)$`)
	// paper is how a contract is called in any.
	paperKo = expression(`계약|협약|약정|임대차`)
	paperEn = expression(`(?i)\b(?:contract|agreement|deal|lease|tenancy|licen[cs]e|franchise|engagement|term)\b`)
	// articleKo begins an article.
	articleKo = expression(`^\s*제\d+조(?:의\d+)?\s*(?:\([^)]*\))?\s*`)

	// otherTerm is of something else than the first term of the whole.
	otherTerm = expression(`(?i)갱신(?:된|되|하|한)|연장(?:된|되|하|한)|수습|하자|보증|비밀|면(?:[\s,]|$)|(?:끝나기|만료|종료)[^,]*전|\b(?:renewed|extended|renews|further|extension|probation|warranty|notice|if|unless|confidential\w*|is\s+(?:made|dated|entered|concluded)|after\s+(?:it|the\s+(?:agreement|contract|lease|term|end)))\b`)
	aDate     = expression(`(?i)\d+\s*년\s*\d+\s*월|\d{4}[-./]\s?\d|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:` + monthsEn + `)\b|\b(?:` + monthsEn + `)\s+\d`)
	aTime     = expression(`(?i)(?:` + figures + `)[\d,.]*\s*(?:년|개월|달|주|일|years?|months?|weeks?|days?)`)
	anEvent   = expression(`(?i)(?:날|일|때|시점|체결|서명|시작일|개시일|인도)\p{Hangul}{0,3}\s*(?:부터|에\s*시작)|\bon\s+the\s+(?:day|date)\b|\b(?:signature|signing|signed|handover|delivery|effective\s+date|commencement\s+date|start\s+date)\b`)
	endless   = expression(`(?i)기간을?\s*정하지|정함이\s*없|무기한|\b(?:indefinite\w*|open-ended|no\s+fixed\s+term)\b`)
	startsAt  = expression(`(?i)부터|시작|개시|발효|효력|\b(?:from|starts?|begins?|commences?|effective|effect|force|on)\b`)
	endsAt    = expression(`(?i)까지|끝나|끝난|만료|종료|\b(?:until|till|to|through|ends?|expires?)\b`)
	// saysTermEn begins what says a term; what is between the brackets is how the paper is called.
	saysTermEn = expression(`(?i)^\W*(?:[\d.()]+\s+)?(?:(?:the|this|its)\s+)?(?:(?:initial|first|fixed|minimum|whole|total)\s+)?(?:(?:term|duration|period)\s+of\s+(?:the|this)\s+)?([a-z]+)(?:'s)?(?:\s+(?:itself|(?:initial\s+)?(?:term|period)))?\s+(?:is|shall\s+be|will\s+be|runs?|shall\s+run|lasts?|shall\s+last|begins?|starts?|commences?|shall\s+commence|ends?|expires?|takes?\s+effect|comes?\s+into\s+(?:force|effect)|(?:is|remains?|stays?)\s+(?:effective|in\s+(?:force|effect)|valid)|has\s+(?:a|an)\s+(?:\w+\s+)?term|continues?)\b`)
	// saysTermKo is the same in Korean.
	saysTermKo = expression(`(?:^|[\s①-⑳])(?:(?:이|본)\s?)?(\p{Hangul}{0,8}?)\s?(?:기간|유효\s?기간)(?:은|는|을)\s|^\P{Hangul}*(?:이|본)?\s?(\p{Hangul}{0,6}(?:계약|협약|약정))의?(?:\s(?:유효\s?)?기간)?(?:은|는)\s`)
)

const monthsEn = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

// termSearch are words in which contracts say their term.
const (
	termSearchKo = "계약 기간 시작 부터 까지 종료"
	termSearchEn = "term duration period begins runs starts ends"
)

// termForm is what is said to be missing where no sentence says the term.
var termForm = form{lacks: "extractive.form.date"}

// asksTerm says what of its own term a question asks; titles are those of the passages, for a contract is
// also called by a word of its title.
func asksTerm(question, titles string) side {
	korean := hangul(question)
	named := false
	for _, w := range words(question) {
		switch of := calledSo(w, titles); {
		case of:
			named = true
		case korean && !termWordsKo.MatchString(w) && !termWordsKo.MatchString(stem(w)), !korean && !termWordsEn.MatchString(w):
			return noTerm
		}
	}
	if !named {
		return noTerm
	}
	for _, s := range []side{itsStart, itsEnd, itsLength} {
		if termAsked[s].MatchString(question) {
			return s
		}
	}
	return noTerm
}

// calledSo reports whether a word is one for the contract, of any kind or that of its title, as the 가맹 of
// a 가맹계약서.
func calledSo(word, titles string) bool {
	if !isSyllable(word) {
		return paperEn.MatchString(word)
	}
	st := strings.TrimSuffix(stem(word), "기간")
	if paper := paperKo.FindString(st); paper != "" {
		before, _, _ := strings.Cut(st, paper)
		return before == "" || before == "이" || before == "본" || strings.Contains(titles, before)
	}
	return st == "" || strings.Contains(titles, st+"계약")
}

// term are the sentences that say the term of a contract, and whether it was asked for.
func (a *ask) term() (out []candidate, asked bool) {
	var titles strings.Builder
	for _, p := range a.req.Passages {
		titles.WriteString(squash(paperOf(clean(p.Title))) + "\n")
	}
	what := asksTerm(a.question, titles.String())
	if what == noTerm {
		return nil, false
	}
	for _, c := range a.candidates() {
		if saysTerm(c, what) && len(out) < maxQuotes && !repeats(out, c) {
			out = append(out, c)
		}
	}
	return out, true
}

// saysTerm reports whether a sentence says this of the term of the whole contract.
func saysTerm(c candidate, what side) bool {
	first := clause(c.text)
	if otherTerm.MatchString(first) || !ofTheWhole(c) {
		return false
	}
	when := aDate.MatchString(c.text)
	switch what {
	case itsStart:
		return startsAt.MatchString(c.text) && (when || anEvent.MatchString(c.text))
	case itsEnd:
		return endsAt.MatchString(c.text) && when || aTime.MatchString(c.text) || endless.MatchString(c.text)
	default:
		return aTime.MatchString(c.text) || when && endsAt.MatchString(c.text) || endless.MatchString(c.text)
	}
}

// ofTheWhole reports whether a sentence begins with the contract or its period.
func ofTheWhole(c candidate) bool {
	if hangul(c.text) {
		m := saysTermKo.FindStringSubmatch(articleKo.ReplaceAllString(c.text, ""))
		return m != nil && calledSo(m[1]+m[2]+"기간", squash(paperOf(clean(c.from))))
	}
	m := saysTermEn.FindStringSubmatch(c.text)
	return m != nil && (paperEn.MatchString(m[1]) || strings.EqualFold(m[1], "period"))
}

// clause is what of a sentence stands before its first comma.
func clause(text string) string {
	first, _, _ := strings.Cut(text, ",")
	return first
}

// termToo is a second search where a contract's term may be asked: it often stands in none of the
// question's words.
func (a *ask) termToo(w wish) []llm.ToolCall {
	if w.kind != wantsDocuments || asksTerm(a.question, "") == noTerm {
		return nil
	}
	return a.searchToo(w, termSearchKo, termSearchEn)
}
