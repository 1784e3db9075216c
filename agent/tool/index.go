package tool

import (
	"cmp"
	"slices"

	"maru/rag"
)

// index is a BM25F inverted index of tools that changes in place. It is guarded
// by its Recommender.
type index struct {
	analyzer rag.Analyzer
	slots    map[string]uint32 // by name
	docs     []document        // by slot; a free one has no terms
	free     []uint32
	postings map[string][]posting
	total    [fields]float64 // terms of all tools together
}

// document is one tool in the index.
type document struct {
	spec   Spec
	terms  map[string]*termCounts
	length [fields]float32
	vector []float32 // of length 1, nil if there is none
}

// posting says how often a tool holds a term.
type posting struct {
	slot uint32
	tf   termCounts
}

func newIndex() index {
	return index{slots: map[string]uint32{}, postings: map[string][]posting{}}
}

// add puts in a tool that is not there yet.
func (x *index) add(s Spec) {
	terms, length := specTerms(&x.analyzer, s)
	var slot uint32
	if n := len(x.free); n > 0 {
		slot, x.free = x.free[n-1], x.free[:n-1]
	} else {
		slot = uint32(len(x.docs)) //nolint:gosec // tools are counted in thousands
		x.docs = append(x.docs, document{})
	}
	x.docs[slot] = document{spec: s, terms: terms, length: length}
	x.slots[s.Name] = slot
	for term, tf := range terms {
		x.postings[term] = append(x.postings[term], posting{slot, *tf})
	}
	for f := range fields {
		x.total[f] += float64(length[f])
	}
}

// remove takes a tool out, if it is there.
func (x *index) remove(name string) {
	slot, ok := x.slots[name]
	if !ok {
		return
	}
	d := x.docs[slot]
	for term := range d.terms {
		left := slices.DeleteFunc(x.postings[term], func(p posting) bool { return p.slot == slot })
		if x.postings[term] = left; len(left) == 0 {
			delete(x.postings, term)
		}
	}
	for f := range fields {
		x.total[f] -= float64(d.length[f])
	}
	delete(x.slots, name)
	x.docs[slot] = document{}
	x.free = append(x.free, slot)
}

// The BM25F constants, fitted on one half of MetaTool's tasks; the test measures
// the other. See docs/decisions/0515.
const saturation = 1.5

var fieldWeight, fieldNorm = [fields]float32{2, 1, 0.5}, [fields]float32{0.3, 0.1, 0.4}

// idf is the weight of a term.
func (x *index) idf(term string) float32 {
	return float32(rag.IDF(len(x.slots), len(x.postings[term])))
}

// lexical scores all tools by their words; a tool's place in the list is its slot.
func (x *index) lexical(q question) []float32 {
	scores := make([]float32, len(x.docs))
	var average [fields]float32
	for f := range fields {
		average[f] = max(1, float32(x.total[f]/float64(max(1, len(x.slots)))))
	}
	for _, t := range q.terms {
		list := x.postings[t.term]
		weight := t.weight * x.idf(t.term)
		for i := range list {
			p := &list[i]
			length := &x.docs[p.slot].length
			var tf float32
			for f := range fields {
				if p.tf[f] > 0 {
					tf += fieldWeight[f] * float32(p.tf[f]) / (1 - fieldNorm[f] + fieldNorm[f]*length[f]/average[f])
				}
			}
			scores[p.slot] += weight * tf / (saturation + tf)
		}
	}
	return scores
}

// search returns the best tools for a task, the best first.
func (x *index) search(q question, vector []float32, limit int, w Want) []Recommendation {
	scores := x.lexical(q)
	var whole float32
	for _, t := range q.terms {
		whole += t.weight * x.idf(t.term)
	}
	meaning := x.meaning(vector)
	past := x.past(q, w.Past)
	type candidate struct {
		slot  uint32
		score float32
	}
	var best []candidate
	for slot, s := range scores {
		score := s / max(whole, 1e-6)
		if meaning != nil {
			score += meaningWeight * meaning[slot]
		}
		score = recall(score, past[uint32(slot)]) //nolint:gosec // a slot
		if score > 0 && x.docs[slot].terms != nil && x.docs[slot].spec.Policy.Allows(w.Scopes) {
			best = append(best, candidate{uint32(slot), score}) //nolint:gosec // a slot
		}
	}
	slices.SortFunc(best, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(x.docs[a.slot].spec.Name, x.docs[b.slot].spec.Name))
	})
	found := make([]Recommendation, 0, limit)
	for _, c := range best[:min(len(best), limit)] {
		d := x.docs[c.slot]
		r := Recommendation{Spec: d.spec, Score: float64(c.score)}
		r.Why.Words = d.words(q)
		if meaning != nil {
			r.Why.Meaning = float64(meaning[c.slot])
		}
		r.Why.Past = float64(past[c.slot])
		found = append(found, r)
	}
	return found
}

// words returns the words of a task that the tool holds as a whole.
func (d document) words(q question) []string {
	var out []string
	for _, t := range q.terms {
		if _, ok := d.terms[t.term]; ok && t.whole {
			out = append(out, q.words[t.word])
		}
	}
	return out
}
