package extractive

import (
	"fmt"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/prose"
	"maru/rag"
)

// Bounds of what is quoted.
const (
	maxQuotes = 3
	maxQuote  = 400 // runes of one quotation
)

// When a sentence is quoted. They were set on the handbook's questions and a part of KorQuAD's, see
// docs/evaluation.md; each is about any question, none about one kind of document.
const (
	enough    = 0.42 // share of the question that a sentence with its headings must cover
	wholeWho  = 0.7  // the same for a person or a place, verbs counted as much as nouns
	valueWho  = 0.5  // the same where the sentence has a word for one and says what is done
	roughWho  = 0.62 // the same where it has a word for one
	holdsWho  = 0.3  // and what of it the sentence itself must hold
	near      = 0.4  // of the best score that further sentences of its passage must reach
	elsewhere = 0.94 // the same for sentences of other passages
	least     = 0.2  // share of the question that these must cover
)

// A passage is quoted on the word of an index with vectors alone where it is sure and the
// passage shares hardly a word with the question.
const (
	sure   = 0.8
	unlike = 0.3
)

// quote answers from the passages: the sentences that cover the question best,
// word for word, each with its number. Without such a sentence it says that it
// could not find one; whoever asked adds where the passages stand.
func quote(a *ask) string {
	a.question = rag.Asked(a.question)
	quotes := a.whole()
	if quotes == "" {
		named := a.named()
		if len(named) > 0 {
			a.req.Passages = named // whoever names an article wants no other's sentences
		}
		if quotes = shown(a.best(), a.question); quotes == "" {
			quotes = inFull(named)
		}
	}
	if quotes == "" && a.shared {
		return a.say("extractive.have_read") + "\n" + a.titles()
	}
	if quotes == "" {
		if s, score := a.recollect(); score >= whollySaid && a.personal() {
			return a.recalled(s) // what people said themselves is nearer than passages that do not clearly answer
		}
		return a.say("extractive.not_said")
	}
	quotes = a.say("extractive.says") + "\n" + quotes
	if note := a.note(); note != "" {
		quotes += "\n" + note
	}
	return strings.TrimRight(quotes, "\n")
}

// shown writes sentences word for word, each with its number.
func shown(list []sentence, question string) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "\n> %s [%d]\n", excerpt(s.text, question), s.n)
	}
	return b.String()
}

// note says once in a conversation what kind of answer this is.
func (a *ask) note() string {
	note := phrase.Of("extractive.quoted")
	for _, m := range a.before {
		if m.Role == llm.Assistant && slices.ContainsFunc(note.Everywhere(), func(n string) bool { return strings.Contains(m.Content, n) }) {
			return ""
		}
	}
	return "_" + note.In(a.lang) + "_"
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

// best are the sentences that clearly answer. Of several sentences that a person wrote
// the one that is covered best is the question: people say hello before they ask, and why after it.
func (a *ask) best() []sentence {
	all, question := sentencesOf(a.req.Passages), fit.Cut(a.question, maxSubject)
	asked := numbersIn(question)
	for i := range all {
		all[i].number = saysNumber(all[i].text, asked)
	}
	var best []sentence
	for _, part := range wantedOf(defining().ReplaceAllString(question, " "), a.leant, all) {
		ranked := measure(question, part, all)
		if len(ranked) > 0 && (len(best) == 0 || ranked[0].covers > best[0].covers) {
			best = ranked
		}
	}
	if len(best) > 0 && clear(question, best[0]) {
		return chosen(question, best, all)
	}
	return a.believed(best)
}

// clear reports whether a sentence answers as far as words tell. A question for a number, a reason, a person or a place needs a
// value of the kind ([sought]). Words are weak signs of the last three, so more of the question must be held, its verb included.
func clear(question string, s sentence) bool {
	switch {
	case s.covers >= least && s.rowFor(question):
		return true
	case s.covers < enough:
		return false
	case asksNumber().MatchString(question):
		return s.value == 1 || s.number && !countsEn().MatchString(strings.ToLower(question))
	case asksWhy().MatchString(question):
		return s.value == 1 && s.whole >= valueWho
	case asksWho().MatchString(question):
		return s.value > 0 && s.holds >= holdsWho && (s.whole >= wholeWho || s.value == 1 && (s.does && s.whole >= valueWho || s.whole >= roughWho))
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
		if len(out) < maxQuotes && beside && s.covers >= least && !repeats(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// believed is the beginning of a passage that vectors are sure of, although it shares no word with the question.
func (a *ask) believed(ranked []sentence) []sentence {
	for _, p := range a.req.Passages {
		shares := slices.ContainsFunc(ranked, func(s sentence) bool { return s.n == p.N && s.passage > unlike })
		if ss := prose.Sentences(clean(p.Text)); p.Score >= sure && !shares && len(ss) > 0 {
			return []sentence{{text: strings.Join(ss[:min(len(ss), maxQuotes)], " "), n: p.N}}
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
