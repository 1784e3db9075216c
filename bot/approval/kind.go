package approval

import (
	"maru/agent"
	"maru/phrase"
)

// KindTitle returns the name of a kind of question for all surfaces.
func KindTitle(kind, lang string) string {
	switch kind {
	case "clarification":
		return phrase.Say(lang, "bot.approval.clarification")
	case "plan":
		return phrase.Say(lang, "bot.approval.plan")
	case "step":
		return phrase.Say(lang, "bot.approval.step")
	case agent.KindAccount:
		return phrase.Say(lang, "bot.approval.account")
	case KindRequest:
		return phrase.Say(lang, "bot.approval.request")
	}
	return ""
}
