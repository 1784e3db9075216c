package slack

import (
	"regexp"
	"strings"

	"maru/phrase/fit"
)

// Slack reads its own tokens between angle brackets (<!channel>, <@U1>,
// <url|label>) in every text it is given, inside a markdown block and inside
// code as well, and shows the three entities as what they stand for without
// reading them again. So no angle bracket that did not come from this package
// ever leaves it. See docs/decisions/0150.

var mrkdwnEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape makes plain text safe in mrkdwn text. It cleans first: what cleans after
// [calm] would take the breaker out again.
func escape(s string) string { return mrkdwnEscaper.Replace(fit.Clean(s)) }

// breaker is a character of no width that takes a word its meaning to machines.
const breaker = "\u200b"

// crowd are the words that call everybody where mentions are looked for in
// plain words.
var crowd = regexp.MustCompile(`(?i)@(everyone|channel|here)\b`)

// calm takes words that call everybody their effect.
func calm(s string) string { return crowd.ReplaceAllString(s, "@"+breaker+"$1") }

// literal makes words safe where Slack shows them as they are (plain_text, which
// knows no entities): even read as mrkdwn by mistake they call nobody.
func literal(s string) string { return tokenBreaker.Replace(calm(fit.Clean(s))) }

var tokenBreaker = strings.NewReplacer("<!", "<"+breaker+"!", "<@", "<"+breaker+"@", "<#", "<"+breaker+"#")

// plainSafe makes plain text safe in mrkdwn and calls nobody.
func plainSafe(s string) string { return mrkdwnEscaper.Replace(calm(fit.Clean(s))) }

var (
	entityLike = regexp.MustCompile(`&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});`)
	brackets   = regexp.MustCompile(`(?i)\\?<|\\?>|\\&|&#0*60;|&#x0*3c;|&#0*62;|&#x0*3e;`)
)

// escapeMarkdown makes Markdown source text (not code) safe in a markdown block:
// its own backslashes and entities keep their meaning. It is idempotent.
func escapeMarkdown(s string) string {
	return brackets.ReplaceAllStringFunc(s, func(m string) string {
		switch {
		case m == `\&`:
			return "&amp;"
		case strings.HasSuffix(m, ">"), strings.Contains(strings.ToLower(m), "62"), strings.Contains(strings.ToLower(m), "3e"):
			return "&gt;"
		}
		return "&lt;"
	})
}

// escapeCode makes code safe; an ampersand that would read as an entity is
// written as one, so that people see what was meant.
func escapeCode(s string) string {
	s = entityLike.ReplaceAllString(s, "&amp;$1;")
	return angleEscaper.Replace(s)
}

var angleEscaper = strings.NewReplacer("<", "&lt;", ">", "&gt;")
