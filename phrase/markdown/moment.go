package markdown

import (
	"html"
	"strconv"
	"strings"
	"time"

	"maru/phrase"
	"maru/phrase/fit"
)

// SlackDate is Slack's format of a moment.
const SlackDate = "{date_short_pretty} {time}"

// Timed returns the dialect for the bot's own texts, whose moments ([phrase.Timed]) are shown in each reader's time zone.
// Without it a moment is its words.
func (d *Dialect) Timed() *Dialect {
	timed := *d
	timed.timed = true
	return &timed
}

// clean is [fit.Clean], which keeps the moments of a timed dialect.
func (d *Dialect) clean(s string) string {
	if d.timed {
		return phrase.KeepMoments(s, fit.Clean)
	}
	return fit.Clean(s)
}

// MrkdwnTimed is [Mrkdwn] for the bot's own texts, with moments in each reader's time zone.
func MrkdwnTimed(s string) string {
	var out strings.Builder
	for piece, at := range phrase.Moments(unstruck(calm(phrase.KeepMoments(s, Entities)))) {
		if at != 0 {
			piece = "<!date^" + strconv.FormatInt(at, 10) + "^" + SlackDate + "|" + piece + ">"
		}
		out.WriteString(piece)
	}
	return out.String()
}

// TimedHTML returns a plain text of the bot as HTML, with moments as elements that the page's script shows in the reader's
// time zone.
func TimedHTML(s string) string {
	var out strings.Builder
	for piece, at := range phrase.Moments(phrase.KeepMoments(s, fit.Clean)) {
		before, after := timeTags(at)
		out.WriteString(before + html.EscapeString(piece) + after)
	}
	return out.String()
}

// timeTags returns the HTML around the words of a time in seconds since 1970; none for 0.
func timeTags(at int64) (before, after string) {
	if at == 0 {
		return "", ""
	}
	return `<time datetime="` + time.Unix(at, 0).UTC().Format(time.RFC3339) + `">`, "</time>"
}

// moment writes a moment in the platform's form, else in its words.
func (w *writer) moment(at int64, words, stack string) Token {
	t := Token{Text: w.d.escape(words), Plain: words, Marks: stack, Kind: Fixed, At: at}
	if w.d.moment != "" {
		t.Text = strings.ReplaceAll(w.d.moment, "%", strconv.FormatInt(at, 10))
	}
	return t
}
