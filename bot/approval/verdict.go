package approval

import (
	"maru/agent"
	"maru/phrase/intent"
)

// verdictOf reads words that say nothing but yes, no or skip ("네 진행해 주세요"), and
// the number of the question they are about, 0 if they name none.
func verdictOf(text string) (verb string, number int) {
	v, number := intent.Decide(text)
	switch v {
	case intent.Yes:
		return agent.VerbAccept, number
	case intent.No:
		return agent.VerbReject, number
	case intent.Skip:
		return agent.VerbSkip, number
	default:
		return "", 0
	}
}

// OnlyDecides reports whether a message says nothing but yes, no or skip.
func OnlyDecides(text string) bool {
	verb, _ := verdictOf(text)
	return verb != ""
}
