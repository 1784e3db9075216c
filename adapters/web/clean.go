package web

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean removes what a person cannot see but a page or a reader of it may obey:
// controls, direction overrides that make text read otherwise than it is, and
// the tag characters that smuggle words. Joiners stay: emoji and scripts need
// them.
func clean(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.Is(unicode.Cc, r), // with carriage return, escape and NUL
		r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, // direction overrides and isolates
		r == 0x200E, r == 0x200F, r == 0x061C, // direction marks
		r == 0x200B, r == 0x2060, r == 0xFEFF, r == 0x00AD, r == 0x180E, // nothing at all
		r >= 0xE0000 && r <= 0xE007F, // tags
		r >= 0xFFF9 && r <= 0xFFFB:   // interlinear notes
		return true
	}
	return false
}
