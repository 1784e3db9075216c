package tokenizer

import "strings"

// Tokenizer cuts texts. It is safe for concurrent use.
type Tokenizer struct {
	before    added // tokens that stand in a text as it was written
	after     added // tokens that stand in it when it is normalized
	normalize []func(string) string
	split     []func(piece) []piece
	model     model
	head      []int // in front of every text
	tail      []int // behind it
	words     int
}

// Words returns how many tokens the model's vocabulary has.
func (t *Tokenizer) Words() int { return t.words }

// piece is a part of a text: a token already, or letters that are to become some.
type piece struct {
	text string
	id   int // of the token, or letters
}

const letters = -1

// model turns a word into tokens, which it appends.
type model interface {
	cut(ids []int, word string) []int
}

// IDs returns the tokens of a text with those that the model wants in front and behind,
// at most so many: what is too long is cut, not the marks of its end.
func (t *Tokenizer) IDs(text string, most int) []int {
	room := max(0, most-len(t.head)-len(t.tail))
	ids := append([]int(nil), t.head...)
	ids = append(ids, t.body(text, room)...)
	return append(ids, t.tail...)
}

// body returns the first tokens of a text.
func (t *Tokenizer) body(text string, room int) []int {
	var ids []int
	for _, p := range t.before.find(piece{text: strings.ToValidUTF8(text, "\uFFFD"), id: letters}) {
		if p.id == letters {
			for _, f := range t.normalize {
				p.text = f(p.text)
			}
		}
		if p.id == letters && p.text == "" {
			continue // nothing is left of it, not even a word's beginning
		}
		for _, p := range t.after.find(p) {
			ids = t.tokens(ids, p)
		}
		if len(ids) >= room {
			return ids[:room]
		}
	}
	return ids
}

// tokens appends those of a normalized piece.
func (t *Tokenizer) tokens(ids []int, p piece) []int {
	if p.id != letters {
		return append(ids, p.id)
	}
	parts := []piece{p}
	for _, split := range t.split {
		var finer []piece
		for _, p := range parts {
			finer = append(finer, split(p)...)
		}
		parts = finer
	}
	for _, p := range parts {
		if p.text != "" {
			ids = t.model.cut(ids, p.text)
		}
	}
	return ids
}
