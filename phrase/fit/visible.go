package fit

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible replaces invisible characters by visible codes, so that people decide about the
// text that they read: controls, direction marks, zero-width characters and tags. Line
// breaks, tabs, and joiners within emoji stay.
func Visible(text string) string {
	if strings.IndexFunc(text, Unseen) < 0 {
		return text
	}
	var s strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		joins := r == '\u200d' && i > 0 && i+1 < len(runes) && pictorial(runes[i-1]) && pictorial(runes[i+1])
		if Unseen(r) && !joins {
			fmt.Fprintf(&s, "⟦U+%04X⟧", r)
			continue
		}
		s.WriteRune(r)
	}
	return s.String()
}

// Unseen reports whether a character is invisible; line breaks and tabs are not.
func Unseen(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
		return true
	}
	// Fillers that fonts draw empty.
	return r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0' || r == '\u2800'
}

// pictorial reports whether a character can be part of a joined emoji.
func pictorial(r rune) bool { return r >= 0x2190 && unicode.In(r, unicode.So, unicode.Sk, unicode.Mn) }
