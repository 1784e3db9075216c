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

// Open lists the channels of a guild whose history everybody may read who reads a conversation: its own channel first,
// then the others with the newest messages first. Those are channels that no role and no member is kept out of, and
// channels with the same overwrites as the conversation's own.
func (d *Directory) Open(ctx context.Context, t bot.Thread) ([]wire.Channel, error) {
	var g wire.Guild
	var all []wire.Channel
	for _, ask := range []rest.Call{
		{Path: "/guilds/" + t.Team, Bucket: "guild/" + t.Team, Out: &g},
		{Path: "/guilds/" + t.Team + "/channels", Bucket: "channels/" + t.Team, Out: &all},
	} {
		ask.Method, ask.Again = http.MethodGet, true // not urgent: nothing waits for the rate limit
		if err := d.api.Do(ctx, ask); err != nil {
			return nil, fmt.Errorf("ask who reads which channel: %w", err)
		}
	}
	var own wire.Channel
	if i := slices.IndexFunc(all, func(c wire.Channel) bool { return c.ID == t.Channel }); i >= 0 {
		own = all[i]
	}
	var out []wire.Channel
	for _, c := range all {
		text := c.Type == wire.ChannelText || c.Type == wire.ChannelNews
		if text && past(g, c) && (c.ID == own.ID || seen(g, c) || own.ID != "" && sameOverwrites(c, own)) {
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

// past reports whether everybody who reads a channel may read its history.
func past(g wire.Guild, c wire.Channel) bool { return everyone(g, c, historyRight) }

// seen reports whether every member of the guild reads a channel.
func seen(g wire.Guild, c wire.Channel) bool { return everyone(g, c, viewRight) }

// everyone reports whether a right is everybody's in a channel, and taken from no role and no member.
func everyone(g wire.Guild, c wire.Channel, right uint64) bool {
	return permissions(g, c, "", nil)&right == right && !slices.ContainsFunc(c.Overwrites, func(o wire.Overwrite) bool { return bits(o.Deny)&right != 0 && o.ID != g.ID })
}

// sameOverwrites reports whether two channels keep out, and let in, the same people.
func sameOverwrites(a, b wire.Channel) bool {
	sorted := func(c wire.Channel) []wire.Overwrite {
		return slices.SortedFunc(slices.Values(c.Overwrites), func(x, y wire.Overwrite) int { return cmp.Compare(x.ID, y.ID) })
	}
	return slices.Equal(sorted(a), sorted(b))
}
