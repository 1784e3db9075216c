package rag

import "maps"

// Closest returns the index of the passage's sentence with most of a question's words or synonyms, with the share of
// the words, by weight, that it holds; -1 if none matches. Ties go to the first.
func Closest(question string, sentences []string) (at int, share float64) {
	all, each := Holding{}, make([]Holding, len(sentences))
	for i, s := range sentences {
		each[i] = HoldingOf(s)
		maps.Copy(all, each[i])
	}
	words := wordsOf(question)
	Synonyms(words, func(term string) bool { return all[term] })
	best, most, weight := -1, 0.0, 0.0
	for _, w := range words {
		weight += w.Weight
	}
	for i, h := range each {
		score := 0.0
		for _, w := range words {
			score += w.Weight * h.Match(w)
		}
		if score > most {
			best, most = i, score
		}
	}
	if best < 0 {
		return best, 0
	}
	return best, most / weight
}
