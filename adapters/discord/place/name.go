package place

import (
	"cmp"
	"context"
	"net/http"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// NameOf implements bot.Namer: roles from the gateway, members from their last message or
// click, else from the API.
func (d *Directory) NameOf(ctx context.Context, t bot.Thread, id string) string {
	if wire.IDNumber(id) == 0 || t.Team == TeamDirect {
		return ""
	}
	if role := d.RoleName(t.Team, id); role != "" {
		return "@" + role
	}
	p, ok := d.proofs.Get(t.Team + " " + id)
	if ok && p.name != "" {
		return p.name
	}
	var m wire.Member
	if err := d.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/guilds/" + t.Team + "/members/" + id, Bucket: "member/" + t.Team, Out: &m, Urgent: true}); err != nil {
		return ""
	}
	return calledAs(m.User, &m)
}

// calledAs returns a member's display name in a guild.
func calledAs(u *wire.User, m *wire.Member) string {
	if u == nil {
		return m.Nick
	}
	return cmp.Or(m.Nick, u.Name())
}
