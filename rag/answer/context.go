package answer

import (
	"unicode/utf8"

	"maru/phrase/pattern"
)

var (
	// backward are beginnings of a sentence that stand for what the one before says: 같은 해, 이 작품, He, These.
	backward = pattern.New(`^(?:(?:그러나|하지만|또한|그리고|그런데|한편|특히)[, ]+)?(?:(?:같은|그|이러한|이런|그러한|그런|저)\s|이\s(?:때|해|날|작품|사건|일|책|곡|영화|게임|드라마|노래|경기|시기|기간|시간|사람|곳|점|과정|경우|돈|금액|비용|기한|방법|물건|제품)|` +
		`이[는를에로때것들와]|그[는가의를와]\s|그녀|그들|그것|그곳|그때|그해|그래서|그러므로|따라서|때문에|여기|당시)|` +
		`^(?i:(?:however|but|and|also|then|thus|so|later|there)?,? ?)(?:He|he|She|she|It|it|They|they|This|this|These|these|Those|those|That|that|His|his|Her|her|Its|its|Their|their|Such|such|Most of (?:these|them)|Both)\b`)
	// document are such beginnings that stand for the document itself.
	document = pattern.New(`(?i)^(?:[이본]\s(?:계약|약관|규정|법|규칙|지침|정책|안내|문서|조|항)|this (?:agreement|contract|lease|policy|document|section|handbook|guide|clause)|it is\b)`)
)

// outcome asks what follows from something; rules say that after what they forbid or demand.
var outcome = pattern.New(`(?i)(?:면|경우|때)\S*\s(?:어떻게|어떡|무슨)|\bwhat happens\b|\bwhat if\b`)

// leansBack reports whether a sentence cannot be understood without the one before.
func leansBack(text string) bool {
	return backward.MatchString(text) && !document.MatchString(text)
}

// maxItems bounds how far below what introduces a list its items are taken for such.
const maxItems = 15

// underLead returns a bare item of a list after what introduces the list, without which nobody can tell what it is about.
func (s sentence) underLead(all []sentence) sentence {
	if s.lead < 0 || s.order-s.lead > maxItems || utf8.RuneCountInString(all[s.lead].text)+utf8.RuneCountInString(s.text) >= MaxSentence {
		return s
	}
	gap := " "
	if s.lead+1 < s.order {
		gap = " … "
	}
	s.text = all[s.lead].text + gap + s.text
	return s
}

// inContext returns a sentence with the one before, if it leans on that, and with the one after, if that leans on it or the question
// asks what follows. all are the sentences in their order.
func (s sentence) inContext(question string, all []sentence) sentence {
	beside := func(at int) (string, bool) {
		if at < 0 || at >= len(all) || all[at].n != s.n || utf8.RuneCountInString(s.text)+utf8.RuneCountInString(all[at].text) >= MaxSentence {
			return "", false
		}
		return all[at].text, true
	}
	if before, ok := beside(s.order - 1); ok && (s.leans || leansBack(s.text)) {
		s.text = before + " " + s.text
	}
	if s = s.underLead(all); s.lead >= 0 {
		return s
	}
	if behind, ok := beside(s.order + 1); ok && (leansBack(behind) || outcome.MatchString(question)) {
		s.text += " " + behind
	}
	return s
}
