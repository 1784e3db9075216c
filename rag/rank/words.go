// Package rank is how a question becomes an order of passages, whatever keeps
// the passages: which words count and which terms stand for them ([Words],
// [Terms]), how much of them a passage holds ([Evidence]), and for indexes that
// bring candidates from elsewhere the whole ranking of them ([Question]). The
// arithmetic itself stands in package rag. It knows no store and does no I/O.
package rank

import (
	"slices"

	"maru/rag"
)

const maxTerms = 400 // of a question; beyond it is a pasted document

// Words returns the words of a question that say what is asked. A question of stop
// words alone asks for nothing, unless the caller wants whatever is nearest
// (a negative threshold). known tells whether a term stands in a passage that
// the asker may read.
func Words(q rag.Query, known func(term string) bool) []rag.Word {
	var a rag.Analyzer
	words := a.Query(q.Text)
	rag.Compounds(words, known)
	rag.Synonyms(words, known)
	kept := slices.DeleteFunc(slices.Clone(words), func(w rag.Word) bool { return w.Weight == 0 })
	if len(kept) == 0 && q.Threshold < 0 {
		kept = slices.DeleteFunc(words, func(w rag.Word) bool { return len(w.Terms) == 0 })
		for i := range kept {
			kept[i].Weight = 1
		}
	}
	return kept
}

// Wanted is a term to look for, and how much it counts.
type Wanted struct {
	Text   string
	Weight float64
	Name   bool // of an article that the question asks for: it outweighs all the rest
}

// Terms returns the terms of the words, each once with the most it counts
// anywhere, then those of the articles that the question calls by their names.
func Terms(q rag.Query, words []rag.Word, known func(term string) bool) []Wanted {
	var terms []Wanted
	place := map[string]int{}
	add := func(t string, weight float64) {
		at, there := place[t]
		switch {
		case there:
			terms[at].Weight = max(terms[at].Weight, weight)
		case len(terms) < maxTerms:
			place[t] = len(terms)
			terms = append(terms, Wanted{Text: t, Weight: weight})
		}
	}
	for _, w := range words {
		for i, t := range w.Terms {
			add(t, w.TermWeight(i))
		}
		for _, t := range w.Split {
			add(t, 1)
		}
		if w.Joined != "" {
			add(w.Joined, 1)
		}
		w.SynonymTerms(add)
	}
	for _, k := range rag.Named(q.Text, known) {
		terms = append(terms, Wanted{Text: k, Name: true})
	}
	return terms
}

// Head is the line that makes a passage stand alone. It is searched with the passage.
func Head(doc rag.Document, c rag.Chunk) string {
	if c.Context != "" {
		return c.Context
	}
	return doc.Title
}

// Text is a passage as an embedder sees it: its head line and what it says.
func Text(doc rag.Document, c rag.Chunk) string {
	head := Head(doc, c)
	if head == "" {
		return c.Text
	}
	return head + "\n" + c.Text
}
