package place

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"slices"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/bot/label"
)

// idForm matches snowflakes as they stand in texts: their numbers have 17 digits since 2015.
var idForm = regexp.MustCompile(`\b[0-9]{17,20}\b`)

// IDs implements label.Source.
func (d *Directory) IDs(text string) []string {
	var out []string
	for _, id := range idForm.FindAllString(text, -1) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// LabelOf implements label.Source: servers, roles, members and channels of the thread's server. Outside of servers it
// names servers and channels that the author sees.
func (d *Directory) LabelOf(ctx context.Context, m bot.Message, id string) label.Label {
	guild := m.Thread.Team
	inside := m.Thread.Platform == Platform && guild != TeamDirect
	if id == guild || !inside && d.Server(id) == id {
		return d.serverLabel(ctx, m, id)
	}
	if role := d.RoleName(guild, id); role != "" && inside {
		return label.Label{Kind: label.Role, Name: "@" + role}
	}
	if _, known := d.Known(id); !known && inside {
		if name := d.NameOf(ctx, m.Thread, id); name != "" {
			return label.Label{Kind: label.Person, Name: name}
		}
	}
	c, err := d.Channel(ctx, id)
	switch {
	case err != nil, c.Name == "", c.GuildID == "", inside && c.GuildID != guild:
		return label.Label{}
	case !d.seenBy(ctx, m, c):
		return label.Label{Kind: label.Private}
	case c.IsThread():
		return label.Label{Kind: label.Thread, Name: c.Name}
	}
	return label.Label{Kind: label.Channel, Name: "#" + c.Name}
}

// serverLabel names a server for those in it, and for who runs the program.
func (d *Directory) serverLabel(ctx context.Context, m bot.Message, id string) label.Label {
	if m.Thread.Team == TeamDirect {
		if _, ok, err := d.RolesNow(ctx, id, m.User.ID); err != nil || !ok {
			return label.Label{}
		}
	}
	var g wire.Guild
	err := d.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/guilds/" + id, Bucket: "guild/" + id, Out: &g, Again: true, Urgent: true})
	if err != nil || g.Name == "" {
		return label.Label{}
	}
	return label.Label{Kind: label.Server, Name: g.Name}
}

// seenBy reports whether all readers of a message's conversation see a channel: its own, one that everybody in the
// server sees, one with the same overwrites, and in direct messages one that the author sees.
func (d *Directory) seenBy(ctx context.Context, m bot.Message, c wire.Channel) bool {
	t := m.Thread
	channel := c.ID
	if c.IsThread() {
		channel = c.ParentID
	}
	switch {
	case c.ID == cmp.Or(t.ID, t.Channel):
		return true
	case c.Type == wire.ChannelPrivateThread:
		return false
	case channel == t.Channel:
		return true
	}
	g, of, err := d.guildAndChannel(ctx, bot.Thread{Team: c.GuildID, Channel: channel})
	switch {
	case err != nil:
		return false
	case seen(g, of), t.Platform != Platform:
		return seen(g, of)
	case t.Team == TeamDirect:
		roles, ok, err := d.RolesNow(ctx, g.ID, m.User.ID)
		return err == nil && ok && (g.OwnerID == m.User.ID || permissions(g, of, m.User.ID, roles)&viewRight != 0)
	}
	_, own, err := d.guildAndChannel(ctx, t)
	return err == nil && sameOverwrites(of, own)
}
