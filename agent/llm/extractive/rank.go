package extractive

import (
	"math"
	"slices"
	"sort"
	"strings"

	"maru/phrase/prose"
	"maru/rag/lexicon"
)

// rank.go orders the sentences of all passages by how well they answer a question.

// howLong asks for a time, which no answer calls long.
var howLong = expression(`(?i)\bhow\s+long\b`)

// rank orders the sentences of all passages by how well they answer a question.
func (a *ask) rank(question string) []candidate {
	want := a.carried(subject(question))
	if howLong.MatchString(question) {
		want = slices.DeleteFunc(want, func(w wanted) bool { return w.stem == "long" })
	}
	all := a.candidates()
	if len(want) == 0 || len(all) == 0 {
		return nil
	}
	sayOtherwise(want, all, a.leant != "")
	definedToo(want, all)
	dueToo(question, want)
	hoursToo(question, want)
	workToo(question, want)
	formsToo(question, want, all)
	weights, total := weigh(want, all)
	given := a.form()
	passages := wholes(all)
	about := fullness(passages, want, weights, total)
	there := objects(question)
	untold, other := untold(question, want, all), a.otherNumber(question)
	for i := range all {
		score(&all[i], want, weights, total, given.looks(a.question))
		all[i].lacks = lacks(passages[all[i].n], want, there) || untold(i) || other(all[i])
		all[i].about = about[all[i].n]
		all[i].score *= all[i].about
	}
	caseToo(question, all)
	spanToo(question, all)
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	return all
}

// wholes returns the stems of each passage by number, headings included.
func wholes(all []candidate) map[int][]string {
	out := map[int][]string{}
	for _, c := range all {
		if out[c.n] == nil {
			out[c.n] = append(out[c.n], c.context...)
		}
		out[c.n] = append(out[c.n], c.stems...)
	}
	return out
}

// fullness says of each passage, by number, how much of what the fullest one holds of
// the question it holds: of two sentences that say the same, that of the passage
// which is about the question is meant.
func fullness(passages map[int][]string, want []wanted, weights []float64, total float64) map[int]float64 {
	out, most := map[int]float64{}, 0.0
	for n, stems := range passages {
		for i, w := range want {
			out[n] += weights[i] * w.heldBy(stems) / total
		}
		most = max(most, out[n])
	}
	for n := range out {
		out[n] /= max(most, 1e-9)
	}
	return out
}

// chosen picks the sentences to quote from a ranking.
func chosen(all []candidate) []candidate {
	var out []candidate
	for _, c := range all {
		if len(out) == maxQuotes {
			break
		}
		if c.lacks || c.covers < enough || len(out) > 0 && !c.beside(out[0]) || repeats(out, c) {
			continue
		}
		out = append(out, c)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].order < out[j].order })
	return out
}

// beside reports whether a sentence may stand beside the best one. One of another
// passage must be about the same: a word of the question that the best sentence's
// passage has and this one's has not tells that it is not (the pay of another leave).
func (c candidate) beside(best candidate) bool {
	if c.n == best.n {
		return c.score >= near*best.score
	}
	return c.score >= elsewhere*best.score && c.about >= best.about
}

func (a *ask) candidates() []candidate {
	var out []candidate
	asked := stems(a.question)
	for rank, p := range a.req.Passages {
		text := clean(p.Text)
		ctx := a.ownTitle(p.Title)
		for _, line := range strings.Split(text, "\n") {
			if prose.IsHeading(line) {
				ctx += " " + line
			}
		}
		about := once(stems(ctx))
		named := share(asked, about)
		for _, s := range prose.Sentences(text) {
			out = append(out, candidate{text: s, from: p.Title, above: ctx, n: p.N, rank: rank, order: len(out), stems: stems(s), context: about, title: named})
			if len(out) == 2000 {
				return out
			}
		}
	}
	return out
}

// maxContext bounds the words of titles and headings that every sentence of a passage is held against.
const maxContext = 400

// once returns each stem once, the first of them.
func once(stems []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range stems {
		if !seen[s] && len(out) < maxContext {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// weigh gives each word of the question its rarity over the sentences.
func weigh(want []wanted, all []candidate) (weights []float64, total float64) {
	for _, w := range want {
		df := 0.0
		for _, c := range all {
			if w.heldBy(c.stems) >= lexicon.WiderMatch {
				df++
			}
		}
		x := w.weight * math.Log(1+float64(len(all)+1)/(df+1))
		weights = append(weights, x)
		total += x
	}
	return weights, total
}

// score counts the words a sentence covers; those that only its title or
// headings cover count two thirds, for they say what the passage is about.
func score(c *candidate, want []wanted, weights []float64, total float64, looks func(text string) bool) {
	own, around := 0.0, 0.0
	for i, w := range want {
		in := w.heldBy(c.stems)
		own += weights[i] * in
		if in < 1 {
			around += weights[i] * max(0, w.heldBy(c.context)-in)
		}
	}
	c.covers = (own + around) / total
	c.score = (own + 0.65*around) / total
	c.score += 0.6 * c.title * c.title
	if looks(c.text) {
		c.score += 0.3
	}
	if strings.HasSuffix(c.text, "?") {
		c.score *= 0.6 // a question answers nothing
	}
	c.score /= 1 + 0.05*float64(c.rank) + 0.002*float64(min(c.order, 100)) // what the index ranks higher comes first
	if n := len(c.stems); n > 60 {
		c.score *= 0.8
	}
}

// share is how many of the words stand among those.
func share(words, those []string) float64 {
	n := 0.0
	for _, w := range words[:min(len(words), maxTerms)] {
		n += held(w, those)
	}
	return n / float64(max(1, min(len(words), maxTerms)))
}

func has(stems []string, w string) bool {
	for _, s := range stems {
		if matches(w, s) {
			return true
		}
	}
	return false
}
