package rag

// Closest returns which of a passage's sentences holds most of a question's words, themselves
// or others for them; -1 if none holds a word of it. Of several the first is it.
func Closest(question string, sentences []string) int {
	var a Analyzer
	all, each := held{}, make([]held, len(sentences))
	for i, s := range sentences {
		each[i] = held{}
		a.Document(s, func(term []byte) { each[i][string(term)], all[string(term)] = true, true })
	}
	words := wordsOf(question)
	Synonyms(words, func(term string) bool { return all[term] })
	best, most := -1, 0.0
	for i, h := range each {
		score := 0.0
		for _, w := range words {
			match := w.HeldBy(h)
			for _, s := range w.Same {
				if s.known(func(term string) bool { return h[term] }) {
					match = max(match, s.Match)
				}
			}
			score += w.Weight * match
		}
		if score > most {
			best, most = i, score
		}
	}
	return best
}
