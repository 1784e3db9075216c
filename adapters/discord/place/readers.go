package place

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

const (
	mostReaders  = 200 // people of a channel that are listed
	membersPage  = 1000
	memberPages  = 10 // per guild: with more than 10,000 members no list is read
	membersFresh = 15 * time.Second
	maxListings  = 16 // guilds whose members are cached
)

// errOpen reports a channel whose readers are not limited by its overwrites.
var errOpen = errors.New("discord: everybody in the server reads the channel, or may make themselves a reader")

// errMany reports a channel with too many readers to look up.
var errMany = fmt.Errorf("discord: more than %d people read the channel, or the server has more than %d members", mostReaders, memberPages*membersPage)

// ErrMembers reports that the application may not list members, so that readers of channels are unknown.
var ErrMembers = fmt.Errorf("discord: %w: the bot may not list the members of servers, so documents that only some may read are not used in channels: "+
	"switch on “Server Members Intent” on the “Bot” page of the developer portal", bot.ErrLimited)

// MembersRefused reports whether Discord refused the last list of members.
func (d *Directory) MembersRefused() bool { return d.refused.Load() }

// listing holds the members of a guild.
type listing struct {
	people []reader
	at     time.Time
}

type reader struct {
	id    string
	roles []string
}

// Readers lists the people who can see a conversation's channel, by the guild's present roles and the channel's
// overwrites, and members of at most 15 seconds ago. For a private thread it returns the readers of its channel:
// more than its members, never fewer. It returns an error if @everyone or a self-assigned role can see the
// channel, because others may join without an invitation.
func (d *Directory) Readers(ctx context.Context, t bot.Thread) ([]string, error) {
	return d.withRights(ctx, t, viewRight)
}

// ReadersBack lists the readers of a channel who can also read its history.
func (d *Directory) ReadersBack(ctx context.Context, t bot.Thread) ([]string, error) {
	return d.withRights(ctx, t, viewRight|historyRight)
}

// withRights lists the people who have rights in a conversation's channel.
func (d *Directory) withRights(ctx context.Context, t bot.Thread, rights uint64) ([]string, error) {
	if t.Direct || t.Team == TeamDirect || t.Team == "" {
		return nil, errOpen
	}
	g, c, err := d.guildAndChannel(ctx, t)
	if err != nil {
		return nil, rest.Delivery("readers", err)
	}
	if c.GuildID != t.Team || c.Type == wire.ChannelNews || c.IsThread() { // other servers follow an announcement channel
		return nil, errOpen
	}
	free, err := d.selfGiven(ctx, g)
	if err != nil {
		return nil, rest.Delivery("readers", err)
	}
	if slices.ContainsFunc(append(free, g.ID), func(role string) bool { return permissions(g, c, "", []string{role})&rights == rights }) {
		return nil, errOpen
	}
	people, err := d.members(ctx, g.ID)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range people {
		if p.id == g.OwnerID || permissions(g, c, p.id, p.roles)&rights == rights {
			out = append(out, p.id)
		}
	}
	if len(out) > mostReaders {
		return nil, errMany
	}
	return out, nil
}

// guildAndChannel asks for the guild and the channel of a conversation.
func (d *Directory) guildAndChannel(ctx context.Context, t bot.Thread) (g wire.Guild, c wire.Channel, err error) {
	for _, ask := range []rest.Call{
		{Path: "/guilds/" + t.Team, Bucket: "guild/" + t.Team, Out: &g},
		{Path: "/channels/" + t.Channel, Bucket: "channel/" + t.Channel, Out: &c},
	} {
		ask.Method, ask.Again, ask.Urgent = http.MethodGet, true, true
		if err := d.api.Do(ctx, ask); err != nil {
			return g, c, fmt.Errorf("look up a channel's readers: %w", err)
		}
	}
	return g, c, nil
}

// selfGiven lists the roles that members can obtain by themselves: through onboarding, a linked account, boosting
// or paying.
func (d *Directory) selfGiven(ctx context.Context, g wire.Guild) ([]string, error) {
	var on struct {
		Prompts []struct {
			Options []struct {
				Roles []string `json:"role_ids"`
			} `json:"options"`
		} `json:"prompts"`
	}
	err := d.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/guilds/" + g.ID + "/onboarding", Bucket: "onboarding/" + g.ID, Out: &on, Again: true, Urgent: true,
	})
	if err != nil && rest.StatusOf(err) != http.StatusNotFound { // a guild without one
		return nil, fmt.Errorf("ask for the onboarding of a server: %w", err)
	}
	var out []string
	for _, p := range on.Prompts {
		for _, o := range p.Options {
			out = append(out, o.Roles...)
		}
	}
	for _, r := range g.Roles {
		if slices.ContainsFunc([]json.RawMessage{r.Tags.Connected, r.Tags.Boosts, r.Tags.Bought, r.Tags.Listing}, func(m json.RawMessage) bool { return m != nil }) {
			out = append(out, r.ID)
		}
	}
	return out, nil
}

// members lists the people of a guild with their roles.
func (d *Directory) members(ctx context.Context, guild string) ([]reader, error) {
	now := d.now()
	if l, ok := d.listings.Get(guild); ok && now.Sub(l.at).Abs() < membersFresh {
		return l.people, nil
	}
	l := listing{at: now}
	after := "0"
	for n := 0; ; n++ {
		if n == memberPages {
			return nil, errMany
		}
		var page []wire.Member
		q := url.Values{"limit": {strconv.Itoa(membersPage)}, "after": {after}}
		err := d.api.Do(ctx, rest.Call{
			Method: http.MethodGet, Path: "/guilds/" + guild + "/members?" + q.Encode(), Bucket: "members/" + guild, Out: &page, Again: true, Urgent: true,
		})
		if d.refused.Store(rest.StatusOf(err) == http.StatusForbidden); d.refused.Load() {
			return nil, ErrMembers
		}
		if err != nil {
			return nil, rest.Delivery("readers", fmt.Errorf("list the members of a server: %w", err))
		}
		for _, m := range page {
			if m.User == nil || m.User.ID == "" {
				return nil, errOpen
			}
			if after = m.User.ID; !m.User.Bot {
				l.people = append(l.people, reader{m.User.ID, m.Roles})
			}
		}
		if len(page) < membersPage {
			break
		}
	}
	d.listings.Add(guild, l)
	return l.people, nil
}
