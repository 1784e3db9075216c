package rag

const (
	proximityRun    = 12  // words per proximity window
	proximityWeight = 0.3 // weight of the best window's words, beside BM25
	longProximity   = 0.5 // the same in a long question
	proximityGap    = 30  // between the head line and the text, so that no window spans both
)

// Proximity measures how close a passage's question words are: words of one sentence say more than words of three. It
// reads the passage, so it is for the top few. Not for concurrent use.
type Proximity struct {
	words     []Word
	weights   []float64
	weight    float64 // of the best window's words
	stems     map[string]int
	parts     map[string][]int
	a         Analyzer
	may       sieve
	sightings []sighting
	share     []int // matched parts of each question word in the current word
	touched   []int
	best      []float64
}

// sighting is an occurrence of a question word, or part of it, in a passage.
type sighting struct {
	at, word int
	match    float64
}

// NewProximity prepares a question. weights are the words' weights in the collection, as in [Evidence]; in a long
// one closeness counts more.
func NewProximity(words []Word, weights []float64, long bool) *Proximity {
	p := &Proximity{
		words: words, weights: weights, weight: proximityWeight, stems: map[string]int{}, parts: map[string][]int{},
		share: make([]int, len(words)), best: make([]float64, len(words)),
	}
	if long {
		p.weight = longProximity
	}
	for i, w := range words {
		if w.Weight == 0 || len(w.Terms) == 0 {
			continue
		}
		p.stems[w.Terms[0]] = i
		for _, t := range w.Parts() {
			p.parts[t] = append(p.parts[t], i)
		}
		for _, s := range w.Same {
			for _, o := range s.Words {
				if _, taken := p.stems[o.Terms[0]]; !taken {
					p.stems[o.Terms[0]] = i
				}
			}
		}
	}
	for stem := range p.stems {
		p.may.stem(stem)
	}
	for part := range p.parts {
		p.may.part(part)
	}
	return p
}

// Of returns the rank bonus of a passage with this head line: the weight of the question's words in the best window
// of a dozen words.
func (p *Proximity) Of(head, text string) float64 {
	p.sightings = p.sightings[:0]
	at := p.read(head, 0)
	p.read(text, at+proximityGap)
	top := 0.0
	for i := range p.sightings {
		clear(p.best)
		sum := 0.0
		for _, f := range p.sightings[i:] {
			if f.at >= p.sightings[i].at+proximityRun {
				break
			}
			if f.match > p.best[f.word] {
				sum += (f.match - p.best[f.word]) * p.weights[f.word]
				p.best[f.word] = f.match
			}
		}
		top = max(top, sum)
	}
	return p.weight * top
}

// read records the sightings of a text whose first word has index at, and returns its end. Most words are not in the
// question: the sieve rejects them without stemming.
func (p *Proximity) read(text string, at int) int {
	emit := func(term []byte) {
		if term[0] == partMark[0] {
			for _, w := range p.parts[string(term)] {
				if p.share[w]++; p.share[w] == 1 {
					p.touched = append(p.touched, w)
				}
			}
			return
		}
		p.settle(at)
		at++
		if w, ok := p.stems[string(term)]; ok {
			p.sightings = append(p.sightings, sighting{at, w, 1})
		}
	}
	p.a.tok = appendTokens(p.a.tok[:0], fold(text, true))
	for _, t := range p.a.tok {
		if terms, other := p.may.other(t); other {
			p.settle(at)
			at += terms
			continue
		}
		p.a.terms(t, emit)
	}
	p.settle(at)
	return at
}

// settle turns the matched parts of the last word into a sighting.
func (p *Proximity) settle(at int) {
	for _, w := range p.touched {
		if m := PartialMatch(float64(p.share[w]) / float64(len(p.words[w].Parts()))); m > 0 {
			p.sightings = append(p.sightings, sighting{at, w, m})
		}
		p.share[w] = 0
	}
	p.touched = p.touched[:0]
}
