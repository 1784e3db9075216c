package bot

import (
	"slices"

	"maru/config"
)

// role is what a person may do in a place, as the platform and the operator's
// list of admins say at this moment. Whoever runs the program is an admin.
func (b *Bot) role(t Thread, u User) (config.Role, bool) {
	switch {
	case u.Bot:
		return config.Member, false
	case u.Admin, u.Operator, slices.Contains(b.cfg.Admins, u.ID), slices.Contains(b.cfg.Admins, userKey(t, u)):
		return config.Admin, true
	case t.Direct: // nobody else is concerned
		return config.ChannelAdmin, !u.Guest && !u.External
	}
	return config.Member, !u.Guest && !u.External
}

// may reports whether a person has a role in a place.
func (b *Bot) may(t Thread, u User, want config.Role) bool {
	have, ok := b.role(t, u)
	return ok && want != config.Nobody && have >= want
}

// whom says who may do what a person may not.
func whom(want config.Role, lang string) string {
	switch want {
	case config.Member:
		return say(lang, "이 워크스페이스의 정식 멤버에게 부탁하세요.", "Ask a full member of this workspace.")
	case config.ChannelAdmin, config.Admin:
		return say(lang, "워크스페이스 관리자에게 부탁하세요.", "Ask an admin of the workspace.")
	case config.Nobody:
	}
	return say(lang, "여기에서는 바꿀 수 없어요.", "It cannot be changed at this level.")
}

// whoDecides says whom to ask who may not decide a question.
func whoDecides(lang string) string {
	return say(lang, "질문한 사람이나, 채널에서 `/maru approvers`를 쓰면 나오는 사람에게 부탁하세요.",
		"Ask whoever asked the question, or those whom `/maru approvers` names in its channel.")
}
