package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"maru/phrase/slip"
)

// Bound cuts text to at most limit bytes, between runes, and notes how much was cut. Bytes that are
// not UTF-8 and NUL bytes are replaced: no store and no model takes them.
func Bound(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= limit {
		return text
	}
	note := func(left int) string { return fmt.Sprintf("\n[… %d more bytes were left out]", left) }
	room := limit - len(note(len(text)))
	if room <= 0 {
		return clip(text, limit)
	}
	kept := clip(text, room)
	return kept + note(len(text)-len(kept))
}

// clip cuts s to at most n bytes, between runes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Nearest returns the option that a misspelt word probably means: equal but for case, "-" and "_", containing the word or
// contained in it, or within as many edits as a third of its length, two at least.
func Nearest(word string, options []string) (string, bool) {
	plain := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(s))
	}
	target := clip(plain(word), 64)
	best, found := max(2, len(target)/3)+1, ""
	for _, option := range options {
		candidate := plain(option)
		d := slip.Count([]byte(target), []byte(candidate), best)
		if len(target) >= 4 && (strings.Contains(candidate, target) || strings.Contains(target, candidate)) {
			d = min(d, 1)
		}
		if d < best {
			best, found = d, option
		}
	}
	return found, found != ""
}
