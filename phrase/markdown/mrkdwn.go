package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// Breaker is a zero-width character that breaks machine-readable words.
const Breaker = "\u200b"

// crowd matches mentions of everybody in plain text.
var crowd = pattern.New(`(?i)@(everyone|channel|here)\b`)

// calm disables mentions of everybody.
func calm(s string) string {
	if strings.IndexByte(s, '@') < 0 {
		return s
	}
	return crowd.ReplaceAllString(s, "@"+Breaker+"$1")
}

// Replacers are stateless.
var (
	entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	opened   = strings.NewReplacer("<!", "<"+Breaker+"!", "<@", "<"+Breaker+"@", "<#", "<"+Breaker+"#")
)

// Entities escapes plain text for Slack's mrkdwn, in which mentions and formatting still
// work. It cleans first: cleaning after [calm] would remove the breaker.
func Entities(s string) string {
	return entities.Replace(fit.Clean(s))
}

// Mrkdwn writes plain text in Slack's mrkdwn, which has no escapes, without mentions and
// strikethrough.
func Mrkdwn(s string) string { return unstruck(calm(Entities(s))) }

// Literal prepares text for plain_text objects, which decode no entities: even if parsed as
// mrkdwn by mistake, it mentions nobody.
func Literal(s string) string {
	return opened.Replace(calm(fit.Clean(s)))
}

// Unmarked converts Slack's Markdown to readable mrkdwn, for messages whose markdown block is
// rejected: escaped tildes become plain ones that do not strike.
func Unmarked(md string) string { return unstruck(strings.ReplaceAll(md, `\~`, "~")) }

// tildeOperator looks like a tilde but does not strike.
const tildeOperator = "\u223c"

// unstruck replaces tildes that could begin a strikethrough in mrkdwn: without a letter or
// digit before or a space after, and with another tilde in the line. Ranges like
// "11:30~13:00" stay, because marks begin at word boundaries; a zero-width character would
// create such a boundary rather than prevent it.
func unstruck(s string) string {
	if strings.Count(s, "~") < 2 {
		return s
	}
	var b strings.Builder
	for l := range strings.Lines(s) {
		for i, r := range l {
			if r == '~' && strings.Contains(l[i+1:], "~") && begins(l, i) {
				b.WriteString(tildeOperator)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// begins reports whether a mark at l[i] may begin formatting in mrkdwn.
func begins(l string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(l[:i])
	after, _ := utf8.DecodeRuneInString(l[i+1:])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) && !unicode.IsSpace(after)
}
