package rag

import "slices"

// Holding is the set of terms of a text, for matching the words of a question.
type Holding map[string]bool

// HoldingOf analyses texts as an index does.
func HoldingOf(texts ...string) Holding {
	size := 0
	for _, t := range texts {
		size += len(t) / 8 // about a term for eight bytes
	}
	h := make(Holding, size)
	var a Analyzer
	for _, t := range texts {
		for _, term := range a.Terms(t) {
			h[term] = true
		}
	}
	return h
}

// Also adds the terms of every group of the team's synonyms of which the text contains a word.
func (h Holding) Also(groups [][]string) Holding {
	for _, g := range groups {
		if !slices.ContainsFunc(g, func(phrase string) bool {
			words := wordsOf(phrase)
			return len(words) > 0 && !slices.ContainsFunc(words, func(w Word) bool { return len(w.Terms) > 0 && h.Match(w) < 1 })
		}) {
			continue
		}
		for term := range HoldingOf(g...) {
			h[term] = true
		}
	}
	return h
}

// Match returns how much of a word the text contains, from 0 to 1: the word, its parts, or a synonym found by
// [Synonyms].
func (h Holding) Match(w Word) float64 {
	if len(w.Terms) == 0 {
		return 0
	}
	match := w.HeldBy(h)
	for _, s := range w.Same {
		part := 0.0
		for _, o := range s.Words {
			part += o.HeldBy(h) / float64(len(s.Words))
		}
		match = max(match, s.Match*part*part) // the bonus alone is hardly a joining bonus
	}
	return match
}
