package extractive

import (
	"fmt"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/answer"
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
		if quotes = a.quoteEach(); quotes == "" {
			quotes = shown(answer.Best(a.question, a.leant, a.toChooseFrom()), a.question)
		}
		if quotes == "" {
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

// toChooseFrom returns the passages of the request.
func (a *ask) toChooseFrom() []answer.Passage {
	out := make([]answer.Passage, len(a.req.Passages))
	for i, p := range a.req.Passages {
		out[i] = answer.Passage{N: p.N, Document: p.Document, Ordinal: p.Ordinal, Title: p.Title, Text: p.Text, Score: p.Score, Words: p.Words}
	}
	return out
}

// shown writes sentences word for word, each with its number.
func shown(list []answer.Sentence, question string) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "\n> %s [%d]\n", excerpt(s.Text, question), s.N)
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
		if title := fit.OneLine(answer.Clean(p.Title)); !seen[title] && len(seen) <= maxPlaces {
			seen[title] = true
			b.WriteString("\n- " + title)
		}
	}
	return b.String()
}
