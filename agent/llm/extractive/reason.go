package extractive

// reason.go tells reasons from what is written like them: "open since May", "asked to help".

var (
	becauseRe = expression(`(?i)` + because)
	// reasonless are times and wishes that begin as reasons do.
	reasonless = expression(`(?i)\bsince\s+(?:then|last|the\s+(?:beginning|start|end|spring|summer|autumn|fall|winter|move|opening)|early|mid|late|` +
		`january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|` +
		`(?:mon|tues|wednes|thurs|fri|satur|sun)day|its\s+(?:founding|foundation|opening|start|beginning)|childhood|birth)\b|` +
		`\b(?:asked|told|allowed|required|invited|expected|agreed|decided|promised|free|able|have|has|had|want|wants|wanted|need|needs|needed|used|likely|trie[sd]|try|trying|begins?|began|learn|learned|learns|forget)\s+to\s+[a-z]+`)
)

// givesReason reports whether a sentence has words of reasons that are none of something else.
func givesReason(text, _ string) bool {
	return hangul(text) || becauseRe.MatchString(reasonless.ReplaceAllString(text, " "))
}
