package place

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

const (
	viewRight    = uint64(discordgo.PermissionViewChannel)
	historyRight = uint64(discordgo.PermissionReadMessageHistory)
)

// Open lists the channels of a guild whose history every reader of a conversation can read: its own channel first,
// then others by their newest message. These are channels without denials for roles or members, and channels with
// the same overwrites as the conversation's own.
func (d *Directory) Open(ctx context.Context, t bot.Thread) ([]wire.Channel, error) {
	var g wire.Guild
	var all []wire.Channel
	for _, ask := range []rest.Call{
		{Path: "/guilds/" + t.Team, Bucket: "guild/" + t.Team, Out: &g},
		{Path: "/guilds/" + t.Team + "/channels", Bucket: "channels/" + t.Team, Out: &all},
	} {
		ask.Method, ask.Again, ask.Urgent = http.MethodGet, true, true // somebody waits for the answer
		if err := d.api.Do(ctx, ask); err != nil {
			return nil, fmt.Errorf("look up the readers of channels: %w", err)
		}
	}
	var own wire.Channel
	if i := slices.IndexFunc(all, func(c wire.Channel) bool { return c.ID == t.Channel }); i >= 0 {
		own = all[i]
	}
	var out []wire.Channel
	for _, c := range all {
		text := c.Type == wire.ChannelText || c.Type == wire.ChannelNews
		if (text || c.ID == own.ID && !c.IsForum()) && past(g, c) && (c.ID == own.ID || seen(g, c) || own.ID != "" && sameOverwrites(c, own)) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b wire.Channel) int {
		switch {
		case a.ID == own.ID:
			return -1
		case b.ID == own.ID:
			return 1
		}
		return cmp.Compare(wire.IDNumber(b.LastMessageID), wire.IDNumber(a.LastMessageID))
	})
	return out, nil
}

// past reports whether every reader of a channel can read its history.
func past(g wire.Guild, c wire.Channel) bool { return everyone(g, c, historyRight) }

// seen reports whether every member of the guild reads a channel.
func seen(g wire.Guild, c wire.Channel) bool { return everyone(g, c, viewRight) }

// everyone reports whether a right is everybody's in a channel, and taken from no role and no member.
func everyone(g wire.Guild, c wire.Channel, right uint64) bool {
	return permissions(g, c, "", nil)&right == right && !slices.ContainsFunc(c.Overwrites, func(o wire.Overwrite) bool { return bits(o.Deny)&right != 0 && o.ID != g.ID })
}

// sameOverwrites reports whether two channels have the same readers.
func sameOverwrites(a, b wire.Channel) bool {
	sorted := func(c wire.Channel) []wire.Overwrite {
		return slices.SortedFunc(slices.Values(c.Overwrites), func(x, y wire.Overwrite) int { return cmp.Compare(x.ID, y.ID) })
	}
	return slices.Equal(sorted(a), sorted(b))
}
