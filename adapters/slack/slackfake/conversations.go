package slackfake

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

func (s *Server) authTest(args) (map[string]any, string) {
	out := map[string]any{"url": s.base + "/", "team": "Fake", "user": "maru", "team_id": s.opt.Team, "user_id": "UBOT", "bot_id": "BMARU", "is_enterprise_install": s.opt.Org}
	if s.opt.Enterprise != "" {
		out["enterprise_id"] = s.opt.Enterprise
	}
	return out, ""
}

// window applies oldest, latest, inclusive, limit and cursor to messages that
// are sorted as the method returns them.
func (s *Server) window(all []*Message, a args) (map[string]any, string) {
	limit := 100
	if a["limit"] != "" {
		n, err := strconv.Atoi(a["limit"])
		if err != nil || n < 1 || n > 999 {
			return nil, "invalid_limit"
		}
		limit = n
	}
	if s.opt.Sold {
		limit = min(limit, 15)
	}
	start := 0
	if c := a["cursor"]; c != "" {
		n, err := strconv.Atoi(c)
		if err != nil || n > len(all) {
			return nil, "invalid_cursor"
		}
		start = n
	}
	inclusive := a["inclusive"] == "1" || a["inclusive"] == "true"
	var kept []*Message
	for _, m := range all {
		late := a["latest"] != "" && (m.TS > a["latest"] || m.TS == a["latest"] && !inclusive)
		early := a["oldest"] != "" && (m.TS < a["oldest"] || m.TS == a["oldest"] && !inclusive)
		root := a["ts"] != "" && m.TS == a["ts"] // every first page contains the thread's root
		if late || early && !root {
			continue
		}
		kept = append(kept, m)
	}
	page := kept[min(start, len(kept)):min(start+limit, len(kept))]
	out := []any{}
	for _, m := range page {
		o := s.json(m, a["include_all_metadata"] == "1" || a["include_all_metadata"] == "true")
		if n := s.repliesTo(a["channel"], m.TS); n > 0 {
			o["thread_ts"], o["reply_count"] = m.TS, n
		}
		out = append(out, o)
	}
	res := map[string]any{"messages": out, "has_more": start+limit < len(kept)}
	if start+limit < len(kept) {
		res["response_metadata"] = map[string]any{"next_cursor": strconv.Itoa(start + limit)}
	}
	return res, ""
}

// repliesTo returns the number of replies to a message.
func (s *Server) repliesTo(channel, ts string) int {
	n := 0
	for _, m := range s.channels[channel].messages {
		if m.Thread == ts && m.TS != ts {
			n++
		}
	}
	return n
}

func (s *Server) thread(a args) (map[string]any, string) {
	ch, code := s.place(a["channel"])
	if code != "" {
		return nil, code
	}
	if s.message(ch.ID, a["ts"]) == nil {
		return nil, "thread_not_found"
	}
	var all []*Message
	for _, m := range ch.messages {
		if m.TS == a["ts"] || m.Thread == a["ts"] {
			all = append(all, m)
		}
	}
	return s.window(all, a)
}

func (s *Server) history(a args) (map[string]any, string) {
	ch, code := s.place(a["channel"])
	if code != "" {
		return nil, code
	}
	var all []*Message
	for _, m := range slices.Backward(ch.messages) {
		if m.Thread == "" || m.Thread == m.TS {
			all = append(all, m)
		}
	}
	return s.window(all, a)
}

func (s *Server) conversationInfo(a args) (map[string]any, string) {
	ch := s.channels[a["channel"]]
	if ch == nil || ch.Private && !slices.Contains(ch.Members, "UBOT") {
		return nil, "channel_not_found"
	}
	return map[string]any{"channel": map[string]any{"id": ch.ID, "name": ch.Name, "user": counterpart(ch), "is_archived": ch.Archived, "context_team_id": first(ch.Team, s.opt.Team), "is_im": isDirect(ch.ID), "is_channel": ch.ID[0] == 'C', "is_private": ch.Private || ch.ID[0] != 'C', "is_mpim": false, "is_ext_shared": ch.Shared, "is_member": slices.Contains(ch.Members, "UBOT")}}, ""
}

// counterpart is whom a direct conversation is with, nil for other channels.
func counterpart(ch *channel) any {
	if i := slices.IndexFunc(ch.Members, func(m string) bool { return m != "UBOT" }); i >= 0 && isDirect(ch.ID) {
		return ch.Members[i]
	}
	return nil
}

// memberPages limits the members per page, to exercise paging.
const memberPages = 100

func (s *Server) members(a args) (map[string]any, string) {
	ch := s.channels[a["channel"]]
	if ch == nil || (ch.Private && !slices.Contains(ch.Members, "UBOT")) {
		return nil, "channel_not_found"
	}
	limit, start := memberPages, 0
	if a["limit"] != "" {
		n, err := strconv.Atoi(a["limit"])
		if err != nil || n < 1 || n > 1000 {
			return nil, "invalid_limit"
		}
		limit = min(n, memberPages)
	}
	if c := a["cursor"]; c != "" {
		n, err := strconv.Atoi(c)
		if err != nil || n > len(ch.Members) {
			return nil, "invalid_cursor"
		}
		start = n
	}
	end, next := min(start+limit, len(ch.Members)), ""
	if end < len(ch.Members) {
		next = strconv.Itoa(end)
	}
	return map[string]any{"members": ch.Members[start:end], "response_metadata": map[string]any{"next_cursor": next}}, ""
}

// AddGroup adds or replaces a user group, with its members.
func (s *Server) AddGroup(id string, users ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[id] = users
}

func (s *Server) groupUsers(a args) (map[string]any, string) {
	users, ok := s.groups[a["usergroup"]]
	if !ok {
		return nil, "no_such_subteam"
	}
	return map[string]any{"users": users}, ""
}

func (s *Server) botInfo(a args) (map[string]any, string) {
	if id := a["bot"]; id != "" && id != "BMARU" {
		return nil, "bot_not_found"
	}
	return map[string]any{"bot": map[string]any{"id": "BMARU", "app_id": "AMARU", "user_id": "UBOT", "name": "maru", "deleted": false}}, ""
}

func (s *Server) groupList(args) (map[string]any, string) {
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.groups)) {
		list = append(list, map[string]any{"id": id, "team_id": s.opt.Team, "is_usergroup": true, "name": "Group " + id, "handle": strings.ToLower(id), "date_delete": 0})
	}
	return map[string]any{"usergroups": list}, ""
}

func (s *Server) conversationOpen(a args) (map[string]any, string) {
	for id, ch := range s.channels {
		if isDirect(id) && (id == a["channel"] || slices.Contains(ch.Members, a["users"])) {
			return map[string]any{"channel": map[string]any{"id": id}, "already_open": true}, ""
		}
	}
	if s.users[a["users"]] == nil {
		return nil, "user_not_found"
	}
	id := s.id("D")
	s.channels[id] = &channel{Channel: Channel{ID: id, Members: []string{"UBOT", a["users"]}}}
	return map[string]any{"channel": map[string]any{"id": id}}, ""
}

func (s *Server) userInfo(a args) (map[string]any, string) {
	u := s.users[a["user"]]
	if u == nil {
		return nil, "user_not_found"
	}
	return map[string]any{"user": s.userJSON(u, a["include_locale"] == "true")}, ""
}

func (s *Server) userList(args) (map[string]any, string) {
	var out []any
	for _, u := range s.users {
		out = append(out, s.userJSON(u, true))
	}
	return map[string]any{"members": out, "response_metadata": map[string]any{"next_cursor": ""}}, ""
}

// profileJSON returns a person's profile, with an e-mail address if the token's scopes permit.
func (s *Server) profileJSON(u *User) map[string]any {
	out := map[string]any{"display_name": u.Name, "real_name": u.RealName}
	if u.Mail != "" && (s.opt.Scopes == "" || slices.Contains(strings.Split(s.opt.Scopes, ","), "users:read.email")) {
		out["email"] = u.Mail
	}
	return out
}

func (s *Server) userJSON(u *User, locale bool) map[string]any {
	out := map[string]any{
		"id": u.ID, "team_id": first(u.Team, s.opt.Team), "name": u.Name, "real_name": u.RealName, "tz": u.TZ,
		"is_admin": u.Admin, "is_owner": false, "is_bot": u.Bot, "is_restricted": u.Guest,
		"profile": s.profileJSON(u), "deleted": u.Deleted, "is_email_confirmed": u.Mail != "",
	}
	if locale {
		out["locale"] = u.Locale
	}
	return out
}
