package tokenizer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// cleanText drops what nobody sees and makes every space one of the same kind.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0 || r == 0xFFFD || isControl(r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, s)
}

func isControl(r rune) bool {
	return r != '\t' && r != '\n' && r != '\r' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// spaceCJK puts every Chinese character between spaces.
func spaceCJK(s string) string {
	var b strings.Builder
	for _, r := range s {
		if isCJK(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isCJK: the fifth range begins where the code of BERT has it, not where Unicode has.
func isCJK(r rune) bool {
	for _, block := range [][2]rune{
		{0x4E00, 0x9FFF}, {0x3400, 0x4DBF}, {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},
		{0x2F800, 0x2FA1F},
	} {
		if r >= block[0] && r <= block[1] {
			return true
		}
	}
	return false
}

// bareLetters takes the accents off, and with them makes jamo of Hangul's syllables: BERTs
// that were trained on lower case know no others.
func bareLetters(s string) string {
	return without(norm.NFD.String(s), unicode.Mn)
}

// withoutMarks drops the combining marks that stand alone.
func withoutMarks(s string) string { return without(s, unicode.M) }

func without(s string, class *unicode.RangeTable) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(class, r) {
			return -1
		}
		return r
	}, s)
}

// lower looks at each character alone, whatever its neighbours.
func lower(s string) string {
	s = strings.ReplaceAll(s, "İ", "i\u0307") // the only one that becomes two
	return strings.Map(unicode.ToLower, s)
}
