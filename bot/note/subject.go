package note

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"maru/phrase/intent"
	"maru/phrase/when"
	"maru/rag"
)

// subject is the subject of a note, with its statement except times and numbers.
type subject struct {
	about, says []string
}

// subjectOf parses a statement: "The stand-up is at 10" is about the stand-up, and so is "스탠드업은 10시".
func subjectOf(text string, now time.Time) subject {
	about, says := intent.Topic(text)
	if r := when.Read(says, now); r.Found {
		says = r.Rest
	}
	return subject{contentOf(about), contentOf(says)}
}

// contentOf returns the content words of a text, without numbers.
func contentOf(text string) []string {
	var a rag.Analyzer
	var out []string
	for _, w := range a.Query(text) {
		if len(w.Terms) == 0 || w.Weight == 0 || strings.ContainsFunc(w.Text, unicode.IsDigit) {
			continue
		}
		out = append(out, w.Terms[0])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// same reports whether a newer statement replaces an older one: they have the same subject, and each states one
// value (a time, a name) or mostly the same.
func (s subject) same(o subject) bool {
	if len(s.about) == 0 || len(o.about) == 0 {
		a, b := slices.Concat(s.about, s.says), slices.Concat(o.about, o.says)
		return min(len(a), len(b)) > 0 && 4*inCommon(a, b) >= 3*max(len(a), len(b))
	}
	if !slices.Equal(s.about, o.about) {
		return false
	}
	return len(s.says) <= 1 && len(o.says) <= 1 || 2*inCommon(s.says, o.says) >= max(len(s.says), len(o.says))
}

// inCommon counts the words that two lists have in common.
func inCommon(a, b []string) (n int) {
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}
