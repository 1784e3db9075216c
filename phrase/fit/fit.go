// Package fit fits text to its display: within a length limit, cut between graphemes, on one
// line, and without invisible characters.
//
// It knows no language, platform or markup.
package fit

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Measure counts a text as the limiting platform does: [utf8.RuneCountInString], [UTF16] or
// [uniseg.StringWidth].
type Measure func(string) int

// UTF16 counts UTF-16 code units, as Slack may: never fewer than characters.
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

// Width returns the width of text in half-width characters: 한 counts two.
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

// Clip bounds s to limit characters; a clipped text ends in "…". It leaves out a number, address or id rather than show a
// part of it as a whole one.
func Clip(s string, limit int) string { return ClipBy(s, limit, utf8.RuneCountInString) }

// ClipBy is Clip for another measure. It returns "" if not even one grapheme and "…" fit.
func ClipBy(s string, limit int, m Measure) string {
	if fits(s, limit, m) {
		return s
	}
	if limit <= 1 {
		return ""
	}
	cut := CutBy(s, limit-1, m)
	if end := valueAt(s, len(cut)); end >= 0 {
		cut = s[:end]
	}
	return strings.TrimRightFunc(cut, unicode.IsSpace) + "…"
}

// valueAt returns the start of the number, address or id of s that a cut at end divides; -1 if it divides none, or more than
// two thirds of the text would go with it.
func valueAt(s string, end int) int {
	isPart := func(r rune) bool { return !unicode.IsSpace(r) }
	start := strings.LastIndexFunc(s[:end], unicode.IsSpace) + 1
	if start == end || start*3 < end || strings.IndexFunc(s[end:], isPart) != 0 {
		return -1
	}
	rest := s[start:]
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		rest = rest[:i]
	}
	if strings.IndexFunc(rest, unicode.IsDigit) < 0 && !strings.ContainsAny(rest, "@/") {
		return -1
	}
	return start
}

// Cut returns the longest prefix of s with at most limit characters that ends between
// graphemes.
func Cut(s string, limit int) string { return CutBy(s, limit, utf8.RuneCountInString) }

// CutBy is Cut for another measure. A first grapheme that exceeds the limit, such as a stack
// of combining marks, is cut between code points.
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

// fits reports whether s is within limit. No measure exceeds the number of bytes.
func fits(s string, limit int, m Measure) bool { return len(s) <= limit || m(s) <= limit }

// cutLetter cuts a grapheme between its code points.
func cutLetter(s string, limit int, m Measure) string {
	n := 0
	for i, r := range s {
		if n += m(string(r)); n > limit {
			return s[:i]
		}
	}
	return s
}

// Size formats a file size in units of 1024: "12.3 MB", the same in every language.
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

// Over formats a size and the limit it exceeds so that they differ.
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

// Clean removes characters that are invisible to people but interpreted by a page, a terminal
// or a screen reader: controls, direction marks and overrides that reorder text, and tag
// characters that smuggle text. Line ends become line feeds; tabs and joiners, which emoji
// and scripts need, stay. Invalid UTF-8 becomes U+FFFD.
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

// Blank reports whether s is invisible: spaces, characters that [Clean] removes, joiners and
// selectors without neighbours, and letters that fonts draw empty.
func Blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !Hidden(r) && !unicode.Is(unicode.Variation_Selector, r) && !strings.ContainsRune(drawnEmpty, r)
	}) < 0
}

// drawnEmpty are the joiners, the Hangul fillers and the empty Braille pattern.
const drawnEmpty = "\u200C\u200D\u115F\u1160\u3164\uFFA0\u2800"

// Hidden reports whether Clean changes r.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.Is(unicode.Cc, r), // including carriage return, escape and NUL
		r == 0x2028, r == 0x2029, // line ends that some programs ignore
		r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, // direction overrides and isolates
		r == 0x200E, r == 0x200F, r == 0x061C, // direction marks
		r == 0x200B, r == 0x2060, r == 0xFEFF, r == 0x00AD, r == 0x180E, // no width
		r >= 0xE0000 && r <= 0xE007F, // tags
		r >= 0xFFF9 && r <= 0xFFFB:   // interlinear annotations
		return true
	}
	return false
}
