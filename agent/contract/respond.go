package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/memory"
	"maru/phrase/intent"
	"maru/rag"
	"maru/rag/answer"
)

func (k kit) respond() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "contract_respond", Summary: "Answers with numbered sources; people see the answer as it comes.",
		Doc:   "Articles that are asked for by number and nothing more are quoted by the program; the model may add to them, and what it denies of them is dropped. What was looked for and is not there is said first, word for word and without the model. Citations of passages that do not exist are taken out, and below an answer that stands on no passage stands the sentence that answers. A model that cannot answer is replaced by the passages themselves, with why.",
		Reads: []string{"query", "found", "done"}, Writes: []string{"answer", "cited", "messages", "last_articles"},
	}, k.conclude, nil)
}

// keptMessages is the number of messages stored per thread.
const keptMessages = 20

func (k kit) conclude(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	found := k.numbered(s)
	misses := k.untold(s, x)
	host.Custom(x, "generating", map[string]int{"passages": len(found)})
	more, err := k.elsewhere(ctx, s, x, found)
	if err != nil {
		return nil, err
	}
	x.Doing("contract.writing")
	if len(found) > 0 {
		x.Emit(agent.Event{Kind: agent.EventSources, Sources: sources(slices.Concat(found, more))})
	}
	lead := strings.Join(misses, "\n")
	text := ""
	switch {
	case len(found) == 0 && len(k.st.done.Get(s)) > 0:
		if lead == "" {
			lead = k.notFound(s, x)
		}
		x.Emit(agent.Event{Kind: agent.EventToken, Text: lead})
	default:
		tellLead(x, lead)
		if text, err = k.say(ctx, s, x, found, misses); err != nil {
			return nil, err
		}
		text = k.sourced(s, x, text, found)
	}
	answer, cited := finish(x, text, slices.Concat(found, more), !slices.Contains(misses, k.without(s, x)))
	answer = strings.TrimSpace(lead + "\n\n" + answer)
	writes := append(host.Said(x.Request, s, k.st.messages, answer, keptMessages), k.st.answer.Set(answer), k.st.cited.Set(cited))
	if keys := articleKeys(found); len(keys) > 0 {
		writes = append(writes, k.st.last.Set(keys))
	}
	return writes, nil
}

// untold returns the notices to show before the answer: parts that were not found, and which
// contract was used where that is unclear. A thread is told once that it has no contract or has
// lost it, and once which of several was used.
func (k kit) untold(s graph.State, x *workflow.Exec) []string {
	notice, which := x.Phrase("contract.from_standard"), k.which(s, x)
	heard := func(text string) bool {
		return slices.ContainsFunc(host.Earlier(x.Request, k.st.messages.Get(s)), func(m memory.Message) bool {
			return m.Role == string(llm.Assistant) && strings.Contains(m.Text, text)
		})
	}
	var out []string
	if which != "" && !heard(which) {
		out = append(out, which)
	}
	for _, d := range k.st.done.Get(s) {
		for line := range strings.SplitSeq(d.Miss, "\n") {
			told := d.Asked
			if line == notice {
				line = k.without(s, x)
				told = !heard(line)
			}
			if line != "" && told && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// without returns the notice that the answer comes from the standard contract, because the thread
// has none or has lost it.
func (k kit) without(s graph.State, x *workflow.Exec) string {
	if len(k.st.contracts.Get(s)) > 0 {
		return x.Phrase("contract.gone")
	}
	return x.Phrase("contract.from_standard")
}

// which names the contract that was used, if the channel has several and nobody named one;
// otherwise "".
func (k kit) which(s graph.State, x *workflow.Exec) string {
	own, others := k.st.own.Get(s), k.st.others.Get(s)
	if len(others) == 0 || len(own) == 0 || !slices.ContainsFunc(k.st.found.Get(s), func(f Found) bool { return !f.Standard }) {
		return ""
	}
	names := make([]string, len(others))
	for i, o := range others {
		names[i] = x.Phrase("contract.quoted", o)
	}
	return x.Phrase("contract.which", own[0].name(), strings.Join(names, ", "))
}

// say asks the model for the answer. If it fails, the passages themselves are the answer.
func (k kit) say(ctx context.Context, s graph.State, x *workflow.Exec, found []Found, misses []string) (string, error) {
	before := k.verbatim(s, found)
	system, err := prompt("respond", map[string]any{
		"Shown": before != "",
		"Today": host.Today(x.Request), "Language": node.AnswerIn(x.Request.Language), "Persona": x.Request.Persona, "Passages": showPassages(found),
		"Misses": misses, "Missing": k.st.evaluation.Get(s).Missing, "Query": k.st.query.Get(s), "Question": k.st.question.Get(s),
		"Earlier": host.LongAgo(ctx, x, k.log, host.Newest(k.st.messages.Get(s), recent)),
	})
	if err != nil {
		return "", err
	}
	req := llm.Request{Purpose: llm.ForAnswer, Messages: k.talk(system, s)}
	if question, query := k.st.question.Get(s), k.st.query.Get(s); len(references(question)) == 0 && len(references(made(query, question))) > 0 {
		req.Messages[len(req.Messages)-1] = llm.Message{Role: llm.User, Content: query} // the rewrite names the article
	}
	for _, f := range found {
		req.Passages = append(req.Passages, llm.Passage{N: f.Source.N, Title: place(f), Text: f.Source.Quote})
	}
	if before != "" {
		x.Emit(agent.Event{Kind: agent.EventToken, Text: before})
	}
	reply, err := host.Talk(ctx, x, "answer", req, before == "")
	failed := llm.Class(reply.Failed)
	switch {
	case llm.ClassOf(err) == llm.Garbage: // treat an unreadable reply as none
		failed = llm.Garbage
	case err != nil:
		return "", err
	case reply.Text != "" && before != "":
		return k.quoteFirst(x, before, reply.Text, found), nil
	case reply.Text != "":
		return reply.Text, nil
	}
	text := k.quoted(x, found)
	if failed != "" && len(found) > 0 {
		text = x.Phrase("contract.model_failed", host.Why(x, failed)) + "\n\n" + text
	}
	x.Emit(agent.Event{Kind: agent.EventReset}) // discard a partial answer
	tellLead(x, strings.Join(misses, "\n"))
	x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	return text, nil
}

// sourced quotes the sentences that clearly answer below an answer that rests on none of the passages that were looked up for it:
// weak models tell what no contract says. What a conversation or a calculation answers needs no clause.
func (k kit) sourced(s graph.State, x *workflow.Exec, text string, found []Found) string {
	if len(k.st.done.Get(s)) == 0 || rag.Declines(text) || !intent.AsksToKnow(k.st.question.Get(s)) {
		return text
	}
	if numbers, _ := rag.Cited(rag.Ground(text, node.Hits(sources(found))).Text, len(found)); len(numbers) > 0 {
		return text
	}
	passages := make([]answer.Passage, len(found))
	for i, f := range found {
		passages[i] = answer.Passage{N: f.Source.N, Title: place(f), Text: f.Source.Quote}
	}
	added := ""
	for _, sentence := range answer.Best(k.st.question.Get(s), "", passages) {
		added += fmt.Sprintf("\n\n> %s [%d]", sentence.Text, sentence.N)
	}
	if added != "" {
		added = "\n\n" + x.Phrase("contract.uncited") + added
		x.Emit(agent.Event{Kind: agent.EventToken, Text: added})
	}
	return text + added
}

// tellLead streams the notices before the answer.
func tellLead(x *workflow.Exec, lead string) {
	if lead != "" {
		x.Emit(agent.Event{Kind: agent.EventToken, Text: lead + "\n\n"})
	}
}

// quoted returns the passages verbatim, as the answer without a model.
func (k kit) quoted(x *workflow.Exec, found []Found) string {
	if len(found) == 0 {
		return x.Phrase("agent.empty_answer")
	}
	return quotes(found[:min(len(found), 4)])
}

// notFound says that the contract has nothing on the question.
func (k kit) notFound(s graph.State, x *workflow.Exec) string {
	var names []string
	for _, c := range k.st.own.Get(s) {
		names = append(names, x.Phrase("contract.quoted", c.Title))
	}
	if len(names) > 0 {
		return x.Phrase("contract.not_found", strings.Join(names, ", "))
	}
	return x.Phrase("contract.no_contract")
}

// finish checks the citations of an answer against the passages, marks sources from the standard
// contract unless the notices did, and returns the cited sources.
func finish(x *workflow.Exec, text string, found []Found, tell bool) (string, []agent.Source) {
	text, cited := x.Cite(text, sources(found))
	var now, was []string // citation numbers in the answer, and in the text streamed so far
	title := ""
	for _, c := range cited {
		at := slices.IndexFunc(found, func(f Found) bool { return f.Source.Chunk == c.Chunk && f.Source.Quote == c.Quote })
		if found[at].Standard {
			now, was, title = append(now, fmt.Sprintf("[%d]", c.N)), append(was, fmt.Sprintf("[%d]", at+1)), c.Title
		}
	}
	if len(now) == 0 || !tell {
		return text, cited
	}
	note := func(numbers []string) string {
		return "\n\n_" + x.Phrase("contract.cites_standard", strings.Join(numbers, ", "), title) + "_"
	}
	x.Emit(agent.Event{Kind: agent.EventToken, Text: note(was)})
	return text + note(now), cited
}

func sources(found []Found) []agent.Source {
	out := make([]agent.Source, len(found))
	for i, f := range found {
		out[i] = f.Source
	}
	return out
}

// articleKeys returns the articles that an answer cites, the user's contracts first.
func articleKeys(found []Found) []string {
	var own, standard []string
	for _, f := range found {
		switch {
		case f.Article == "" || slices.Contains(own, f.Article) || slices.Contains(standard, f.Article):
		case f.Standard:
			standard = append(standard, f.Article)
		default:
			own = append(own, f.Article)
		}
	}
	return append(own, standard...)
}
