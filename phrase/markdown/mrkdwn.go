package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
)

// Breaker is a character of no width that takes a word its meaning to machines.
const Breaker = "\u200b"

// crowd are the words that call everybody where mentions are looked for in plain words.
var crowd = regexp.MustCompile(`(?i)@(everyone|channel|here)\b`)

// calm makes words that call everybody call nobody.
func calm(s string) string {
	if strings.IndexByte(s, '@') < 0 {
		return s
	}
	return crowd.ReplaceAllString(s, "@"+Breaker+"$1")
}

// Replacers keep no state between texts.
var (
	entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	opened   = strings.NewReplacer("<!", "<"+Breaker+"!", "<@", "<"+Breaker+"@", "<#", "<"+Breaker+"#")
)

// Entities makes plain text safe in Slack's mrkdwn, in which it still calls whom it
// names and formats what it marks. It cleans first: what cleans after [calm] would take
// the breaker out again.
func Entities(s string) string {
	return entities.Replace(fit.Clean(s))
}

// Mrkdwn writes plain text in Slack's mrkdwn, which has no escapes: it calls nobody and
// strikes nothing.
func Mrkdwn(s string) string { return unstruck(calm(Entities(s))) }

// Literal makes words safe where Slack shows them as they are (plain_text, which knows
// no entities): even read as mrkdwn by mistake they call nobody.
func Literal(s string) string {
	return opened.Replace(calm(fit.Clean(s)))
}

// Unmarked makes Slack's Markdown readable in mrkdwn, for messages whose markdown block
// is refused: escaped tildes are plain ones, and those that would strike do not.
func Unmarked(md string) string { return unstruck(strings.ReplaceAll(md, `\~`, "~")) }

// tildeOperator looks like a tilde and strikes nothing.
const tildeOperator = "\u223c"

// unstruck replaces the tildes that could begin a strikethrough in mrkdwn: where no
// letter or digit precedes, no space follows, and another tilde is in the line. Ranges
// like "11:30~13:00" stay as they are, because marks begin at the boundary of a word. A
// character of no width would make such a boundary rather than prevent it.
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

// begins reports whether a mark at l[i] may begin a format in mrkdwn.
func begins(l string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(l[:i])
	after, _ := utf8.DecodeRuneInString(l[i+1:])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) && !unicode.IsSpace(after)
}
