package discord

import (
	"context"
	"net/http"

	"maru/bot"
)

// Picks implements bot.Picker: Discord's menu has people and roles.
func (*Adapter) Picks(_ bot.Thread, id string) bool { return idNumber(id) != 0 }

// IsID implements bot.Picker.
func (*Adapter) IsID(id string) bool { return idNumber(id) != 0 }

// Groups implements bot.Picker: the menu has all that Discord has.
func (*Adapter) Groups(context.Context, bot.Thread) []bot.Option { return nil }

// NameOf implements bot.Namer: roles by what the gateway told, members by what
// came with their last message or click, or else by asking.
func (a *Adapter) NameOf(ctx context.Context, t bot.Thread, id string) string {
	if idNumber(id) == 0 || t.Team == teamDirect {
		return ""
	}
	if role := a.places.roleName(t.Team, id); role != "" {
		return "@" + role
	}
	a.mu.Lock()
	p, ok := a.proofs.Get(t.Team + " " + id)
	a.mu.Unlock()
	if ok && p.name != "" {
		return p.name
	}
	var m member
	if err := a.rest.do(ctx, call{method: http.MethodGet, path: "/guilds/" + t.Team + "/members/" + id, bucket: "member/" + t.Team, out: &m, urgent: true}); err != nil {
		return ""
	}
	return calledAs(m.User, &m)
}

// calledAs is what people of a guild read as a member's name.
func calledAs(u *user, m *member) string {
	if u == nil {
		return m.Nick
	}
	return first(m.Nick, u.name())
}
