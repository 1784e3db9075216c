package extractive

import "strings"

// case.go finds of what case a question asks what happens in it: "What happens if the buyer
// is late with the inspection?". What is said of another case (late with the payment) is no answer.

var (
	caseEn = expression(`(?i)^\W*what\s+happens\s+(?:if|when)\s+(.+)$`)
	caseKo = expression(`^(.+면)\s*(?:어떻게\s*(?:돼|되|됩)|무슨\s*일)`)
	// slight words may be told in another way: who it is, that something is not done, the rest of a verb,
	// and a number, which may be written in figures or lie within "3 or more".
	slight = set(`somebody someone anybody anyone everybody everyone nobody person people one member employee employees staff user users
don't doesn't didn't can't cannot couldn't won't isn't aren't wasn't haven't hasn't never no nothing up out off down away over back
more less than two three four five six seven eight nine ten twelve twenty thirty
사람 누군가 직원 본인 회원 안 못 깜빡 깜박`)
)

// inCase returns the stems of what the case is about; none if the question asks for something else.
func inCase(question string) map[string]bool {
	m := caseEn.FindStringSubmatch(question)
	if m == nil {
		m = caseKo.FindStringSubmatch(question)
	}
	if m == nil {
		return nil
	}
	out := map[string]bool{}
	for _, w := range subject(m[1]) {
		verb := strings.HasSuffix(w.stem, "면") && closes(w.stem)
		if (w.weight == 1 || verb) && !slight[w.stem] && !lightEn[w.stem] && !strings.ContainsAny(w.stem, "0123456789") {
			out[w.stem] = true
		}
	}
	return out
}
