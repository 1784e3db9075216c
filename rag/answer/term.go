package answer

import (
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// When an agreement begins or ends, and how long it lasts, is said of its term, seldom in words of the question: "임대차 기간은 2026년
// 9월 1일부터 2028년 8월 31일까지로 한다", "shall commence on January 1 and continue for a period of three years".

const (
	agreementKo = `(?:계약서?|임대차|약정|협약|리스|전세|근로계약)`
	agreementEn = `(?:agreement|contract|lease|tenancy|licen[cs]e|engagement|subscription|NDA|MSA)`
	dateKo      = `\d{4}\s?[년.-]\s?\d{1,2}[^.다]{0,14}`
)

var (
	// asksTerm asks for the term of an agreement and for nothing else of it.
	asksTerm = pattern.New(`(?i)(?:(?:^|[\s(\[「'"])` + agreementKo + `|\p{Hangul}(?:계약서?|임대차|협약))(?:은|는|이|가|의|도)?\s*(?:언제|(?:기간|만료|종료|시작|개시|유효|효력)\p{Hangul}*\s*(?:언제|얼마나?|몇|며칠|어떻게|알려)|끝나는|얼마\s?동안|몇\s?(?:년|개월|달))(?:\s*(?:까지|부터|쯤|정도|얼마나|얼마|언제|몇|년|개월|달|동안|날|시점|건지|인지|은|는|이|가)|\s*(?:끝|만료|종료|시작|개시|유효|효력|발생|기간|일자|날짜|되|돼|됐|됩|이|야|예|에|요|알|말|가|있|계약)\p{Hangul}*)*\s*[?？.!~]*$|` +
		`^\W*(?:when|until when|from when|how long)\s+(?:does|do|did|will|is|are|was)\s+(?:the |this |that |our |my |their )?(?:[\p{L}\d'’&.-]+ ){0,4}?` + agreementEn + `(?:\s+(?:with|between)\s+[\p{L}\d'’&. -]+?)?(?:\s+(?:come to an end|end|ending|expire|terminate|over|up|start|begin|commence|take effect|run|last|valid|effective|in force|for|supposed to|going to|until|from))*\W*$|` +
		`^\W*what(?:'s|’s| is| are)\s+(?:the |this |our )?(?:term|length|duration|period|(?:expiry|expiration|end|ending|start|starting|effective|commencement) date)\s+(?:of|for|in)\s+(?:the |this |our |my )?(?:[\p{L}\d'’&.-]+ ){0,4}?` + agreementEn + `\W*$`)
	// termWords are what such a question asks with, which no term need say, and legal forms.
	termWords = pattern.New(`(?i)\((?:주|유)\)(?:[와과]의|[와과의은는이가])?|언제\p{Hangul}*|(?:끝|만료|종료|시작|개시|유효|효력|발생)\p{Hangul}*|\b(?:ends?|ending|expir\p{L}*|terminate|over|up|starts?|begins?|commence\p{L}*|effect\p{L}*|runs?|lasts?|valid|force|length|duration|date)\b`)
	// ofSeveral asks for the terms of several agreements, which are side by side.
	ofSeveral = pattern.New(`(?i)(?:^|\s)(?:두|세|각|양|모든)\s?계약|계약들|각각|\b(?:both|each|all|two)\b`)
	// aTerm is a term, aPeriod a period of anything.
	aTerm = pattern.New(`(?i)` + dateKo + `부터[^다]{0,40}까지|기간[을은는이:]\s?[^다]{0,40}\d[^다]{0,14}까지|(?:계약|임대차|용역|위탁|가맹|임차|존속|유효|사용|이용|대여|협약|근로)\s?기간(?:[은는이:]|\s*\d)[^다]{0,60}\d|` +
		`\b(?:commenc\p{L}*|begins?|starts?|effective|takes? effect|in (?:full )?force)\b[^.;]{0,80}\b(?:on|as of|from|until|for an? (?:\p{L}+ )?(?:term|period))\b|\bfor an? (?:\p{L}+ )?(?:term|period) of\b|` +
		`\b(?:term|duration) of (?:this|the) ` + agreementEn + `[^.;]{0,60}\b(?:is|are|shall|will|begins?|runs?)\b|\bfrom [^.;]{0,30}\d{4}[^.;]{0,10}\b(?:to|until|through)\b|\b(?:expires?|ends?|lapses?) (?:on|after|in)\b|\b(?:continues?|lasts?|runs?|remains?|valid) [^.;]{0,40}\b(?:until|through|for)\b`)
	aPeriod = pattern.New(`(?i)부터|까지|기간[은는]|\b(?:until|through)\b`)
)

// termGain is what a sentence gains by a term: it goes before all that hold the question's words alone.
const termGain = 1.5

// agreementWords are nouns that a question has for an agreement and its term; the agreement itself may have others.
var agreementWords = pattern.New(`(?i)^(?:\p{Hangul}*` + agreementKo + `|` + agreementEn + `s?|기간|(?:계약|임대차)기간|terms?|period)$`)

// ofTerm counts the words for an agreement as said by a sentence with a term, and notes whether its passage lacks another noun of
// the question, a party or a place, or is of a statute. held are the shares of the words that the passage holds.
func (s *sentence) ofTerm(list []wanted, held []float64) {
	s.other = s.statute &&
		!slices.ContainsFunc(list, func(w wanted) bool { return statuteWord.MatchString(w.Text) })
	for k, w := range list {
		switch agreement := agreementWords.MatchString(w.Terms[0]) || agreementWords.MatchString(w.Text); {
		case agreement && s.value == 1:
			s.covers += w.share * (1 - max(w.in(s.own), w.in(s.heading)))
		case !agreement && w.Weight > backWeight && held[k] < 0.5:
			s.other = true
		}
	}
	if s.other {
		s.value = 0
	}
}

// statuteKo ends the name of a statute. Words for ways of doing something end in 법, too: 해지 방법, 서법.
const statuteKo = `(?:\p{Hangul}\s?(?:법률|시행령|시행규칙|조례)|[^\P{Hangul}방용문기수서화어작불합위편비]법)`

// A statute has no term of its own: it says how long agreements may last.
var (
	// statuteWord is a word of a statute's name.
	statuteWord = pattern.New(statuteKo + `(?:상|에서|의)?$|^(?i:act|statute)$`)
	// statuteTitle matches headings, from a document's title to its passage's first words: a level ends in a statute's name, in Korean
	// with an article after it.
	statuteTitle = pattern.New(statuteKo + `(?:\s*[(\[（][^)\]）›]*[)\]）])*(?:\s*›[^›]*)*?[\s›#]*제\s?\d+조|(?i:\p{L} (?:act|statute)(?:,? (?:of )?\d{4})?(?:\s*[(\[][^)\]›]*[)\]])*\s*›)`)
)

// ofStatute reports whether headings and the text below them are of a statute.
func ofStatute(headings []string, text string) bool {
	return statuteTitle.MatchString(strings.Join(headings, " › ") + " › " + fit.Cut(text, maxHead))
}

// maxHead bounds the beginning of a text that may name its article, in runes.
const maxHead = 20

// Query returns what to search for to answer a question: of the term of an agreement its words for a term.
func Query(question string) string {
	if !asksTerm.MatchString(question) || ofSeveral.MatchString(question) {
		return question
	}
	words := "term"
	if strings.ContainsFunc(question, isHangul) {
		words = "계약기간 기간"
	}
	return strings.TrimRight(termWords.ReplaceAllString(question, " "), " ?？.!~") + " " + words
}
