package place

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// proofTime is how long Discord's member data counts as current.
const proofTime = 15 * time.Second

// proof is an event's data about its author: their roles, and that they can read its channel.
type proof struct {
	channel string // or the parent of a thread
	roles   []string
	name    string // display name in the guild
	at      time.Time
}

// Prove records the member data of an event.
func (d *Directory) Prove(at bot.Thread, u *wire.User, m *wire.Member, eventID string) {
	if m == nil || at.Direct || at.Team == TeamDirect {
		return
	}
	if u == nil {
		u = m.User
	}
	if u == nil {
		return
	}
	d.proofs.Add(at.Team+" "+u.ID, proof{channel: at.Channel, roles: m.Roles, name: calledAs(u, m), at: wire.IDTime(eventID)})
}

// Member implements bot.Members: from the data of a recent click or message, else from the
// API.
func (d *Directory) Member(ctx context.Context, t bot.Thread, user, group string) (bool, error) {
	if t.Direct || t.Team == TeamDirect {
		return group == "", nil // a direct message has no other reader
	}
	private := false
	if group == "" {
		var err error
		if private, err = d.isPrivateThread(ctx, t); err != nil {
			return false, err
		}
	}
	p, ok := d.proofs.Get(t.Team + " " + user)
	if ok && !private && d.now().Sub(p.at).Abs() <= proofTime && (group != "" || p.channel == t.Channel) {
		return group == "" || slices.Contains(p.roles, group), nil
	}
	roles, ok, err := d.RolesNow(ctx, t.Team, user)
	switch {
	case err != nil || !ok:
		return false, err
	case group != "":
		return slices.Contains(roles, group), nil
	}
	rights := viewRight
	if private {
		if in, err := d.inThread(ctx, t.ID, user); err != nil {
			return false, err
		} else if !in {
			rights |= discordgo.PermissionManageThreads // they see every thread
		}
	}
	return d.May(ctx, t, user, roles, rights)
}

// isPrivateThread reports whether a conversation is a thread that some readers of its channel cannot see. A thread
// that the bot cannot see counts as private.
func (d *Directory) isPrivateThread(ctx context.Context, t bot.Thread) (bool, error) {
	if _, known := d.Known(t.ID); t.ID == "" || t.ID == t.Channel || d.questions.Has(t.ID) && !known {
		return false, nil
	}
	c, err := d.Channel(ctx, t.ID)
	switch rest.StatusOf(err) {
	case http.StatusNotFound: // a message without a thread
		return false, nil
	case http.StatusForbidden:
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask for a thread: %w", err)
	}
	return c.Type == wire.ChannelPrivateThread, nil
}

// inThread reports whether a person is in a thread.
func (d *Directory) inThread(ctx context.Context, thread, user string) (bool, error) {
	err := d.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/channels/" + thread + "/thread-members/" + user, Bucket: "thread-member/" + thread, Again: true, Urgent: true,
	})
	switch rest.StatusOf(err) {
	case http.StatusNotFound, http.StatusForbidden:
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up a thread's members: %w", err)
	}
	return true, nil
}

// PersonNow looks up a member of a guild. Nobody is a member of direct conversations.
func (d *Directory) PersonNow(ctx context.Context, t bot.Thread, id string) (bot.User, bool, error) {
	if t.Team == TeamDirect || t.Team == "" {
		return bot.User{}, false, nil
	}
	m, ok, err := d.memberNow(ctx, t.Team, id)
	if err != nil || !ok {
		return bot.User{}, false, err
	}
	return bot.User{ID: id, Name: d.NameOf(ctx, t, id), Roles: m.Roles, Guest: m.Guest(), Admin: d.isAdmin(t.Team, id, &wire.Member{Roles: m.Roles})}, true, nil
}

// RolesNow looks up the roles of a member; ok is false for a non-member.
func (d *Directory) RolesNow(ctx context.Context, guild, user string) (roles []string, ok bool, err error) {
	m, ok, err := d.memberNow(ctx, guild, user)
	return m.Roles, ok, err
}

// memberNow looks up a member; ok is false for a non-member.
func (d *Directory) memberNow(ctx context.Context, guild, user string) (m wire.Member, ok bool, err error) {
	err = d.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/guilds/" + guild + "/members/" + user, Bucket: "member/" + guild,
		Out: &m, Again: true, Urgent: true,
	})
	switch {
	case rest.CodeOf(err) == rest.CodeUnknownMember:
		return wire.Member{}, false, nil
	case err != nil:
		return wire.Member{}, false, fmt.Errorf("ask for a member: %w", err)
	}
	return m, true, nil
}

// May reports whether a member has all of some permissions in a conversation's channel.
func (d *Directory) May(ctx context.Context, t bot.Thread, user string, roles []string, rights uint64) (bool, error) {
	g, c, err := d.guildAndChannel(ctx, t)
	if err != nil {
		return false, err
	}
	return g.OwnerID == user || permissions(g, c, user, roles)&rights == rights, nil
}

// permissions computes a member's permissions in a channel by Discord's rules: the roles'
// permissions, then the channel's overwrites for everyone, the roles and the member.
func permissions(g wire.Guild, c wire.Channel, user string, roles []string) uint64 {
	var all uint64
	for _, r := range g.Roles {
		if r.ID == g.ID || slices.Contains(roles, r.ID) {
			all |= bits(r.Permissions)
		}
	}
	if all&permAdministrator != 0 {
		return ^uint64(0)
	}
	change := func(of func(wire.Overwrite) bool) {
		var allow, deny uint64
		for _, o := range c.Overwrites {
			if of(o) {
				allow, deny = allow|bits(o.Allow), deny|bits(o.Deny)
			}
		}
		all = all&^deny | allow
	}
	change(func(o wire.Overwrite) bool { return o.ID == g.ID })
	change(func(o wire.Overwrite) bool { return o.ID != g.ID && slices.Contains(roles, o.ID) })
	change(func(o wire.Overwrite) bool { return o.ID == user })
	return all
}

func bits(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// User returns a message's author, as Discord verified them.
func (d *Directory) User(guild string, u *wire.User, m *wire.Member) bot.User {
	if u == nil && m != nil {
		u = m.User
	}
	if u == nil {
		return bot.User{}
	}
	out := bot.User{ID: u.ID, Name: u.Name(), Bot: u.Bot}
	if m != nil {
		out.Name, out.Roles = cmp.Or(m.Nick, out.Name), m.Roles
	}
	out.Guest = m.Guest()
	out.Admin = guild != "" && d.isAdmin(guild, u.ID, m)
	return out
}
