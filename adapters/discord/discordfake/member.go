package discordfake

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
)

// Flags of an application that may list members; the second one is that of a bot in few guilds.
const flagsMembers = 1<<14 | 1<<15

// ForbidMembers denies or allows the application to list members.
func (f *Fake) ForbidMembers(forbidden bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flags &^= flagsMembers
	if !forbidden {
		f.flags |= 1 << 15
	}
}

// CloseTo hides a channel from everyone but these roles and users, and administrators.
func (f *Fake) CloseTo(channel string, people ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.channels[channel]
	c.Hidden, c.Shown = []string{f.Guild}, people
	f.dispatch("CHANNEL_UPDATE", f.channelJSON(c))
}

// AddRole creates a role of the guild with permissions in decimal digits and tags, nil for none.
func (f *Fake) AddRole(name, permissions string, tags map[string]any) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id()
	r := map[string]any{"id": id, "name": name, "permissions": permissions, "position": 1, "color": 0, "hoist": false, "managed": tags != nil, "mentionable": true}
	if tags != nil {
		r["tags"] = tags
	}
	f.moreRoles = append(f.moreRoles, r)
	return id
}

// SetOnboarding sets the roles that new members can choose.
func (f *Fake) SetOnboarding(roles ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.selfGiven = roles
}

// Announce converts a channel to an announcement channel, which other guilds may follow.
func (f *Fake) Announce(channel string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.channels[channel].Type = 5
}

func (q *request) getMembers() {
	f, v := q.f, q.r.URL.Query()
	limit, err := strconv.Atoi(cmp.Or(v.Get("limit"), "1"))
	after, bad := strconv.ParseUint(cmp.Or(v.Get("after"), "0"), 10, 64)
	switch {
	case q.vars[0] != f.Guild || f.outside:
		q.fail(http.StatusNotFound, 10004, "Unknown Guild")
		return
	case f.flags&flagsMembers == 0:
		q.fail(http.StatusForbidden, 50001, "Missing Access")
		return
	case err != nil || limit < 1 || limit > 1000 || bad != nil:
		q.invalid("limit or after of a list of members")
		return
	}
	var in []*User
	for _, u := range f.users {
		if !u.Left && number(u.ID) > after {
			in = append(in, u)
		}
	}
	slices.SortFunc(in, func(a, b *User) int { return cmp.Compare(number(a.ID), number(b.ID)) })
	out := []any{}
	for _, u := range in[:min(limit, len(in))] {
		m := f.memberJSON(u)
		m["user"] = f.userJSON(u)
		out = append(out, m)
	}
	q.ok(out)
}

func (q *request) getOnboarding() {
	if q.vars[0] != q.f.Guild || q.f.outside {
		q.fail(http.StatusNotFound, 10004, "Unknown Guild")
		return
	}
	prompts := []any{}
	if roles := q.f.selfGiven; len(roles) > 0 {
		prompts = append(prompts, map[string]any{
			"id": "1", "title": "Who are you?", "type": 0, "single_select": false, "required": false, "in_onboarding": true,
			"options": []any{map[string]any{"id": "2", "title": "One of the team", "description": "", "emoji": map[string]any{"id": nil, "name": nil, "animated": false}, "role_ids": roles, "channel_ids": []string{}}},
		})
	}
	q.ok(map[string]any{"guild_id": q.f.Guild, "prompts": prompts, "default_channel_ids": []string{}, "enabled": len(prompts) > 0, "mode": 0})
}

// NameOf returns the name of a person or bot, "" if there is none.
func (f *Fake) NameOf(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if u := f.users[id]; u != nil {
		return u.Name
	}
	return ""
}
