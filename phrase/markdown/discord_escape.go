package markdown

import (
	"strings"

	"maru/phrase/pattern"
)

// discordToken matches Discord's angle-bracket tokens: mentions, channels, emojis, times,
// commands, server places.
var discordToken = pattern.New(`<([@#][!&]?\d|@[!&]|a?:\w+:\d|t:-?\d|/[^<>\n]{1,120}:\d|id:\w|sound:\d)`)

// discordCalm disables mentions and Discord's tokens, in text and in code. As a second line
// of defence, allowed_mentions is empty on every send.
func discordCalm(s string) string {
	s = calm(s)
	if strings.IndexByte(s, '<') >= 0 {
		s = discordToken.ReplaceAllString(s, "<"+Breaker+"$1")
	}
	return s
}

// discordEscape escapes plain text for Discord's Markdown. It escapes only possible markup,
// so that ordinary text stays unchanged.
func discordEscape(s string) string {
	s = discordCalm(s)
	if !strings.ContainsAny(s, "\\`*_~|[]") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if marksUp(s, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// marksUp reports whether the byte at i could begin or end markup.
func marksUp(s string, i int) bool {
	switch s[i] {
	case '`':
		return true
	case ']':
		return i+1 < len(s) && s[i+1] == '('
	case '\\':
		return i+1 == len(s) || isPunct(s[i+1])
	case '*':
		return !isSpaceAt(s, i-1) || !isSpaceAt(s, i+1)
	case '_':
		return !isWordAt(s, i-1) || !isWordAt(s, i+1)
	case '~', '|':
		return i > 0 && s[i-1] == s[i] || i+1 < len(s) && s[i+1] == s[i]
	}
	return false
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
}

// isSpaceAt treats the ends of the text as spaces.
func isSpaceAt(s string, i int) bool { return i < 0 || i >= len(s) || s[i] == ' ' }

func isWordAt(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// URLs in plain text, and schemes that must not become links.
var (
	bareAddress = pattern.New(`(?i)https?://[^\s<>]+`)
	anyScheme   = pattern.New(`(?i)\b([a-z][a-z0-9+.-]*)(://)`)
)

// discordWord escapes a plain word but keeps web URLs whole; unsafe ones are broken up, and
// its end forms no mention with the following text.
func discordWord(s string) string {
	safe := discordEscape
	if strings.Contains(s, ":") {
		safe = discordAddresses
	}
	out := safe(s)
	if t := strings.TrimRight(out, "@!&#:/"); len(t) < len(out) && strings.ContainsAny(out[len(t):], "@") || strings.HasSuffix(t, "<") {
		return out + Breaker
	}
	return out
}

func discordAddresses(s string) string {
	plain := func(s string) string { return discordEscape(anyScheme.ReplaceAllString(s, "$1:"+Breaker+"//")) }
	var b strings.Builder
	for s != "" {
		at := bareAddress.FindStringIndex(s)
		if at == nil {
			break
		}
		raw := strings.TrimRight(s[at[0]:at[1]], ".,;:!?)]}*_~|`'\"")
		b.WriteString(plain(s[:at[0]]))
		if strings.HasSuffix(s[:at[0]], "<") {
			b.WriteString(Breaker) // Discord leaves out the brackets around a URL
		}
		if u, _, ok := discordAddress(raw); ok {
			b.WriteString(u)
		} else {
			b.WriteString(discordEscape(strings.Replace(raw, "://", ":"+Breaker+"//", 1)))
		}
		s = s[at[0]+len(raw):]
	}
	return b.String() + plain(s)
}

// discordCode escapes code for a code block: Discord supports only three-backtick fences, so
// three in a row are broken up. An empty block would show its fences.
func discordCode(s string) string {
	s = discordCalm(s)
	for strings.Contains(s, "```") {
		s = strings.ReplaceAll(s, "```", "``"+Breaker+"`")
	}
	return s
}

// discordSpan writes a code span.
func discordSpan(s string) string {
	s = discordCalm(strings.ReplaceAll(s, "\n", " "))
	if strings.TrimSpace(s) == "" {
		return "` `"
	}
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	for strings.Contains(s, "``") {
		s = strings.ReplaceAll(s, "``", "`"+Breaker+"`")
	}
	return "`` " + s + " ``"
}
