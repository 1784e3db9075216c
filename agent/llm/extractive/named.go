package extractive

import (
	"fmt"
	"strings"

	"maru/phrase/fit"
)

var (
	// partName is how documents name their parts by number.
	partName = expression(`제\s*\d{1,4}\s*조(?:\s*의\s*\d{1,3})?|별표\s*\d{1,2}|부칙|\b(?i:article|section|clause|annex|appendix|schedule)\s+(?:\d{1,4}(?:[.-]\d{1,3})*|[A-Z]\b)`)
	// paperName are words for the document itself, which say nothing about its part, and for
	// setting parts side by side: who compares wants to read both.
	paperName = expression(`(?i)비교|차이점?|compare|comparison|difference|between|표준|우리|계약서?|문서|규정|standard|contract|agreement|document|policy`)
)

// lookAt is a wish to look at something, which asks nothing of it yet.
var lookAt = expression(`(?i)이거|이것|파일|첨부|올린|올렸어요?|보냈어요?|공유|한번|한\s번|먼저|일단|봐\s*(?:줘|주세요|줄래|봐)\S*|읽어\s*(?:줘|주세요|봐)?\S*|(?:검토|확인)(?:해|부탁)\s*(?:줘|주세요|드려요|드립니다)?\S*|부탁(?:해|드려)\S*|` +
	`\b(?:(?:have|take)\s+a\s+look|look|read|check|review|see|go|file|attached|attachment|shared|over|through|here|first)\b`)

// namesOnlyPaper reports whether somebody shows a document and asks nothing yet: "이 계약서 봐줘".
func (a *ask) namesOnlyPaper() bool {
	if !lookAt.MatchString(a.question) || !paperName.MatchString(a.question) || len(partNames(a.question)) > 0 {
		return false
	}
	return len(content(lookAt.ReplaceAllString(paperName.ReplaceAllString(a.question, " "), " "))) == 0
}

// maxWhole bounds a passage that is quoted whole, in runes.
const maxWhole = 1600

// whole quotes the passages that a question asks for by their number and nothing
// else: "제5조 알려줘" wants all of 제5조, not its best sentences. "" if the
// question wants something else.
func (a *ask) whole() string {
	asked := partNames(a.question)
	rest := paperName.ReplaceAllString(partName.ReplaceAllString(a.question, " "), " ")
	if len(asked) == 0 || len(content(rest)) > 0 {
		return ""
	}
	var b strings.Builder
	room := maxWhole
	for _, p := range a.req.Passages {
		if !shares(partNames(p.Title), asked) || room <= 0 {
			continue
		}
		text := fit.Clip(strings.TrimSpace(clean(p.Text)), room)
		room -= len([]rune(text))
		fmt.Fprintf(&b, "\n> %s [%d]\n", strings.ReplaceAll(text, "\n", "\n> "), p.N)
	}
	return b.String()
}

// partNames returns the parts that a text names, each in one form.
func partNames(s string) []string {
	var out []string
	for _, m := range partName.FindAllString(s, -1) {
		out = append(out, strings.ToLower(strings.Join(strings.Fields(m), "")))
	}
	return out
}

func shares(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}
