// Package cut finds where a long text may be cut: after a sentence, at a space, between letters, and before the numbers
// of its parts. Sizes are in half-width characters: 한 counts two. It must not know files or passages.
package cut

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Passage returns the bytes of a passage of at most size: up to the last sentence, else the last space, else the last
// whole character.
func Passage(text string, size int) int {
	used, sentence, space := 0, 0, 0
	prev := rune(0)
	for i, r := range text {
		if used >= size {
			switch {
			case sentence > i/2:
				i = sentence
			case space > i/2:
				i = space
			}
			if whole := Letter(text, i); whole > 0 {
				return whole
			}
			return i // a letter larger than a passage
		}
		used++
		if r >= 0x1100 {
			used++
		}
		if r == '\n' || (unicode.IsSpace(r) && strings.ContainsRune(".!?。", prev)) {
			sentence = i + utf8.RuneLen(r)
		}
		if unicode.IsSpace(r) {
			space = i + utf8.RuneLen(r)
		}
		prev = r
	}
	return len(text)
}

// Letter moves a cut at i back to a grapheme boundary: marks, jamo, parts of emoji and flags stay together. 0 means
// that i is in the first one. text starts with a whole one.
func Letter(text string, i int) int {
	at := 0
	for rest, state := text, -1; rest != ""; {
		var letter string
		letter, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if at+len(letter) > i {
			break
		}
		at += len(letter)
	}
	return at
}

// Tail returns the start of text's last size, moved forward to a sentence or a space.
func Tail(text string, size int) int {
	used, at := 0, len(text)
	for at > 0 && used < size {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		at -= n
		used++
		if r >= 0x1100 {
			used++
		}
	}
	tail := text[at:]
	for _, stop := range []string{". ", "? ", "! ", "\n", " "} {
		if i := strings.Index(tail, stop); i >= 0 && i+len(stop) < len(tail) {
			return at + i + len(stop)
		}
	}
	return at
}
