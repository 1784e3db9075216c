// Package fit makes words fit for where they are shown: not longer than there is
// room for, cut between letters as people see them, on one line, and with nothing
// in them that is not seen.
//
// It knows no language, no platform and no markup.
package fit

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Measure counts a text as somebody who limits it does: [utf8.RuneCountInString],
// [UTF16] or [uniseg.StringWidth].
type Measure func(string) int

// UTF16 counts code units of UTF-16, as Slack may: never fewer than characters.
func UTF16(s string) int {
	n := 0
	for _, r := range s {
		n += utf16Len(r)
	}
	return n
}

func utf16Len(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// Width is the size of text in half-width characters: 한 counts two.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 && r != utf8.RuneError {
			n++
		}
	}
	return n
}

// Clip bounds s to limit characters, of which the last is "…" if it was longer.
func Clip(s string, limit int) string { return ClipBy(s, limit, utf8.RuneCountInString) }

// ClipBy is Clip for a limit of another measure. Where not even a letter and "…"
// fit, nothing is left.
func ClipBy(s string, limit int, m Measure) string {
	if fits(s, limit, m) {
		return s
	}
	if limit <= 1 {
		return ""
	}
	return strings.TrimRightFunc(CutBy(s, limit-1, m), unicode.IsSpace) + "…"
}

// Cut returns the longest beginning of s that has at most limit characters and
// ends between letters as people see them.
func Cut(s string, limit int) string { return CutBy(s, limit, utf8.RuneCountInString) }

// CutBy is Cut for a limit of another measure. A first letter that is longer alone,
// such as a stack of marks, is cut between characters.
func CutBy(s string, limit int, m Measure) string {
	if fits(s, limit, m) {
		return s
	}
	n, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		var letter string
		letter, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		n += m(letter)
		if n > limit {
			if end == 0 {
				return cutLetter(letter, limit, m)
			}
			break
		}
		end += len(letter)
	}
	return s[:end]
}

// fits reports whether s is within limit. No measure counts more than bytes.
func fits(s string, limit int, m Measure) bool { return len(s) <= limit || m(s) <= limit }

// cutLetter cuts a letter between its characters.
func cutLetter(s string, limit int, m Measure) string {
	n := 0
	for i, r := range s {
		if n += m(string(r)); n > limit {
			return s[:i]
		}
	}
	return s
}

// Size says how many bytes a file has, in units that people know: "12.3 MB", a unit 1024
// times the one before. No language writes it otherwise.
func Size(bytes int64) string {
	const units = "KMGT"
	if bytes < 1024 {
		return strconv.FormatInt(bytes, 10) + " B"
	}
	f, u := float64(bytes)/1024, 0
	for f >= 1024 && u < len(units)-1 {
		f, u = f/1024, u+1
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") + " " + units[u:u+1] + "B"
}

// Over says a size and the limit that it is above, so that they read differently.
func Over(bytes, limit int64) (size, most string) {
	if size, most = Size(bytes), Size(limit); size != most {
		return size, most
	}
	return strconv.FormatInt(bytes, 10) + " B", strconv.FormatInt(limit, 10) + " B"
}

// Words cuts s into its words, each with the spaces that follow it.
func Words(s string) []string {
	var out []string
	start := 0
	for i := 1; i < len(s); i++ {
		if s[i-1] == ' ' && s[i] != ' ' {
			out = append(out, s[start:i])
			start = i
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// OneLine puts s on one line, with single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Clean removes what a person cannot see but a page, a terminal or a reader may
// obey: controls, marks and overrides of direction that make text read otherwise
// than it is, and the tag characters that smuggle words. All ends of lines become
// line feeds, tabs stay, and joiners do, which emoji and scripts need. Broken UTF-8
// becomes U+FFFD.
func Clean(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, Hidden) < 0 {
		return s
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
			return '\n'
		case Hidden(r):
			return -1
		}
		return r
	}, s)
}

// Blank reports whether s shows a person nothing: spaces, what [Clean] removes,
// joiners and selectors with nothing to join, and letters that are drawn empty.
func Blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !Hidden(r) && !unicode.Is(unicode.Variation_Selector, r) && !strings.ContainsRune(drawnEmpty, r)
	}) < 0
}

// drawnEmpty are the joiners, the fillers of Hangul and the empty Braille pattern.
const drawnEmpty = "\u200C\u200D\u115F\u1160\u3164\uFFA0\u2800"

// Hidden reports whether Clean changes r.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.Is(unicode.Cc, r), // with carriage return, escape and NUL
		r == 0x2028, r == 0x2029, // ends of lines that some take for none
		r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, // direction overrides and isolates
		r == 0x200E, r == 0x200F, r == 0x061C, // direction marks
		r == 0x200B, r == 0x2060, r == 0xFEFF, r == 0x00AD, r == 0x180E, // nothing at all
		r >= 0xE0000 && r <= 0xE007F, // tags
		r >= 0xFFF9 && r <= 0xFFFB:   // interlinear notes
		return true
	}
	return false
}
