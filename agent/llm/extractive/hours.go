package extractive

import (
	"strings"
	"unicode/utf8"

	"maru/rag/lexicon"
)

// hours.go answers at what hours something is done: "상담시간 어떻게 돼?" Documents give the hours and leave the
// word out, "상담은 오전 9시부터 받는다".

var (
	// hoursKo asks for hours by their name.
	hoursKo = expression(`\p{Hangul}{2,}\s?시간(?:은|이|는)?\s*(?:어떻게|언제|알려\p{Hangul}*|[?]*\s*$)`)
	aClock  = expression(`\d\s*(?:시|분)|\d:\d{2}|정오|자정`)
)

// hoursToo lets what the hours are of stand for them; that a sentence has hours is asked by [otherDeed].
func hoursToo(question string, want []wanted) {
	if !hoursKo.MatchString(question) {
		return
	}
	for i, w := range want {
		if of, ok := strings.CutSuffix(w.stem, "시간"); ok && utf8.RuneCountInString(of) >= 2 {
			want[i].same = append(want[i].same, other{[]string{of}, lexicon.SameMatch})
		}
	}
}
