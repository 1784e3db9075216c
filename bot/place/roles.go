package place

import (
	"slices"

	"maru/bot"
	"maru/config"
	"maru/phrase"
)

// role returns a person's role in a place, from the platform and the operator's list of
// admins. The operator is an admin everywhere.
func (r *Rules) role(t bot.Thread, u bot.User) (config.Role, bool) {
	switch {
	case u.Bot:
		return config.Member, false
	case u.Admin, r.Operates(t, u):
		return config.Admin, true
	case t.Direct: // nobody else is concerned
		return config.ChannelAdmin, !u.Guest && !u.External
	}
	return config.Member, !u.Guest && !u.External
}

// Operates reports whether a person is an operator: signed in to the program's own
// console, or on its list of admins. A platform's own admins are not operators.
func (r *Rules) Operates(t bot.Thread, u bot.User) bool {
	return !u.Bot && (u.Operator || slices.Contains(r.cfg.Admins, u.ID) || slices.Contains(r.cfg.Admins, t.Person(u)))
}

// May reports whether a person has at least a role in a place.
func (r *Rules) May(t bot.Thread, u bot.User, want config.Role) bool {
	have, ok := r.role(t, u)
	return ok && want != config.Nobody && have >= want
}

// Whom tells a person whom to ask for something that needs a role.
func Whom(want config.Role, lang string) string {
	if want == config.Member {
		return phrase.Say(lang, "bot.refused.ask_member")
	}
	return phrase.Say(lang, "bot.refused.ask_admin")
}

// WhoDecides tells a person who may not decide a question whom to ask.
func WhoDecides(lang string) string {
	return phrase.Say(lang, "bot.refused.ask_approver")
}
