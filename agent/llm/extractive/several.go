package extractive

import (
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/rag/answer"
)

// quoteEach answers several questions of one message apart, and names those that the passages do not answer; "" if it answers none, and if
// the answer to one question of two subjects speaks of both.
// A question that leaves out its subject is answered from the document that answered the one before.
func (a *ask) quoteEach() string {
	var quotes, missing strings.Builder
	seen := map[string]bool{}
	passages := a.toChooseFrom()
	documents, before := map[int]string{}, ""
	for i, p := range passages {
		documents[p.N] = p.Document
		passages[i].Score = 0 // the index was sure of one of the questions, not of which
	}
	several := answer.Several(a.question)
	if len(several) > 0 && several[0].Of != "" {
		both := answer.Best(a.question, a.leant, passages)
		if !slices.ContainsFunc(several, func(q answer.Question) bool { return !q.IsOf(both) }) {
			return ""
		}
	}
	for _, q := range several {
		said := answer.Best(q.Text, a.leant, passages)
		if len(said) == 0 || q.Before != "" && documents[said[0].N] != before {
			if leaning := answer.Best(q.Text, q.Before, passages); len(leaning) > 0 && documents[leaning[0].N] == before {
				said = leaning
			}
		}
		if len(said) == 0 || !slices.ContainsFunc(said, func(s answer.Sentence) bool { return !seen[s.Text] }) && !q.IsOf(said) {
			missing.WriteString("\n" + a.say("extractive.part_not_said", fit.Clip(q.Put, 100)) + "\n")
			continue
		}
		before = documents[said[0].N]
		said = slices.DeleteFunc(said, func(s answer.Sentence) bool { return seen[s.Text] })
		for _, s := range said {
			seen[s.Text] = true
		}
		quotes.WriteString(shown(said, q.Text))
	}
	if quotes.Len() == 0 {
		return ""
	}
	return quotes.String() + missing.String()
}
