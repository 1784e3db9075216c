package extractive

import (
	"slices"
	"strings"
)

// telling.go finds which of the sentences to quote says the fact itself. That one of them has
// a place or a reason is not enough: "the roof was raised by two metres" beside "the slide is
// checked, since children use it most" gives no reason for the roof.

// mostly is how much of what the fullest quotation holds of the question a sentence must hold
// that is to say the fact by itself.
const mostly = 0.8

var (
	// leansEn begins a sentence that goes on about what the one before it was about.
	leansEn = expression(`(?i)^\W*(?:it|its|they|their|them|this|that|these|those|he|she|his|her|there|because|the\s+reasons?|otherwise|both|each|all\s+of\s+(?:it|them))\b`)
	// leansKo does so in Korean; explainsKo says nothing but a reason.
	leansKo    = expression(`^\s*(?:이는|이것은|이것|이곳|그곳|거기|여기|그것|이유는|그\s+이유|왜냐|그래야|그렇지)`)
	explainsKo = expression(`(?:때문|덕분|탓|이유|위해서?|위함|[아어여해와워져돼려라켜쳐춰줘러펴겨셔내나가봐커써쳐껴]서)(?:이다|입니다|예요|이에요|이었습니다|였습니다|이었다|였다|요|이죠|죠)?[.!\s]*$|니까요?[.!\s]*$`)
	// topicKo is a word that a Korean sentence is about.
	topicKo = expression(`\p{Hangul}(?:은|는|이|가)(?:[\s,]|$)`)
)

// tellers are those of the sentences to quote that say the fact of this form: they are about
// what is asked themselves, or go on about it directly behind one that is.
func (f *form) tellers(quoted []candidate, question string) []candidate {
	most := 0.0
	for _, c := range quoted {
		most = max(most, c.covers)
	}
	var out []candidate
	for _, c := range quoted {
		if !f.fits(c.text, question) {
			continue
		}
		if !f.strict || c.covers >= mostly*most || f.goesOn(c, quoted, most) {
			out = append(out, c)
		}
	}
	return out
}

// goesOn reports whether a sentence stands behind one that is about what is asked, and is
// about nothing else itself.
func (f *form) goesOn(c candidate, quoted []candidate, most float64) bool {
	behind := slices.ContainsFunc(quoted, func(q candidate) bool {
		return c.n == q.n && c.order == q.order+1 && q.covers >= mostly*most
	})
	if !behind {
		return false
	}
	if !hangul(c.text) {
		return leansEn.MatchString(c.text)
	}
	if f.lacks == formReason && explainsKo.MatchString(c.text) {
		return true
	}
	return leansKo.MatchString(c.text) || !topicKo.MatchString(strings.TrimSpace(c.text))
}
