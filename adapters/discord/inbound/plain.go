package inbound

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"maru/adapters/discord/wire"
	"maru/bot/content"
	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// inText matches Discord's tokens in a message.
var inText = pattern.New(`<(@!?|@&|#)(\d{1,20})>|<a?:(\w{1,64}):\d{1,20}>|<t:(-?\d{1,13})(?::[tTdDfFRsS])?>|<(/[^<>\n:]{1,120}):\d{1,20}>|<id:([a-z-]{1,20})(?::\d{1,20})?>`)

// code matches code, in which tokens have no meaning.
var code = pattern.New("(?s)```.+?```|``.+?``|`[^`]+`")

// outsideCode applies change to the parts of s that are not code.
func outsideCode(s string, change func(string) string) string {
	var b strings.Builder
	end := 0
	for _, c := range code.FindAllStringIndex(s, -1) {
		b.WriteString(change(s[end:c[0]]) + s[c[0]:c[1]])
		end = c[1]
	}
	return b.String() + change(s[end:])
}

// PlainText converts a message's content to plain text: the bot's mention is removed, other
// mentions become @name, channels #name, emojis :name:, timestamps a readable date. Code is
// unchanged.
func (r *Reader) PlainText(m *wire.Message, guild string) string {
	if m.Author != nil && m.Author.ID == r.me.ID() {
		return r.plain(m, guild, m.Text())
	}
	return r.plain(m, guild, m.Said())
}

func (r *Reader) plain(m *wire.Message, guild, said string) string {
	self := r.me.ID()
	names := map[string]string{}
	for _, u := range m.Named() {
		nick := ""
		if u.Member != nil {
			nick = u.Member.Nick
		}
		names[u.ID] = cmp.Or(nick, u.Name())
	}
	word := func(t string) string {
		p := inText.FindStringSubmatch(t)
		switch {
		case strings.HasPrefix(p[1], "@&"):
			if r.members.IsBotRole(guild, p[2], self) {
				return ""
			}
			return "@" + cmp.Or(r.members.RoleName(guild, p[2]), "role")
		case strings.HasPrefix(p[1], "@"):
			if p[2] == self {
				return ""
			}
			return "@" + cmp.Or(names[p[2]], "someone")
		case p[1] == "#":
			return "#" + r.channelName(p[2])
		case p[3] != "":
			return ":" + p[3] + ":"
		case p[4] != "":
			return unixText(p[4])
		case p[6] != "": // a page of the server, as "browse"
			return "#" + p[6]
		}
		return p[5]
	}
	s := outsideCode(said, func(s string) string { return inText.ReplaceAllStringFunc(s, word) })
	return strings.TrimSpace(strings.ReplaceAll(fit.Clean(s), "\uFFFD", ""))
}

func unixText(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > 253402300799 || n < -62135596800 {
		return s
	}
	return content.Moment(time.Unix(n, 0))
}

// mentions reports whether a message addresses the bot: by mention, by its role,
// or as a reply to one of its messages.
func (r *Reader) mentions(m *wire.Message, guild string) bool {
	self := r.me.ID()
	for _, u := range m.Mentions {
		if u.ID == self {
			return true
		}
	}
	for _, role := range m.MentionRoles {
		if r.members.IsBotRole(guild, role, self) {
			return true
		}
	}
	return m.Type == wire.MessageReply && m.Referenced != nil && m.Referenced.Author != nil && m.Referenced.Author.ID == self
}
