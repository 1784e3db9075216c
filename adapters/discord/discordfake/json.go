package discordfake

import (
	"maps"
	"time"
)

func (f *Fake) userJSON(u *User) map[string]any {
	out := map[string]any{
		"id": u.ID, "username": u.Name, "global_name": u.Name, "discriminator": "0", "avatar": nil,
		"public_flags": 0, "flags": 0,
	}
	if u.Bot {
		out["bot"] = true
	}
	return out
}

func (f *Fake) memberJSON(u *User) map[string]any {
	roles := u.Roles
	if roles == nil {
		roles = []string{}
	}
	flags := 0
	if u.Guest {
		flags = 1 << 4
	}
	return map[string]any{"roles": roles, "nick": nil, "joined_at": "2024-01-01T00:00:00+00:00", "deaf": false, "mute": false, "flags": flags}
}

func (f *Fake) guildJSON() map[string]any {
	var channels, threads []any
	for _, c := range f.channels {
		switch {
		case c.Guild == "":
		case c.Type >= 10 && c.Type != channelForum:
			if !c.Archived {
				threads = append(threads, f.channelJSON(c))
			}
		default:
			channels = append(channels, f.channelJSON(c))
		}
	}
	role := func(id, name, permissions string, tags map[string]any) map[string]any {
		r := map[string]any{"id": id, "name": name, "permissions": permissions, "position": 1, "color": 0, "hoist": false, "managed": tags != nil, "mentionable": true}
		if tags != nil {
			r["tags"] = tags
		}
		return r
	}
	joined := f.joined
	if joined.IsZero() {
		joined = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return map[string]any{
		"joined_at": joined.Format(time.RFC3339),
		"id":        f.Guild, "name": "마루 팀", "owner_id": f.Admin, "unavailable": false, "preferred_locale": "ko", "system_channel_id": orNull(f.system),
		"channels": channels, "threads": threads, "member_count": len(f.users),
		"roles": append([]any{
			role(f.Guild, "@everyone", "104324673", nil),
			role("9"+f.Guild[1:], "Managers", "32", nil),
			role(f.botRole, "Maru", "0", map[string]any{"bot_id": f.botID}),
		}, f.moreRoles...),
		"members": []any{}, "emojis": []any{}, "voice_states": []any{}, "presences": []any{},
	}
}

func (f *Fake) channelJSON(c *Channel) map[string]any {
	out := map[string]any{"id": c.ID, "type": c.Type, "name": c.Name, "flags": 0}
	if c.Guild != "" {
		out["guild_id"] = c.Guild
	}
	if n := len(f.messages[c.ID]); n > 0 {
		out["last_message_id"] = f.messages[c.ID][n-1].ID
	} else {
		out["last_message_id"] = nil
	}
	switch {
	case c.Type == 1:
		delete(out, "name")
		out["recipients"] = []any{f.userJSON(f.users[c.Recipient])}
	case c.Type >= 10 && c.Type != channelForum:
		out["parent_id"] = c.Parent
		out["owner_id"] = f.botID
		out["message_count"], out["member_count"] = len(f.messages[c.ID]), 2
		out["thread_metadata"] = map[string]any{
			"archived": c.Archived, "locked": c.Locked, "auto_archive_duration": 1440,
			"archive_timestamp": "2026-01-01T00:00:00+00:00",
		}
	default:
		out["position"] = 0
		overwrites := []any{}
		for _, id := range c.Hidden {
			overwrites = append(overwrites, map[string]any{"id": id, "type": 0, "allow": "0", "deny": "1024"})
		}
		for _, id := range c.Shown {
			kind := 0
			if f.users[id] != nil {
				kind = 1
			}
			overwrites = append(overwrites, map[string]any{"id": id, "type": kind, "allow": "1024", "deny": "0"})
		}
		for _, id := range c.Now {
			overwrites = append(overwrites, map[string]any{"id": id, "type": 1, "allow": "0", "deny": "65536"})
		}
		out["permission_overwrites"] = overwrites
	}
	return out
}

// messageJSON encodes a message for the API or, with gateway, for an event.
func (f *Fake) messageJSON(m *Message, gateway bool) map[string]any {
	u := f.users[m.Author]
	out := map[string]any{
		"id": m.ID, "channel_id": m.Channel, "type": 0, "content": m.Content, "author": f.userJSON(u),
		"timestamp": m.At.UTC().Format(time.RFC3339Nano), "edited_timestamp": nil, "tts": false, "pinned": false,
		"mention_everyone": false, "mentions": f.mentionsOf(m, gateway), "mention_roles": f.rolesOf(m),
		"attachments": f.filesJSON(m), "embeds": []any{}, "components": m.Components, "flags": m.Flags,
	}
	if m.Components == nil {
		out["components"] = []any{}
	}
	if !m.Edited.IsZero() {
		out["edited_timestamp"] = m.Edited.UTC().Format(time.RFC3339Nano)
	}
	if th := f.channels[m.ID]; th != nil && th.ID != m.Channel && !gateway {
		out["thread"] = f.channelJSON(th)
	}
	maps.Copy(out, m.Beside)
	c := f.channels[m.Channel]
	if gateway && c != nil && c.Guild != "" {
		out["guild_id"] = c.Guild
		out["member"] = f.memberJSON(u)
	}
	if m.Reference != "" {
		out["type"] = 19
		out["message_reference"] = map[string]any{"type": 0, "message_id": m.Reference, "channel_id": m.Channel}
		out["referenced_message"] = nil
		if r := f.find(m.Reference); r != nil {
			ref := *r
			ref.Reference = ""
			inner := f.messageJSON(&ref, false)
			if r.Reference != "" {
				inner["message_reference"] = map[string]any{"type": 0, "message_id": r.Reference, "channel_id": r.Channel}
			}
			out["referenced_message"] = inner
		}
	}
	return out
}

func (f *Fake) filesJSON(m *Message) []any {
	out := []any{}
	for _, x := range m.Files {
		out = append(out, map[string]any{
			"id": x.ID, "filename": x.Name, "content_type": x.MIME, "size": x.Size, "url": x.URL, "proxy_url": x.URL,
		})
	}
	return out
}

func (f *Fake) mentionsOf(m *Message, gateway bool) []any {
	out := []any{}
	for _, id := range mentionRE.FindAllStringSubmatch(codeRE.ReplaceAllString(m.Content, ""), -1) {
		if u := f.users[id[1]]; u != nil {
			j := f.userJSON(u)
			if gateway {
				j["member"] = f.memberJSON(u)
			}
			out = append(out, j)
		}
	}
	return out
}

func (f *Fake) rolesOf(m *Message) []any {
	out := []any{}
	for _, id := range roleRE.FindAllStringSubmatch(codeRE.ReplaceAllString(m.Content, ""), -1) {
		out = append(out, id[1])
	}
	return out
}
