package place

import (
	"cmp"
	"context"
	"regexp"
	"slices"

	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/bot/label"
)

// idForm matches snowflakes as they are in texts: their numbers have 17 digits since 2015.
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
		who, err := d.lookMember(ctx, guild, id)
		if name := calledAs(who.User, &who); err == nil && name != "" {
			return label.Label{Kind: label.Person, Name: name}
		}
	}
	c, err := d.lookChannel(ctx, id)
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

// serverLabel names a server for its members and for operators.
func (d *Directory) serverLabel(ctx context.Context, m bot.Message, id string) label.Label {
	if m.Thread.Team == TeamDirect {
		if _, err := d.lookMember(ctx, id, m.User.ID); err != nil {
			return label.Label{}
		}
	}
	g, err := d.lookGuild(ctx, id)
	if err != nil || g.Name == "" {
		return label.Label{}
	}
	return label.Label{Kind: label.Server, Name: g.Name}
}

// seenBy reports whether all readers of a message's conversation see a channel: its own, one that everybody in the
// server sees, one with the same overwrites, and in direct messages one that the author sees. Guests see only the voice
// channel that they were invited to. A thread without a channel stands for everybody in its server.
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
	g, err := d.lookGuild(ctx, c.GuildID)
	if err != nil {
		return false
	}
	of, err := d.lookChannel(ctx, channel)
	switch {
	case err != nil:
		return false
	case t.Platform != Platform, t.Channel == "" && !t.Direct:
		return seen(g, of)
	case t.Direct, t.Team == TeamDirect:
		who, err := d.lookMember(ctx, g.ID, m.User.ID)
		sees := seen(g, of) || g.OwnerID == m.User.ID || permissions(g, of, m.User.ID, who.Roles)&viewRight != 0
		return err == nil && !who.Guest() && sees
	}
	own, err := d.lookChannel(ctx, t.Channel)
	guests := m.User.Guest || own.Type == wire.ChannelVoice || own.Type == wire.ChannelStage
	return err == nil && !guests && (seen(g, of) || sameOverwrites(of, own))
}
