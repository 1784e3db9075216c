package tokenizer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one that is looked for in the text itself, such as [SEP], before the model
// sees it.
type token struct {
	text        string
	id          int
	word        bool // only where no letter touches it
	left, right bool // it swallows the space there
}

// added are such tokens by their first byte, the longest first.
type added map[byte][]token

func (a added) put(t token) {
	if t.text == "" {
		return
	}
	same := append(a[t.text[0]], t)
	slices.SortStableFunc(same, func(x, y token) int { return cmp.Compare(len(y.text), len(x.text)) })
	a[t.text[0]] = same
}

// at returns the longest token that a text begins with.
func (a added) at(text string) (token, bool) {
	for _, t := range a[text[0]] {
		if strings.HasPrefix(text, t.text) {
			return t, true
		}
	}
	return token{}, false
}

// find cuts the tokens out of a piece.
func (a added) find(p piece) []piece {
	if p.id != letters || len(a) == 0 {
		return []piece{p}
	}
	var out []piece
	done := 0
	keep := func(end int) {
		if end > done {
			out = append(out, piece{text: p.text[done:end], id: letters})
		}
	}
	for i := 0; i < len(p.text); {
		t, ok := a.at(p.text[i:])
		if !ok {
			i++
			continue
		}
		start, end := i, i+len(t.text)
		i = end
		if t.word && (endsInWord(p.text[:start]) || beginsWithWord(p.text[end:])) {
			continue
		}
		if t.left {
			start = max(done, len(strings.TrimRightFunc(p.text[:start], unicode.IsSpace)))
		}
		if t.right {
			end = len(p.text) - len(strings.TrimLeftFunc(p.text[end:], unicode.IsSpace))
		}
		keep(start)
		out = append(out, piece{id: t.id})
		done = end
		i = max(i, done)
	}
	keep(len(p.text))
	return out
}

func endsInWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && isWord(r)
}

func beginsWithWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && isWord(r)
}

// isWord is \w of regular expressions that know Unicode.
func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.In(r, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}
