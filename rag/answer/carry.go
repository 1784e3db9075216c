package answer

import (
	"slices"

	"maru/phrase/intent"
	"maru/phrase/prose"
	"maru/rag"
)

// carried is the share of words, by weight, from which one text says what another one does.
const carried = 0.5

// Carries reports whether a draft says what a sentence says beyond the question: it has half of the sentence's other words, or a
// statement of it consists of these by half. A sentence that repeats the question is carried by any draft.
func Carries(question, sentence, draft string) bool {
	asked, said := rag.HoldingOf(question), rag.HoldingOf(sentence)
	other := beyond(asked, sentence)
	if len(other) == 0 || shareIn(rag.HoldingOf(draft), other) >= carried {
		return true
	}
	for _, statement := range prose.Sentences(draft) {
		if own := beyond(asked, statement); len(own) > 0 && shareIn(said, own) >= carried {
			return true
		}
	}
	return false
}

// Repeats reports whether a draft says no more than the question, but yes or no.
func Repeats(question, draft string) bool {
	return !slices.ContainsFunc(beyond(rag.HoldingOf(question), draft), func(w rag.Word) bool { return w.Weight > verbWeight && !intent.Courtesy(w.Text) })
}

// Support returns the greatest share of a draft's statement, by weight and without the words of the question, that one of the
// texts has; 0 for a draft without such words.
func Support(question, draft string, texts []string) float64 {
	asked, most := rag.HoldingOf(question), 0.0
	for _, statement := range prose.Sentences(draft) {
		own := beyond(asked, statement)
		if len(own) == 0 {
			continue
		}
		for _, t := range texts {
			most = max(most, shareIn(rag.HoldingOf(t), own))
		}
	}
	return most
}

// Numbers returns how many numbers a draft has that the question does not, and how many of these a text has.
func Numbers(question, draft, text string) (own, held int) {
	asked, of := digits.FindAllString(question, -1), digits.FindAllString(text, -1)
	for _, n := range digits.FindAllString(draft, -1) {
		if slices.Contains(asked, n) {
			continue
		}
		if own++; slices.Contains(of, n) {
			held++
		}
	}
	return own, held
}

// beyond returns the words of a text that a question does not have.
func beyond(asked rag.Holding, text string) []rag.Word {
	var out []rag.Word
	for _, w := range Subject(text) {
		if asked.Match(w) < carried {
			out = append(out, w)
		}
	}
	return out
}

// shareIn returns the share of words, by weight, that a text has, synonyms included.
func shareIn(text rag.Holding, words []rag.Word) float64 {
	rag.Synonyms(words, func(term string) bool { return text[term] })
	have, all := 0.0, 0.0
	for _, w := range words {
		have += w.Weight * text.Match(w)
		all += w.Weight
	}
	return have / all
}
