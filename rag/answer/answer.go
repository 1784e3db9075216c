// Package answer chooses the sentences of passages that answer a question, word for word, in Korean and English: extractive
// question answering by words and by the kind of value that is asked for. It must not know models, agents and indexes.
package answer

import (
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/phrase/prose"
	"maru/rag"
)

// Bounds of what [Best] returns.
const (
	MaxSentences = 3
	MaxSentence  = 400 // runes of one with those beside it
)

// When a sentence is quoted. They were set on the handbook's questions and a part of KorQuAD's, see
// docs/evaluation.md; each is about any question, none about one kind of document.
const (
	enough    = 0.42 // share of the question that a sentence with its headings must cover
	wholeWho  = 0.7  // the same for a person or a place, verbs counted as much as nouns
	valueWho  = 0.5  // the same where the sentence has a word for one and says what is done
	roughWho  = 0.62 // the same where it has a word for one
	holdsWho  = 0.3  // and what of the rest the sentence itself must hold, beside its headings
	leastHeld = 0.1  // and of the whole
	near      = 0.4  // of the best score that further sentences of its passage must reach
	elsewhere = 0.94 // the same for sentences of other passages
	nearly    = 0.95 // the same for one that clearly answers, where the best does not
	least     = 0.2  // share of the question that these must cover
)

// A passage is quoted on the word of an index with vectors alone where it is sure and the
// passage shares hardly a word with the question.
const (
	sure   = 0.8
	unlike = 0.3
)

// Passage is a text to choose from.
type Passage struct {
	N int // its number, which its sentences carry

	Document string // tells documents with the same title apart
	Ordinal  int    // its position in the document

	Title string     // with its headings: their words count for each sentence
	Text  string     // at most 64 KiB are read
	Score float64    // how sure an index is that it is about the question, from 0 to 1; 0 if unknown
	Words [][]string // words that mean the same to its readers
}

// Sentence is a sentence of a passage, with those beside it that it cannot be understood without.
type Sentence struct {
	Text string
	N    int // of its passage
}

// Best returns the sentences that clearly answer a question, the best passage's first; none if no sentence does. before is
// the question that this one leans on, "" if it leans on none. Of several sentences that a person wrote, the one that is
// covered best is the question: people say hello before they ask, and why after it.
func Best(question, before string, passages []Passage) []Sentence {
	var out []Sentence
	for _, s := range best(question, before, passages) {
		out = append(out, Sentence{s.text, s.n})
	}
	return out
}

func best(question, before string, passages []Passage) []sentence {
	question = rag.Asked(fit.Cut(question, maxSubject))
	if first := overview(question, passages); len(first) > 0 && before == "" {
		return first
	}
	all := sentencesOf(question, passages)
	markBands(question, all)
	for i := range all {
		all[i].number = AddsNumber(question, all[i].text)
	}
	var best []sentence
	var asked []wanted // the words of the part that the best sentence answers
	words := defining.ReplaceAllString(question, " ")
	if soughtBy(question).asksTerm() {
		words = termWords.ReplaceAllString(words, " ")
	}
	for _, part := range wantedOf(words, before, all) {
		ranked := measure(question, part, all)
		if len(ranked) > 0 && (len(best) == 0 || ranked[0].covers > best[0].covers) {
			best, asked = ranked, part
		}
	}
	names := namesIn(question)
	for i, s := range best {
		if s.score < nearly*best[0].score && !s.completes(best[0]) {
			continue
		}
		if s.other = s.other || s.lacksThing(thing(question), asked) || s.lacksName(names, asked, best); clear(question, s) {
			return chosen(question, best[i:], all)
		}
	}
	return believed(best, passages)
}

// completes reports whether a sentence gives the value that is asked for of the one before it, which says the rest of the question:
// "The mill was moved. People were afraid, because the river had risen."
func (s sentence) completes(o sentence) bool {
	return s.leans && s.value == 1 && s.n == o.n && s.order == o.order+1
}

// clear reports whether a sentence answers as far as words tell. A question for a number, a reason, a person or a place needs a
// value of the kind ([sought]). Words are weak signs of the last three, so more of the question must be held, its verb included.
func clear(question string, s sentence) bool {
	kind := soughtBy(question)
	switch {
	case s.covers >= least && (s.inBand || s.rowFor(question)):
		return true
	case s.covers < enough, s.other:
		return false
	case kind.asksTerm():
		return s.value == 1
	case asksNumber.MatchString(anyOne.ReplaceAllString(question, " ")) && (kind.sought == nil || kind.figure && !kind.bare):
		return s.value == 1 || s.number && !countsEn.MatchString(strings.ToLower(question))
	case kind.sought != nil && kind.asks == asksWhy:
		return s.value == 1 && s.whole >= valueWho
	case asksWho.MatchString(question):
		return s.value > 0 && s.holds >= holdsWho*(1-s.beside) && s.holds > leastHeld && (s.whole >= wholeWho || s.value == 1 && (s.does && s.whole >= valueWho || s.whole >= roughWho))
	}
	return true
}

// chosen picks the sentences to quote from a ranking, in the order of the passages but
// the best one's passage first.
func chosen(question string, ranked, all []sentence) []sentence {
	first := ranked[0]
	out := []sentence{first.inContext(question, all)}
	for _, s := range ranked[1:] {
		beside := s.n == first.n && s.score >= near*first.score ||
			s.n != first.n && s.score >= elsewhere*first.score && s.passage >= first.passage
		if len(out) < MaxSentences && beside && s.covers >= least && !repeats(out, s) {
			if s.lead != first.lead {
				s = s.underLead(all)
			}
			out = append(out, s)
		}
	}
	return out
}

// believed returns the beginning of a passage that vectors are sure of, although it shares no word with the question.
func believed(ranked []sentence, passages []Passage) []sentence {
	for _, p := range passages {
		shares := slices.ContainsFunc(ranked, func(s sentence) bool { return s.n == p.N && s.passage > unlike })
		if ss := prose.Sentences(Clean(p.Text)); p.Score >= sure && !shares && len(ss) > 0 {
			return []sentence{{text: strings.Join(ss[:min(len(ss), MaxSentences)], " "), n: p.N}}
		}
	}
	return nil
}

// repeats reports whether s says the same as one that was chosen, as overlapping passages do.
func repeats(chosen []sentence, s sentence) bool {
	return slices.ContainsFunc(chosen, func(o sentence) bool {
		return strings.Contains(o.text, s.text) || strings.Contains(s.text, o.text)
	})
}
