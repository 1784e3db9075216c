package slackfake

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The Real-time Search API as documented at https://docs.slack.dev/reference/methods/assistant.search.context:
// arguments, limits, errors, and that a bot token needs an event's action_token, whose author's rights apply to
// the results. Arguments missing in methods are not supported. Slack's ranking is not documented: here a message
// matches if it contains a word of the query, also without its last syllable, because of Korean particles.

// searchKinds maps channel types to the required scopes.
var searchKinds = map[string]string{
	"public_channel": "search:read.public", "private_channel": "search:read.private", "mpim": "search:read.mpim", "im": "search:read.im",
}

// grant creates the action_token for a message's events. The caller holds s.mu.
func (s *Server) grant(m *Message) string {
	token := "12345.98765." + strings.ReplaceAll(m.TS, ".", "")
	s.grants[token] = m.User
	return token
}

// EndGrants expires all action tokens sent so far.
func (s *Server) EndGrants() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.grants)
}

func (s *Server) searchContext(a args) (map[string]any, string) {
	kinds := strings.Split(first(a["channel_types"], "public_channel"), ",")
	for _, k := range kinds {
		scope, ok := searchKinds[k]
		if !ok {
			return nil, "invalid_arguments: channel_types: " + k
		}
		if s.opt.Scopes != "" && !slices.Contains(strings.FieldsFunc(s.opt.Scopes, func(r rune) bool { return r == ',' || r == ' ' }), scope) {
			return map[string]any{"needed": scope, "provided": s.opt.Scopes}, "missing_scope"
		}
	}
	limit, err := strconv.Atoi(first(a["limit"], "20"))
	user, granted := s.grants[a["action_token"]]
	start, bad := strconv.Atoi(first(a["cursor"], "0"))
	switch {
	case s.opt.NoSearch:
		return nil, "feature_not_enabled"
	case strings.TrimSpace(a["query"]) == "":
		return nil, "missing_query"
	case !granted:
		return nil, "invalid_action_token"
	case err != nil || limit < 1 || limit > 20:
		return nil, "invalid_arguments: limit"
	case bad != nil:
		return nil, "invalid_cursor"
	case first(a["content_types"], "messages") != "messages":
		return nil, "invalid_arguments: only messages are played"
	}
	all := s.searched(user, a, kinds)
	end, next := min(start+limit, len(all)), ""
	if end < len(all) {
		next = strconv.Itoa(end)
	}
	return map[string]any{
		"results":           map[string]any{"messages": all[min(start, len(all)):end]},
		"response_metadata": map[string]any{"next_cursor": next},
	}, ""
}

// searched returns the matching messages that a person may read, best first.
func (s *Server) searched(user string, a args, kinds []string) []any {
	type hit struct {
		score int
		ts    string
		json  map[string]any
	}
	var hits []hit
	for _, ch := range s.channels {
		if !slices.Contains(kinds, kindOf(ch)) || !s.reads(user, ch) {
			continue
		}
		for _, m := range ch.messages {
			sec, _, _ := strings.Cut(m.TS, ".")
			score := fits(m.Text, a["query"])
			if score == 0 || m.BotID != "" || m.Subtype == "bot_message" || a["after"] != "" && sec < a["after"] || a["before"] != "" && sec >= a["before"] {
				continue
			}
			hits = append(hits, hit{score, m.TS, map[string]any{
				"author_user_id": m.User, "author_name": s.userName(m.User), "team_id": first(ch.Team, s.opt.Team), "channel_id": ch.ID, "channel_name": ch.Name,
				"message_ts": m.TS, "content": m.Text, "is_author_bot": false, "permalink": s.base + "/archives/" + ch.ID + "/p" + strings.ReplaceAll(m.TS, ".", ""),
			}})
		}
	}
	slices.SortFunc(hits, func(x, y hit) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.ts, x.ts)) })
	out := make([]any, 0, len(hits))
	for _, h := range hits {
		out = append(out, h.json)
	}
	return out
}

// kindOf returns the type of a channel.
func kindOf(ch *channel) string {
	switch {
	case isDirect(ch.ID):
		return "im"
	case ch.ID[0] == 'G':
		return "mpim"
	case ch.Private:
		return "private_channel"
	}
	return "public_channel"
}

// reads reports whether a person may read a channel: guests only where they are members.
func (s *Server) reads(user string, ch *channel) bool {
	u := s.users[user]
	return slices.Contains(ch.Members, user) || kindOf(ch) == "public_channel" && u != nil && !u.Guest && u.Team == ""
}

// fits counts the words of a query that a text has.
func fits(text, query string) int {
	n, text := 0, strings.ToLower(text)
	for _, w := range strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return strings.ContainsRune(" ?!.,:;", r) }) {
		_, last := utf8.DecodeLastRuneInString(w)
		if utf8.RuneCountInString(w) >= 2 && strings.Contains(text, w) || utf8.RuneCountInString(w) >= 3 && strings.Contains(text, w[:len(w)-last]) {
			n++
		}
	}
	return n
}
