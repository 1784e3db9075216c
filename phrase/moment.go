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
// argument.
//
// A moment hides its words on some platforms, so foreign text must not contain one. The link's target has a mark that only
// [Local] writes. Foreign text loses it: in [Say], [Raw] and [MomentWords], and where invisible characters are removed or
// written as codes.
type Timed string

const (
	momentMark   = "\uFFFA" // an interlinear annotation character, which no platform shows
	momentScheme = "moment:" + momentMark
)

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
		if strings.Contains(text, momentMark) {
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

// MomentWords replaces moments by their words. The result contains none, in whatever way it is joined with other texts.
func MomentWords(text string) string {
	if !strings.Contains(text, momentMark) {
		return text
	}
	var out strings.Builder
	for piece := range Moments(text) {
		out.WriteString(strings.ReplaceAll(piece, momentMark, ""))
	}
	return out.String()
}

// KeepMoments applies a function that removes invisible characters to a text of the bot, and keeps its moments.
func KeepMoments(text string, clean func(string) string) string {
	parts := strings.Split(text, momentMark)
	for i, part := range parts {
		parts[i] = clean(part)
	}
	return strings.Join(parts, momentMark)
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
