package markdown

import (
	"strings"

	"maru/phrase/pattern"
)

// Slack reads its own tokens between angle brackets (<!channel>, <@U1>, <url|label>) in
// every text it is given, inside a markdown block and inside code as well, and shows
// the three entities as what they stand for without reading them again. So no angle
// bracket that did not come from this package ever leaves it. See adapters/slack/README.md.

// slackSource escapes Markdown source (not code), keeping its backslashes and entities.
func slackSource(piece string) string {
	if !strings.ContainsAny(piece, "<>&@:\\]~") {
		return piece
	}
	return strings.ReplaceAll(angles(calm(defang(slackTildes(piece)))), "](", "]\\(")
}

// slackWord escapes a plain word.
func slackWord(s string) string { return slackSource(slackLabel.Replace(s)) }

// slackLabel escapes markup in plain text.
var slackLabel = strings.NewReplacer("\\", "\\\\", "[", "\\[", "]", "\\]", "`", "\\`", "*", "\\*", "_", "\\_", "~", "\\~", "&", "\\&")

// slackTildes escapes single tildes: Slack documents two for strikethrough, but common
// parsers accept one. It ignores whether a partner follows, because the start of a growing
// text must not change. URLs keep theirs.
func slackTildes(piece string) string {
	if !strings.Contains(piece, "~") || strings.TrimRight(piece, " ") == "~" && strings.HasSuffix(piece, " ") {
		return piece // between spaces it is text
	}
	var b strings.Builder
	end := 0
	for _, at := range webAddress.FindAllStringIndex(piece, -1) {
		b.WriteString(singles(piece[end:at[0]]) + piece[at[0]:at[1]])
		end = at[1]
	}
	return b.String() + singles(piece[end:])
}

var tildes = pattern.New(`\\.|~+`)

// singles escapes the single, unescaped tildes of s.
func singles(s string) string {
	return tildes.ReplaceAllStringFunc(s, func(m string) string {
		if m == "~" {
			return `\~`
		}
		return m
	})
}

var brackets = pattern.New(`(?i)\\\\|\\?<|\\?>|\\&|&#0*60;|&#x0*3c;|&#0*62;|&#x0*3e;`)

// angles escapes the angle brackets of Markdown source. It is idempotent.
func angles(s string) string {
	return brackets.ReplaceAllStringFunc(s, func(m string) string {
		switch {
		case m == `\\`: // escapes itself, not what follows
			return m
		case m == `\&`:
			return "&amp;"
		case strings.HasSuffix(m, ">"), strings.Contains(strings.ToLower(m), "62"), strings.Contains(strings.ToLower(m), "3e"):
			return "&gt;"
		}
		return "&lt;"
	})
}

var angled = strings.NewReplacer("<", "&lt;", ">", "&gt;")

var entityLike = pattern.New(`&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});`)

// slackCode escapes code. An ampersand that would begin an entity is escaped, so that the
// entity stays literal.
func slackCode(s string) string {
	s = entityLike.ReplaceAllString(s, "&amp;$1;")
	return angled.Replace(s)
}

// slackSpan writes a code span, with more backticks than it contains.
func slackSpan(plain string) string {
	ticks, pad := strings.Repeat("`", longestRun(plain, '`')+1), ""
	if strings.HasPrefix(plain, "`") || strings.HasSuffix(plain, "`") || plain == "" {
		pad = " "
	}
	return ticks + pad + slackCode(plain) + pad + ticks
}

// URLs of schemes that must not become links where an app auto-links plain text.
var (
	otherScheme = pattern.New(`(?i)\b([a-z][a-z0-9+.-]*):(//|[^\s/:])`)
	userInfo    = pattern.New(`(?i)\b(https?):(//[^\s/?#]*@)`)
)

// runs reports whether a scheme is active without "//".
func runs(scheme string) bool {
	switch scheme {
	case "javascript", "data", "vbscript", "file", "tel", "sms":
		return true
	}
	return false
}

// defang breaks up non-web URLs in plain text.
func defang(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	s = userInfo.ReplaceAllString(s, "$1:"+Breaker+"$2")
	return otherScheme.ReplaceAllStringFunc(s, func(m string) string {
		scheme, rest, _ := strings.Cut(m, ":")
		switch low := strings.ToLower(scheme); {
		case low == "http" || low == "https" || low == "mailto":
			return m
		case strings.HasPrefix(rest, "//") || runs(low):
			return scheme + ":" + Breaker + rest
		}
		return m
	})
}
