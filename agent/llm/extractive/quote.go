package extractive

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/lexicon"
)

const (
	enough    = 0.34 // of the question's weight a sentence with its passage must cover
	near      = 0.72 // of the best score that further sentences of the same passage must reach
	elsewhere = 0.86 // the same for sentences of other passages
	maxQuotes = 3
	maxQuote  = 400 // runes of one quotation
)

// candidate is a sentence that may be quoted.
type candidate struct {
	text    string
	from    string // title of its passage
	n       int    // number of its passage
	rank    int    // of its passage, from 0
	order   int    // of the sentence over all passages
	stems   []string
	context []string // stems of the passage's title and headings
	title   float64  // how much of the question, asking words included, its title says
	score   float64
	covers  float64
	lacks   bool    // of what the question asks to be there, see [objects]
	about   float64 // how much of what the best passage holds of the question its passage holds
}

// quote answers from the passages: the sentences that cover the question best,
// word for word, each with its number.
func quote(a *ask) string {
	a.question = a.withoutNow(rag.Asked(a.question))
	var b strings.Builder
	b.WriteString(a.say("extractive.says") + "\n")
	if whole := a.whole(); whole != "" {
		b.WriteString(whole)
	} else if parties := a.contracting(); len(parties) > 0 {
		quoteEach(&b, parties)
	} else if sides := a.sideBySide(); len(sides) > 0 {
		quoteSides(&b, sides)
	} else {
		if _, asked := a.term(); !asked && a.namesOnlyPaper() {
			return a.say("extractive.have_read") + "\n" + a.titles()
		}
		best, lacks := a.told()
		if len(best) == 0 || lacks != nil {
			return a.closest(best, lacks)
		}
		quoteEach(&b, best)
	}
	if note := a.note(); note != "" {
		b.WriteString("\n" + note)
	}
	return strings.TrimRight(b.String(), "\n")
}

// quoteEach writes sentences word for word, each with its number.
func quoteEach(b *strings.Builder, list []candidate) {
	for _, c := range list {
		fmt.Fprintf(b, "\n> %s [%d]\n", fit.Clip(c.text, maxQuote), c.n)
	}
}

// told are the sentences to quote, and what they lack of what was asked.
func (a *ask) told() ([]candidate, *form) {
	if topics := a.topics(); topics != nil {
		return a.eachOf(topics), nil
	}
	if both := a.bothOf(); both != nil {
		return both, nil
	}
	if out, asked := a.term(); asked {
		if len(out) > 0 {
			return out, nil
		}
		return nil, &termForm
	}
	if out := a.quitting(); len(out) > 0 {
		return out, nil
	}
	if l := a.lapse(); l != nil {
		if out := a.inLapse(l); len(out) > 0 {
			return out, nil
		}
		return nil, &lapseForm
	}
	best := a.best()
	return best, a.lacking(best)
}

// note says once in a conversation what kind of answer this is.
func (a *ask) note() string {
	note := phrase.Of("extractive.quoted")
	for _, m := range a.before {
		if m.Role == llm.Assistant && hasAny(m.Content, note.Everywhere()...) {
			return ""
		}
	}
	return "_" + note.In(a.lang) + "_"
}

// closest is the answer when no sentence fits: that the documents do not say, and
// which passages come nearest. Those in the other language cannot be matched by
// words: the index found them, so the first is shown.
func (a *ask) closest(best []candidate, lacks *form) string {
	p := a.req.Passages[0]
	if ss := sentences(clean(p.Text)); len(best) == 0 && phrase.Spoken(p.Text, a.lang) != a.lang && len(ss) > 0 {
		return a.say("extractive.closest") + fmt.Sprintf("\n\n> %s [%d]", fit.Clip(ss[0], maxQuote), p.N)
	}
	if lacks == nil {
		return a.say("extractive.not_said") + a.places()
	}
	return a.say("extractive.lacks", phrase.Of(lacks.lacks)) + a.places()
}

// maxPlaces bounds how many places are named to somebody who was told that the
// documents do not say.
const maxPlaces = 3

// places names the passages that were found, for reading on.
func (a *ask) places() string {
	list := a.titles()
	if list == "" {
		return ""
	}
	return "\n\n" + a.say("agent.nearest") + list
}

// titles lists the passages that were found.
func (a *ask) titles() string {
	var b strings.Builder
	seen := map[string]bool{"": true}
	for _, p := range a.req.Passages {
		if title := fit.OneLine(clean(p.Title)); !seen[title] && len(seen) <= maxPlaces {
			seen[title] = true
			b.WriteString("\n- " + title)
		}
	}
	return b.String()
}

// best ranks all sentences of all passages and picks those to quote, in the
// order of the passages. Of several sentences that a person wrote the one that is
// covered best is the question: people say hello before they ask, and why after it.
func (a *ask) best() []candidate {
	var best []candidate
	for _, part := range questionsIn(a.question) {
		all := a.rank(part)
		if len(all) > 0 && (len(best) == 0 || all[0].covers > best[0].covers) {
			best = all
		}
	}
	return a.formed(chosen(best), best)
}

// formed leaves of the sentences to quote those of the form that the question demands,
// where others would mislead. Where none of them says the fact it adds the sentence behind
// one of them: people write what was decided, then why.
func (a *ask) formed(quoted, all []candidate) []candidate {
	f := a.demand()
	if f == nil {
		return quoted
	}
	if f.strict && a.lacking(quoted) != nil {
		quoted = append(quoted, f.behind(quoted, all, a.question)...)
		sort.SliceStable(quoted, func(i, j int) bool { return quoted[i].order < quoted[j].order })
	}
	if f.lacks == formAmount && a.lacking(quoted) != nil {
		if of := f.ofForm(all, a.question); len(of) > 0 {
			return of
		}
	}
	if f.alone {
		if tellers := f.tellers(quoted, a.question); len(tellers) > 0 {
			return tellers
		}
	}
	return quoted
}

// ofForm are the sentences of this form that hold about as much of the question as the best one, which is
// of another.
func (f *form) ofForm(all []candidate, question string) []candidate {
	var out []candidate
	for _, c := range all {
		if !c.lacks && f.fits(c.text, question) && c.covers >= near*all[0].covers && c.score >= near*all[0].score {
			out = append(out, c)
		}
	}
	return chosen(out)
}

// behind returns sentences of this form that stand right behind one of those to quote.
func (f *form) behind(quoted, all []candidate, question string) []candidate {
	var out []candidate
	for _, c := range all {
		next := slices.ContainsFunc(quoted, func(q candidate) bool { return c.n == q.n && c.order == q.order+1 })
		if next && !repeats(quoted, c) && f.fits(c.text, question) && len(quoted)+len(out) < maxQuotes {
			out = append(out, c)
		}
	}
	return out
}

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
	untold := untold(question, want, all)
	for i := range all {
		score(&all[i], want, weights, total, given.looks(a.question))
		all[i].lacks = lacks(passages[all[i].n], want, there) || untold(i)
		all[i].about = about[all[i].n]
		all[i].score *= all[i].about
	}
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
			if heading.MatchString(line) {
				ctx += " " + line
			}
		}
		about := once(stems(ctx))
		named := share(asked, about)
		for _, s := range sentences(text) {
			out = append(out, candidate{text: s, from: p.Title, n: p.N, rank: rank, order: len(out), stems: stems(s), context: about, title: named})
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

// repeats reports whether c says the same as one that was chosen, as
// overlapping passages do.
func repeats(chosen []candidate, c candidate) bool {
	for _, o := range chosen {
		if strings.Contains(o.text, c.text) || strings.Contains(c.text, o.text) {
			return true
		}
	}
	return false
}
