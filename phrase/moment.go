package phrase

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Timed is a text of the bot with moments: times as Markdown links, of words that name a time zone, to seconds since 1970.
// Platforms that can show a moment in each reader's time zone do, others show its words. [Say] keeps the moments of such an
// argument; those of any other, such as a person's text, become their words.
type Timed string

const momentScheme = "moment:"

// momentForm matches a moment. Most texts are ruled out before it runs.
var momentForm = regexp.MustCompile(`\[([^\[\]<>|^\n]{1,100})\]\(` + momentScheme + `(\d{1,11})\)`)

// Local returns a moment.
func Local(at time.Time, words string) Timed {
	return Timed("[" + words + "](" + momentScheme + strconv.FormatInt(at.Unix(), 10) + ")")
}

// Moments splits a text at its moments. A piece with at 0 is text, any other the words of a moment, with its seconds since
// 1970.
func Moments(text string) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		end := 0
		if strings.Contains(text, "]("+momentScheme) {
			for _, m := range momentForm.FindAllStringSubmatchIndex(text, -1) {
				at, _ := strconv.ParseInt(text[m[4]:m[5]], 10, 64) // at most 11 digits
				if m[0] > end && !yield(text[end:m[0]], 0) || !yield(text[m[2]:m[3]], at) {
					return
				}
				end = m[1]
			}
		}
		if end < len(text) {
			yield(text[end:], 0)
		}
	}
}

// MomentWords replaces moments by their words.
func MomentWords(text string) string {
	var out strings.Builder
	for piece := range Moments(text) {
		out.WriteString(piece)
	}
	return out.String()
}

// MomentOf returns the time of a moment's URL.
func MomentOf(url string) (at int64, ok bool) {
	digits, ok := strings.CutPrefix(url, momentScheme)
	if !ok || len(digits) > 11 {
		return 0, false
	}
	at, err := strconv.ParseInt(digits, 10, 64)
	return at, err == nil && at > 0
}
