package fit

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible replaces invisible characters by visible codes, so that people decide about the
// text that they read: controls, direction marks, zero-width characters, tags and variation
// selectors. Line breaks, tabs, joiners within emoji, and one selector after a character
// that has variants stay.
func Visible(text string) string {
	if strings.IndexFunc(text, Unseen) < 0 {
		return text
	}
	var s strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		joins := r == '\u200d' && i > 0 && i+1 < len(runes) && pictorial(runes[i-1]) && pictorial(runes[i+1])
		if Unseen(r) && !joins && (i == 0 || !selects(runes[i-1], r)) {
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
	// Fillers, joiners and selectors, which programs leave out, and the Braille pattern without dots.
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// selects reports whether a variation selector chooses a form of the character before it. A selector after a letter
// without forms, or after another selector, carries bytes that nobody sees.
func selects(before, r rune) bool {
	switch {
	case !unicode.Is(unicode.Variation_Selector, r):
		return false
	case r == '\ufe0e', r == '\ufe0f': // text or emoji
		return unicode.In(before, unicode.So, unicode.Sm, unicode.Sk, unicode.Po, unicode.Nd) || before == 'ℹ' || before == '〰'
	}
	return unicode.In(before, unicode.Han, unicode.Mongolian, unicode.Phags_Pa)
}

// pictorial reports whether a character can be part of a joined emoji.
func pictorial(r rune) bool { return r >= 0x2190 && unicode.In(r, unicode.So, unicode.Sk, unicode.Mn) }
