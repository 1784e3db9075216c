package rank

import (
	"slices"

	"maru/rag"
)

// Term is a query term with its collection statistics.
type Term struct {
	Wanted

	N   int     // passages in scope that hold it
	IDF float64 // see [rag.IDF]
}

// Evidence holds, word by word, the terms to match in a passage. It is immutable.
type Evidence struct {
	terms []Term
	words []wordTerms
	asked []wordTerms // the words required of a passage
	names []int       // of the named articles
}

// wordTerms are the terms of one word, by index in the list.
type wordTerms struct {
	word   rag.Word
	weight float64
	whole  int
	parts  []int // syllable pairs, or humps
	split  []int // the words that a compound is made of
	joined []int // compounds with the word before or after it
	same   []synonym
}

// synonym is another way to say a word.
type synonym struct {
	words []wordTerms
	match float64
}

// NewEvidence prepares for a question's words and terms; see [Words] and [Terms].
func NewEvidence(words []rag.Word, terms []Term) *Evidence {
	byText := make(map[string]int, len(terms))
	e := &Evidence{terms: terms}
	for i, t := range terms {
		byText[t.Text] = i
		if t.Name {
			e.names = append(e.names, i)
		}
	}
	find := func(texts ...string) (out []int) {
		for _, p := range texts {
			if i, ok := byText[p]; ok {
				out = append(out, i)
			}
		}
		return out
	}
	for i, w := range words {
		whole, ok := byText[w.Terms[0]]
		if !ok {
			continue // beyond maxTerms
		}
		wt := wordTerms{word: w, whole: whole, weight: w.Weight * terms[whole].IDF}
		if terms[whole].N == 0 && w.Modifier {
			wt.weight *= rag.UnknownModifier
		}
		wt.parts, wt.split, wt.joined = find(w.Parts()...), find(w.Split...), find(w.Joined)
		if i > 0 {
			wt.joined = append(wt.joined, find(words[i-1].Joined)...)
		}
		e.synonyms(&wt, find)
		e.words = append(e.words, wt)
		if !w.Aside {
			e.asked = append(e.asked, wt)
		}
	}
	if !slices.ContainsFunc(e.asked, func(w wordTerms) bool { return w.weight > 0 }) {
		e.asked = e.words // all words were in brackets
	}
	return e
}

// synonyms looks up the word's synonyms. A word without matches is as rare as the rarest of them.
func (e *Evidence) synonyms(w *wordTerms, find func(texts ...string) []int) {
	rarest := 0.0
	for _, s := range w.word.Same {
		var list []wordTerms
		for _, o := range s.Words {
			whole := find(o.Terms[0])
			if len(whole) == 0 {
				break // beyond maxTerms
			}
			t := wordTerms{word: o, whole: whole[0], weight: e.terms[whole[0]].IDF, parts: find(o.Parts()...)}
			if e.terms[t.whole].N == 0 {
				t.weight = e.rarest(t.parts)
			}
			list = append(list, t)
			rarest = max(rarest, t.weight)
		}
		if len(list) == len(s.Words) {
			w.same = append(w.same, synonym{list, s.Match})
		}
	}
	if e.terms[w.whole].N == 0 && len(w.same) > 0 {
		w.weight = w.word.Weight * rarest
	}
}

func (e *Evidence) rarest(terms []int) float64 {
	most := 0.0
	for _, t := range terms {
		most = max(most, e.terms[t].IDF)
	}
	return most
}

// Judge scores a passage word by word: the confidence that it is about the question, from 0 to 1, and the rank bonus
// of its matched words. held reports whether it holds the term at an index of the list.
func (e *Evidence) Judge(held func(term int) bool) (confidence, coverage float64) {
	var few [12]rag.Evidence // most questions have no more, and each candidate needs a list
	list := few[:0]
	for _, w := range e.asked {
		list = append(list, rag.Evidence{Weight: w.weight, Sentence: w.word.Sentence, English: w.word.English(), Match: e.match(w, held)})
	}
	confidence, coverage = rag.Confidence(list), rag.Coverage(list)
	coverage -= e.strewn(list)
	if e.Named(held) {
		confidence = 1 // the named article itself
	}
	return confidence, coverage
}

// People say other things around a question: who they are, why they ask. The passage that answers holds words of one run of
// the question; one that holds as many words, but strewn over all of it, is about something else. The constants were fitted on
// the tuning half of TestChatter and the open half of TestChats, in rag/eval.
const (
	besideRun  = 0.4 // of its weight, what a word outside the run takes back: some of what it gave to coverage
	inEnglish  = 1.0 // the same in English
	missingRun = 0.8 // of its weight, what a missing word takes from the run that it is in
)

// strewn returns the rank that a passage gained by words of a long question outside the run that it is about. A single long sentence
// in English is a claim, all of which counts.
func (e *Evidence) strewn(list []rag.Evidence) float64 {
	if len(list) < long {
		return 0
	}
	english := 0
	for _, w := range list {
		if w.English {
			english++
		}
	}
	share := besideRun
	if 2*english > len(list) {
		share = inEnglish
		if list[len(list)-1].Sentence == list[0].Sentence {
			return 0
		}
	}
	from, to := run(list)
	outside := 0.0
	for i, w := range list {
		if i < from || i >= to {
			outside += w.Weight * min(1, max(0, w.Match))
		}
	}
	return share * outside
}

// run returns the words of a question that a passage is about: the run with the largest sum of what it holds less a share
// of what it lacks.
func run(list []rag.Evidence) (from, to int) {
	mean := 0.0
	for _, w := range list {
		mean += w.Weight / float64(len(list))
	}
	best, sum, start := 0.0, 0.0, 0
	for i, w := range list {
		m := min(1, max(0, w.Match))
		sum += w.Weight*m - missingRun*min(w.Weight, mean)*(1-m)
		if sum <= 0 {
			sum, start = 0, i+1
		} else if sum > best {
			best, from, to = sum, start, i+1
		}
	}
	return from, to
}

// Named reports whether a passage is of an article that the question names.
func (e *Evidence) Named(held func(term int) bool) bool { return slices.ContainsFunc(e.names, held) }

// match returns a passage's share of a word.
func (e *Evidence) match(w wordTerms, held func(int) bool) float64 {
	if held(w.whole) || slices.ContainsFunc(w.joined, held) {
		return 1
	}
	best := 0.0
	if len(w.parts) > 0 {
		have := 0
		for _, p := range w.parts {
			if held(p) {
				have++
			}
		}
		best = rag.PartialMatch(float64(have) / float64(len(w.parts)))
	}
	have, all := 0.0, 0.0
	for _, p := range w.split {
		all += e.terms[p].IDF
		if held(p) {
			have += e.terms[p].IDF
		}
	}
	if all > 0 {
		best = max(best, have/all)
	}
	for _, s := range w.same {
		best = max(best, s.match*e.matchAll(s.words, held))
	}
	return best
}

// matchAll returns a passage's share of several words.
func (e *Evidence) matchAll(words []wordTerms, held func(int) bool) float64 {
	have, all := 0.0, 0.0
	for _, w := range words {
		all += w.weight
		have += w.weight * e.match(w, held)
	}
	return have / max(all, 1e-9)
}

// Near returns the proximity measure of the words; nil for a question of one word.
func (e *Evidence) Near() *rag.Proximity {
	if len(e.words) < 2 {
		return nil
	}
	words, weights := make([]rag.Word, len(e.words)), make([]float64, len(e.words))
	for i, w := range e.words {
		words[i], weights[i] = w.word, w.weight
	}
	return rag.NewProximity(words, weights, isLong(words))
}
