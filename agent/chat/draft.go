package chat

import (
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/answer"
)

// citation matches a citation of an answer, such as [1].
var citation = pattern.New(`\[(\d{1,3})\]`)

// onlyCitations matches a text of citations and nothing else, also as small models write them: ["1", "2"].
var onlyCitations = pattern.New(`^(?:\[["'\s,]*\d{1,3}(?:["'\s,]+\d{1,3})*["'\s,]*\]|[\s,.;*-])*$`)

var withoutMarks = strings.NewReplacer(`"`, "", "'", "")

// spelled removes lines that contain only the place of a passage ("[1] Leaving › Notice"), which small models copy
// from the prompt. If no other text remains, or citations alone ("[2] [3]"), it quotes the sentence of the cited
// passages that is closest to the question.
func spelled(x *workflow.Exec, draft string, passages []agent.Source) string {
	var kept []string
	var named *agent.Source
	for line := range strings.SplitSeq(draft, "\n") {
		if p := placeIn(line, passages); p != nil {
			if named == nil {
				named = p
			}
			continue
		}
		kept = append(kept, line)
	}
	text := strings.TrimSpace(strings.Join(kept, "\n"))
	switch {
	case text == "" && named != nil:
		text = closestOf(x.Request.Text, []agent.Source{*named})
	case named == nil && onlyCitations.MatchString(text):
		cited := passages // an invented number would be removed, and leave nothing
		if numbers, _ := rag.Cited(withoutMarks.Replace(text), len(passages)); len(numbers) > 0 {
			cited = make([]agent.Source, len(numbers))
			for i, n := range numbers {
				cited[i] = passages[n-1]
			}
		}
		text = closestOf(x.Request.Text, cited)
	case named == nil:
		return draft
	}
	if text == "" {
		return draft
	}
	x.Emit(agent.Event{Kind: agent.EventReset})
	x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	return text
}

// echoes reports whether a draft is the person's question again and nothing else.
func echoes(question, draft string) bool {
	text := citation.ReplaceAllString(draft, "")
	return intent.AsksToKnow(question) && intent.AsksToKnow(text) && answer.Repeats(question, text)
}

// closestOf quotes the sentence of the passages that is closest to a question, with its citation; "" if there is none.
func closestOf(question string, passages []agent.Source) string {
	sentence, of, _ := node.Closest(question, passages)
	if sentence == "" {
		return ""
	}
	return "> " + sentence + " " + citationOf(passages[of])
}

// completed adds to a draft the sentence of a passage that clearly answers, where the draft does not say what that says: the
// value that a question asks for, as small models say that a holiday "is paid" without its date, or all of it, as one-word
// answers and those from another sentence do.
func completed(x *workflow.Exec, question, draft string, passages []agent.Source) string {
	text := citation.ReplaceAllString(draft, "")
	if !intent.AsksToKnow(question) || rag.Declines(draft) || intent.AsksMore(draft) {
		return draft
	}
	sentence := ""
	switch {
	case answer.Lacks(question, text), answer.AsksValue(question) && otherNumbers(question, text, passages):
		sentence = missingValue(question, draft, passages)
	case !answer.AsksValue(question):
		sentence = missing(question, draft, text, passages)
	}
	if sentence == "" {
		return draft
	}
	added := "\n\n> " + sentence
	x.Emit(agent.Event{Kind: agent.EventToken, Text: added})
	return draft + added
}

// missingValue quotes the sentence with the value that a draft lacks, from the passages that it cites or clearly uses; "" if there
// is none, or the draft says that there is none.
func missingValue(question, draft string, passages []agent.Source) string {
	if intent.LeavesOpen(draft) {
		return ""
	}
	from := citedBy(draft, passages)
	if len(from) == 0 && valueIn(question, passages) != "" { // no two passages say different things
		from = citedBy(rag.Ground(draft, node.Hits(passages)).Text, passages)
	}
	return valueIn(question, from)
}

// otherNumbers reports whether a draft has numbers, besides those of the question, and no passage has any of them.
func otherNumbers(question, text string, passages []agent.Source) bool {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Quote
	}
	own, held := answer.Numbers(question, text, strings.Join(texts, "\n"))
	return own > 0 && held == 0
}

// missing quotes the sentences that clearly answer a question. It returns "" if the draft already says the same as one of them, or
// is in another language. If no sentence clearly answers, a draft of a mere yes or no gets the closest sentence of the passages
// that it cites. text is the draft without citations.
func missing(question, draft, text string, passages []agent.Source) string {
	found, cited := node.Answers(question, passages), citedBy(draft, passages)
	if len(found) == 0 && answer.Repeats(question, text) {
		if sentence, of, share := node.Closest(question, cited); share >= leastShare {
			return sentence + " " + citationOf(cited[of])
		}
	}
	for _, f := range append(node.Answers(question, cited), found...) {
		if phrase.Spoken(f.Text, "") != phrase.Spoken(text, "") || answer.Carries(question, f.Text, text) {
			return ""
		}
	}
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = f.Text + " " + citationOf(passages[f.N])
	}
	return strings.Join(lines, "\n\n> ")
}

// citedBy returns the passages that a draft cites.
func citedBy(draft string, passages []agent.Source) []agent.Source {
	numbers, _ := rag.Cited(draft, len(passages))
	out := make([]agent.Source, len(numbers))
	for i, n := range numbers {
		out[i] = passages[n-1]
	}
	return out
}

// valueIn quotes the sentence of passages that has the value that a question asks for; "" where several say different things, as
// those of two branches do.
func valueIn(question string, passages []agent.Source) string {
	said, quotation := "", ""
	for _, p := range passages {
		found := node.Answers(question, []agent.Source{p})
		if len(found) == 0 || answer.Lacks(question, found[0].Text) {
			continue
		}
		if said != "" && found[0].Text != said {
			return ""
		}
		if said == "" {
			said, quotation = found[0].Text, found[0].Text+" "+citationOf(p)
		}
	}
	return quotation
}

const (
	leastShare = 0.5 // of a question's words in a sentence that the prompt names
	mostNamed  = 300 // characters of it
)

// nearestLine returns the line of a prompt about passages that names their closest sentence for a question; "" for other
// messages, and where no sentence holds half of the question. Weak models quote any of several passages; a strong one
// is not bound by it.
func nearestLine(question string, passages []agent.Source) string {
	if !intent.AsksToKnow(question) {
		return ""
	}
	sentence, of, share := node.Closest(question, passages)
	if sentence = fit.Clip(fit.OneLine(unquoted.Replace(sentence)), mostNamed); sentence == "" || share < leastShare {
		return ""
	}
	return "“" + sentence + "” " + citationOf(passages[of])
}

// unquoted removes the quotation marks with which a document's sentence could end its own quotation.
var unquoted = strings.NewReplacer("“", "", "”", "", "„", "", "‟", "", "«", "", "»", "", "「", "", "」", "", "『", "", "』", "", `"`, "", "＂", "", "`", "")

// placeIn returns the passage whose number and place are all that a line contains.
func placeIn(line string, passages []agent.Source) *agent.Source {
	number := citation.FindString(line)
	bare := strings.Trim(citation.ReplaceAllString(line, ""), " \t-*:#")
	if number == "" || bare == "" {
		return nil
	}
	for i, p := range passages {
		if bare == p.Title || bare == placeOf(p) {
			if number == citationOf(p) {
				return &passages[i]
			}
		}
	}
	return nil
}

// placeOf formats the title and headings of a passage as prompts show them.
func placeOf(p agent.Source) string { return strings.Trim(p.Title+" › "+p.Heading, " ›") }

// citationOf formats a citation of a passage.
func citationOf(p agent.Source) string { return fmt.Sprintf("[%d]", p.N) }

// calculator is the built-in tool whose result is "expression = value".
const calculator = "calculator"

// withResult appends the turn's last result of the calculator to an answer without a number of its own: small models say how one
// would compute.
func withResult(a *Agent, x *workflow.Exec, s graph.State, draft string) string {
	question := a.ch.question.Get(s)
	own, _ := answer.Numbers(question, citation.ReplaceAllString(draft, ""), "")
	if own > 0 {
		return draft
	}
	for _, m := range slices.Backward(a.ch.messages.Get(s)) {
		if m.CallID != "" && m.Name == calculator && strings.HasPrefix(m.ID, x.Request.Run+"/") && !strings.HasPrefix(m.Text, failedCall) {
			added := "\n\n" + m.Text
			x.Emit(agent.Event{Kind: agent.EventToken, Text: added})
			return draft + added
		}
	}
	return draft
}
