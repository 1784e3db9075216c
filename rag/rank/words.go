// Package rank ranks passages for a question, independent of the store: relevant words and their terms ([Words],
// [Terms]), a passage's matches ([Evidence]), and for indexes with external candidates the complete ranking
// ([Question]). The arithmetic is in package rag. It must not know stores and does no I/O.
package rank

import (
	"slices"

	"maru/rag"
)

const maxTerms = 400 // words of a question; a longer one is a pasted document

// Words returns the content words of a question. A question of stop words alone has none, unless the caller wants the
// nearest passages in any case (a negative threshold). known reports whether a readable passage holds a term.
func Words(q rag.Query, known func(term string) bool) []rag.Word {
	var a rag.Analyzer
	words := a.Query(q.Text)
	rag.Compounds(words, known)
	q.Own.Synonyms(words, known, q.Related)
	kept := slices.DeleteFunc(slices.Clone(words), func(w rag.Word) bool { return w.Weight == 0 })
	if len(kept) == 0 && q.Threshold < 0 {
		kept = slices.DeleteFunc(words, func(w rag.Word) bool { return len(w.Terms) == 0 })
		for i := range kept {
			kept[i].Weight = 1
		}
	}
	return kept
}

// Wanted is a term to look up, with its weight.
type Wanted struct {
	Text   string
	Weight float64
	Name   bool // of a named article: it outweighs all the rest

	// Of is the question's own word for which this one stands, if the index holds both: then this one weighs no more,
	// however rare it is.
	Of string
}

// Terms returns the terms of the words, each once with its highest weight, then the keys of the named articles. A synonym
// of a word that the index holds weighs half, and no more than that word: exact matches stay first.
func Terms(q rag.Query, words []rag.Word, known func(term string) bool) []Wanted {
	var terms []Wanted
	place := map[string]int{}
	add := func(t string, weight float64, of string) {
		at, there := place[t]
		switch {
		case there && terms[at].Weight < weight:
			terms[at].Weight, terms[at].Of = weight, of
		case !there && len(terms) < maxTerms:
			place[t] = len(terms)
			terms = append(terms, Wanted{Text: t, Weight: weight, Of: of})
		}
	}
	weight := rag.Word.TermWeight
	if isLong(words) {
		weight = rag.Word.LongTermWeight
	}
	for _, w := range words {
		for i, t := range w.Terms {
			if share := weight(w, i); share > 0 {
				add(t, share, "")
			}
		}
		for _, t := range w.Split {
			add(t, 1, "")
		}
		if w.Joined != "" {
			add(w.Joined, 1, "")
		}
	}
	for _, w := range words {
		of, share := "", 1.0
		if len(w.Same) > 0 && known(w.Terms[0]) {
			of, share = w.Terms[0], beside
		}
		w.SynonymTerms(func(t string, weight float64) { add(t, share*weight, of) })
	}
	for _, k := range rag.Named(q, known) {
		terms = append(terms, Wanted{Text: k, Name: true})
	}
	return terms
}

// isLong reports whether the words are those of a long question, in which people say other things, too: who they are and why they
// ask. English ones are left out: many are claims, all of which counts.
func isLong(words []rag.Word) bool {
	english := 0
	for _, w := range words {
		if w.English() {
			english++
		}
	}
	return len(words) >= long && 2*english <= len(words)
}

// long is the number of words from which a question is long.
const long = 12

// beside is the weight of a synonym beside the word itself.
const beside = 0.5

// Head returns a passage's head line, which is searched with it.
func Head(doc rag.Document, c rag.Chunk) string {
	if c.Context != "" {
		return c.Context
	}
	return doc.Title
}

// Text returns a passage for an embedder: its head line and text.
func Text(doc rag.Document, c rag.Chunk) string {
	head := Head(doc, c)
	if head == "" {
		return c.Text
	}
	return head + "\n" + c.Text
}
