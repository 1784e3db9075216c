package discord

import (
	"regexp"
	"strings"
)

// breaker is a character of no width that takes a word its meaning to machines.
const breaker = "\u200b"

var (
	// crowd are the words that call everybody.
	crowd = regexp.MustCompile(`(?i)@(everyone|here)\b`)
	// token is what Discord reads between angle brackets: mentions, channels,
	// emojis, times, commands, places of a server.
	token = regexp.MustCompile(`<([@#][!&]?\d|@[!&]|a?:\w+:\d|t:-?\d|/[^<>\n]{1,120}:\d|id:\w|sound:\d)`)
)

// calm takes mentions and Discord's own tokens their effect, in words and in
// code. allowed_mentions is empty on every send as well.
func calm(s string) string {
	if strings.IndexByte(s, '@') >= 0 {
		s = crowd.ReplaceAllString(s, "@"+breaker+"$1")
	}
	if strings.IndexByte(s, '<') >= 0 {
		s = token.ReplaceAllString(s, "<"+breaker+"$1")
	}
	return s
}

// escape makes plain words stand in Discord's Markdown as they are. It escapes
// only what could be read as markup, so that ordinary text stays untouched.
func escape(s string) string {
	s = calm(s)
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

// isSpaceAt counts the ends of the text as spaces.
func isSpaceAt(s string, i int) bool { return i < 0 || i >= len(s) || s[i] == ' ' }

func isWordAt(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// escapeWords escapes plain words but leaves web addresses whole; those that
// nobody should click are broken.
func escapeWords(s string) string {
	if !strings.Contains(s, ":") {
		return escape(s)
	}
	var b strings.Builder
	for s != "" {
		at := bare.FindStringIndex(s)
		if at == nil {
			break
		}
		raw := strings.TrimRight(s[at[0]:at[1]], trailing)
		b.WriteString(escape(defang(s[:at[0]])))
		if u, _, ok := safeURL(raw); ok {
			b.WriteString(u)
		} else {
			b.WriteString(escape(strings.Replace(raw, "://", ":"+breaker+"//", 1)))
		}
		s = s[at[0]+len(raw):]
	}
	b.WriteString(escape(defang(s)))
	return b.String()
}

// defang makes addresses of other schemes unclickable.
func defang(s string) string { return strange.ReplaceAllString(s, "$1:"+breaker+"//") }

// lineStart finds what Discord reads as a block at the start of a line.
var lineStart = regexp.MustCompile(`^( *)(#{1,3} |-# |>{1,3} |[-*+] |\d{1,9}[.)] )`)

// escapeStart keeps a line of plain words from being read as a heading, a quote
// or a list.
func escapeStart(s string) string {
	m := lineStart.FindStringSubmatchIndex(s)
	if m == nil {
		return s
	}
	if c := s[m[4]]; c >= '0' && c <= '9' { // "1. " becomes "1\. "
		dot := m[5] - 2
		return s[:dot] + "\\" + s[dot:]
	}
	return s[:m[4]] + "\\" + s[m[4]:]
}

// codeText makes words stand in a code block: Discord knows no longer fence than
// three backticks, so three in a row are broken.
func codeText(s string) string {
	s = calm(s)
	for strings.Contains(s, "```") {
		s = strings.ReplaceAll(s, "```", "``"+breaker+"`")
	}
	return s
}

// codeSpan writes a code span.
func codeSpan(s string) string {
	s = calm(strings.ReplaceAll(s, "\n", " "))
	if strings.TrimSpace(s) == "" {
		return "` `"
	}
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	for strings.Contains(s, "``") {
		s = strings.ReplaceAll(s, "``", "`"+breaker+"`")
	}
	return "`` " + s + " ``"
}
