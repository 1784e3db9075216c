package extractive

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/prose"
	"maru/rag"
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
	above   string // what its passage's title and headings say of it
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
		quoteEach(&b, a.question, parties)
	} else if sides := a.sideBySide(); len(sides) > 0 {
		quoteSides(&b, a.question, sides)
	} else if each := a.byPaper(); len(each) > 0 {
		quoteSides(&b, a.question, each)
	} else {
		if _, asked := a.term(); !asked && a.namesOnlyPaper() {
			return a.say("extractive.have_read") + "\n" + a.titles()
		}
		best, lacks := a.told()
		if len(best) == 0 || lacks != nil {
			if s, score := a.recollect(); score >= known && a.personal() {
				return a.recalled(s) // what people said themselves is nearer than what documents do not say
			}
			return a.closest(best, lacks)
		}
		quoteEach(&b, a.question, best)
	}
	if note := a.note(); note != "" {
		b.WriteString("\n" + note)
	}
	return strings.TrimRight(b.String(), "\n")
}

// quoteEach writes sentences word for word, each with its number.
func quoteEach(b *strings.Builder, question string, list []candidate) {
	for _, c := range list {
		fmt.Fprintf(b, "\n> %s [%d]\n", excerpt(c.text, question), c.n)
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

// closest is the answer when no sentence fits: that the documents do not say. Whoever asked
// the model adds which passages come nearest. Those in the other language cannot be matched
// by words: the index found them, so the first is shown.
func (a *ask) closest(best []candidate, lacks *form) string {
	p := a.req.Passages[0]
	if ss := prose.Sentences(clean(p.Text)); len(best) == 0 && phrase.Spoken(p.Text, a.lang) != a.lang && len(ss) > 0 {
		return a.say("extractive.closest") + fmt.Sprintf("\n\n> %s [%d]", fit.Clip(ss[0], maxQuote), p.N)
	}
	if lacks == nil {
		return a.say("extractive.not_said")
	}
	return a.say("extractive.lacks", phrase.Of(lacks.lacks))
}

// maxPlaces bounds how many passages are listed.
const maxPlaces = 3

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
	return bestFirst(a.formed(chosen(best), best))
}

// bestFirst puts the sentence that answers best before those of its passage that stand before it, if it
// holds clearly more and does not go on from them: who asks about a lost laptop is not told of the loan first.
func bestFirst(quoted []candidate) []candidate {
	at := 0
	for i, c := range quoted {
		if c.score > quoted[at].score {
			at = i
		}
	}
	if at == 0 || quoted[0].n != quoted[at].n || quoted[0].score > clearly*quoted[at].score || leansEn.MatchString(quoted[at].text) || leansKo.MatchString(quoted[at].text) {
		return quoted
	}
	best := quoted[at]
	return slices.Insert(slices.Delete(quoted, at, at+1), 0, best)
}

// clearly is the most of the best sentence's score that one has which it is put before.
const clearly = 0.9

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
	if (f.lacks == formAmount || f.lacks == formPlace) && a.lacking(quoted) != nil {
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
