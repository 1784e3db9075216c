package tool

import (
	"cmp"
	"slices"

	"maru/rag"
)

// index is a mutable BM25F inverted index of tools. Terms and tools are numbered, so that
// thousands of tools cost the garbage collector little. Its Recommender guards it.
type index struct {
	analyzer  rag.Analyzer
	slots     map[string]uint32 // by name
	docs      []document        // by slot
	freeSlots []uint32
	ids       map[string]uint32 // by term
	terms     []term            // by id
	freeIDs   []uint32
	total     [fields]float64 // terms of all tools together
	norms     []norm          // by slot; see settle
}

// norm is what one occurrence in each field of a tool counts.
type norm [fields]float32

// document is one tool in the index.
type document struct {
	spec   Spec
	terms  []uint32 // ids, in order; nil in a free slot
	length [fields]float32
	vector []float32 // normalised; nil if there is none
}

// term is one term with the tools that hold it.
type term struct {
	text     string
	postings []posting
}

// posting is the frequency of a term in a tool.
type posting struct {
	slot uint32
	tf   termCounts
}

func newIndex() index {
	return index{slots: map[string]uint32{}, ids: map[string]uint32{}}
}

// add puts in a tool that is not there yet.
func (x *index) add(s Spec) {
	counts, length := specTerms(&x.analyzer, s)
	slot := grow(&x.docs, &x.freeSlots)
	d := document{spec: s, terms: make([]uint32, 0, len(counts)), length: length}
	for text, tf := range counts {
		id, known := x.ids[text]
		if !known {
			id = grow(&x.terms, &x.freeIDs)
			x.ids[text], x.terms[id].text = id, text
		}
		x.terms[id].postings = append(x.terms[id].postings, posting{slot, *tf})
		d.terms = append(d.terms, id)
	}
	slices.Sort(d.terms)
	x.docs[slot], x.slots[s.Name] = d, slot
	for f := range fields {
		x.total[f] += float64(length[f])
	}
}

// grow returns a free slot of a list and extends it if there is none.
func grow[T any](list *[]T, free *[]uint32) uint32 {
	if n := len(*free); n > 0 {
		place := (*free)[n-1]
		*free = (*free)[:n-1]
		return place
	}
	var empty T
	*list = append(*list, empty)
	return uint32(len(*list) - 1) //nolint:gosec // tools and their terms are counted in millions at most
}

// remove removes a tool if it exists.
func (x *index) remove(name string) {
	slot, ok := x.slots[name]
	if !ok {
		return
	}
	d := x.docs[slot]
	for _, id := range d.terms {
		t := &x.terms[id]
		t.postings = slices.DeleteFunc(t.postings, func(p posting) bool { return p.slot == slot })
		if len(t.postings) == 0 {
			delete(x.ids, t.text)
			*t = term{}
			x.freeIDs = append(x.freeIDs, id)
		}
	}
	for f := range fields {
		x.total[f] -= float64(d.length[f])
	}
	delete(x.slots, name)
	x.docs[slot] = document{}
	x.freeSlots = append(x.freeSlots, slot)
}

// holders returns the tools that hold a term.
func (x *index) holders(text string) []posting {
	id, ok := x.ids[text]
	if !ok {
		return nil
	}
	return x.terms[id].postings
}

// The BM25F constants, fitted on one half of MetaTool's tasks; the test measures
// the other. See README.md.
const saturation = 1.5

var fieldWeight, fieldNorm = [fields]float32{2, 1, 0.5}, [fields]float32{0.3, 0.1, 0.4}

// idf returns the weight of a term.
func (x *index) idf(text string) float32 {
	return float32(rag.IDF(len(x.slots), len(x.holders(text))))
}

// settle recalculates weights after a change: they depend on a field's length relative to the
// average of all tools.
func (x *index) settle() {
	var average [fields]float32
	for f := range fields {
		average[f] = max(1, float32(x.total[f]/float64(max(1, len(x.slots)))))
	}
	x.norms = slices.Grow(x.norms[:0], len(x.docs))[:len(x.docs)]
	for slot := range x.docs {
		for f := range fields {
			x.norms[slot][f] = fieldWeight[f] / (1 - fieldNorm[f] + fieldNorm[f]*x.docs[slot].length[f]/average[f])
		}
	}
}

// lexical scores all tools by their words, from 0 to 1; a tool's place in the list is
// its slot.
func (x *index) lexical(q question) []float32 {
	scores := make([]float32, len(x.docs))
	var whole float32
	for _, t := range q.terms {
		whole += t.weight * x.idf(t.term)
	}
	for _, t := range q.terms {
		list := x.holders(t.term)
		weight := t.weight * x.idf(t.term) / max(whole, 1e-6)
		for i := range list {
			p := &list[i]
			n := &x.norms[p.slot]
			tf := n[0]*float32(p.tf[0]) + n[1]*float32(p.tf[1]) + n[2]*float32(p.tf[2])
			scores[p.slot] += weight * tf / (saturation + tf)
		}
	}
	return scores
}

// candidate is a tool that may be among the best.
type candidate struct {
	slot  uint32
	score float32
}

// search returns the best tools for a task, the best first.
func (x *index) search(q question, vector []float32, limit int, w Want) []Recommendation {
	scores := x.lexical(q)
	meaning := x.meaning(vector)
	past := x.past(q, w.Past)
	best := make([]candidate, 0, limit+1)
	for i, score := range scores {
		slot := uint32(i) //nolint:gosec // tools are counted in thousands
		if meaning != nil {
			score += meaningWeight * meaning[slot]
		}
		if past != nil {
			score = recall(score, past[slot])
		}
		full := len(best) == limit
		if score <= 0 || full && score < best[limit-1].score || !x.docs[slot].spec.Policy.Allows(w.Scopes) {
			continue
		}
		c := candidate{slot, score}
		at, _ := slices.BinarySearchFunc(best, c, x.compare)
		if best = slices.Insert(best, at, c); len(best) > limit {
			best = best[:limit]
		}
	}
	found := make([]Recommendation, 0, len(best))
	for _, c := range best {
		d := x.docs[c.slot]
		r := Recommendation{Spec: d.spec, Score: float64(c.score), Why: Why{Words: x.words(d, q), Past: float64(past[c.slot])}}
		if meaning != nil {
			r.Why.Meaning = float64(meaning[c.slot])
		}
		found = append(found, r)
	}
	return found
}

// compare orders candidates, the best first, and by name where they are equal.
func (x *index) compare(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(x.docs[a.slot].spec.Name, x.docs[b.slot].spec.Name))
}

// words returns the whole words of a task that a tool contains.
func (x *index) words(d document, q question) []string {
	var out []string
	for _, t := range q.terms {
		if id, ok := x.ids[t.term]; ok && t.whole {
			if _, held := slices.BinarySearch(d.terms, id); held {
				out = append(out, q.words[t.word])
			}
		}
	}
	return out
}
