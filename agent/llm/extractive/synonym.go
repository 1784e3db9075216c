package extractive

import (
	"slices"
	"strings"
	"sync"

	"maru/phrase/prose"
	"maru/rag/lexicon"
)

// other is another way to say a word: these stems together.
type other struct {
	stems []string
	match float64 // how much of the word it is
}

// sense is a phrase of the lexicon in stems, with what may be said for it.
type sense struct {
	key  []string
	last string // the last word of the key as it is written
	same []other
}

// senses are all phrases of the lexicon by their first stem.
var senses = sync.OnceValue(func() map[string][]sense {
	by := map[string][]sense{}
	type reading struct{ stems, all []string }
	read := map[string]reading{} // each phrase is another word for all others of its group
	phrase := func(text string) (stems, all []string) {
		r, ok := read[text]
		if !ok {
			r = reading{content(text), words(text)}
			read[text] = r
		}
		return r.stems, r.all
	}
	for _, g := range lexicon.Groups() {
		for i := range g.Same {
			var same []other
			for _, o := range g.Others(i) {
				if stems, all := phrase(o.Text); len(stems) > 0 && len(stems) >= len(all)-strays(all) {
					same = append(same, other{stems, o.Match})
				}
			}
			for _, word := range g.Keys(i) {
				key, all := phrase(word)
				if len(key) == 0 || len(key) < len(all)-strays(all) {
					continue // "may 1st" without its may is any first
				}
				by[key[0]] = append(by[key[0]], sense{key: key, last: all[len(all)-1], same: same})
			}
		}
	}
	return by
})

// strays counts the words of a phrase that it can do without.
func strays(all []string) int {
	n := 0
	for _, w := range all {
		if w == "the" || w == "a" || w == "my" || w == "of" || w == "to" || w == "in" || w == "our" || w == "us" || w == "it" {
			n++
		}
	}
	return n
}

// sayOtherwise gives the words of a question that stand in no passage the other
// words for them that do. Where people ask in the words of the documents nothing is added; a
// phrase stands only where one sentence with its headings has all of it: the payment of one article and the
// lateness of another are no late payment. always adds them to words that stand as well.
func sayOtherwise(want []wanted, all []candidate, always bool) {
	stands := func(stem string) bool {
		return slices.ContainsFunc(all, func(c candidate) bool { return c.holds(stem) })
	}
	together := func(key []wanted) bool {
		return slices.ContainsFunc(all, func(c candidate) bool { return c.holdsAll(key) })
	}
	for i := range want {
		for _, s := range sensesAt(want, i) {
			at := want[i : i+len(s.key)]
			if !always && together(at) {
				continue
			}
			same := s.same
			begun := at[len(at)-1].stem != s.key[len(s.key)-1]
			if begun { // 고장났는데 is 고장 first of all
				same = append([]other{{s.key, lexicon.SameMatch}}, same...)
			}
			for _, o := range same {
				if slices.ContainsFunc(o.stems, func(stem string) bool { return !stands(stem) }) {
					continue
				}
				for k := range at {
					at[k].same = append(at[k].same, o)
					if begun && at[k].weight < told { // 고장났는데 says what it is about, as 났는데 alone does not
						at[k].weight = told
					}
					if len(at) > 1 { // "take our data" says what it is about, as "take" does not
						at[k].weight = max(at[k].weight, told)
					}
				}
			}
		}
	}
}

// holds reports whether a sentence or the headings above it have a word.
func (c candidate) holds(stem string) bool { return has(c.stems, stem) || has(c.context, stem) }

// holdsAll reports whether a clause of a sentence, with the headings above it, has all words of a phrase:
// "tells the customer too late, it pays" is no late payment.
func (c candidate) holdsAll(key []wanted) bool {
	if slices.ContainsFunc(key, func(w wanted) bool { return !c.holds(w.stem) }) {
		return false
	}
	if len(key) == 1 {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(c.text, func(r rune) bool { return r == ',' || r == ';' }), func(clause string) bool {
		in := stems(clause)
		return !slices.ContainsFunc(key, func(w wanted) bool { return !has(in, w.stem) && !has(c.context, w.stem) })
	})
}

// sensesAt returns the senses whose phrase stands at word i.
func sensesAt(want []wanted, i int) []sense {
	var out []sense
	for _, s := range sensesOf(want[i].stem) {
		fits := i+len(s.key) <= len(want)
		for k := 0; fits && k < len(s.key); k++ {
			w := want[i+k].stem
			fits = w == s.key[k] || k == len(s.key)-1 && isSyllable(w) && strings.HasPrefix(w, s.last)
		}
		if fits {
			out = append(out, s)
		}
	}
	return out
}

// sensesOf returns the senses that begin with a stem, or with the longest
// beginning of a Korean word whose ending no list knows.
func sensesOf(stem string) []sense {
	all := senses()
	if s := all[stem]; len(s) > 0 || !isSyllable(stem) {
		return s
	}
	for rs := []rune(stem); len(rs) >= 2; rs = rs[:len(rs)-1] {
		if s := all[string(rs)]; len(s) > 0 {
			return s
		}
	}
	return nil
}

// heldBy says from 0 to 1 how much of the word stands among stems, itself or in other words.
func (w wanted) heldBy(stems []string) float64 {
	best := held(w.stem, stems)
	if best > 0 && w.unit != "" && !w.counts(stems) {
		best = 0
	}
	for _, o := range w.same {
		if best >= o.match {
			continue
		}
		sum := 0.0
		for _, stem := range o.stems {
			sum += held(stem, stems)
		}
		if !o.together(stems) {
			sum *= apart
		}
		best = max(best, o.match*sum/float64(len(o.stems)))
	}
	return best
}

// counts reports whether a number stands among stems before its unit.
func (w wanted) counts(stems []string) bool {
	for i, s := range stems[:max(0, len(stems)-1)] {
		if s == w.stem && strings.HasPrefix(stems[i+1], w.unit) {
			return true
		}
	}
	return false
}

// apart is what the words of an English phrase are worth that stand in a sentence, but not together: in "a full
// month of your first year … 15 new days" is no new year.
const apart = 0.5

// together reports whether the words of a phrase stand near each other.
func (o other) together(stems []string) bool {
	if len(o.stems) < 2 || isSyllable(o.stems[0]) {
		return true
	}
	at := -1
	for i, s := range stems {
		if !matches(o.stems[0], s) {
			continue
		}
		at = i
		for _, next := range o.stems[1:] {
			n := slices.IndexFunc(stems[at+1:min(at+1+maxBetween, len(stems))], func(s string) bool { return matches(next, s) })
			if n < 0 {
				at = -1
				break
			}
			at += 1 + n
		}
		if at >= 0 {
			return true
		}
	}
	return false
}

// maxBetween is how far the words of a phrase may stand from each other: "leave of the company".
const maxBetween = 3

// questionsIn cuts what a person wrote into sentences, and gives it whole too.
func questionsIn(s string) []string {
	parts := prose.Split(s)
	if len(parts) < 2 {
		return []string{s}
	}
	return append([]string{s}, parts...)
}
