package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/phrase/fit"
	"maru/phrase/intent"
	"maru/rag"
)

// passagesFor is the number of passages for an answer without a plan.
const passagesFor = 5

// reporter writes the answer.
type reporter struct {
	stage

	keep  int  // messages of the thread that are kept
	reads bool // the model may search documents itself; the built-in model quotes the passages found for it
}

func (r reporter) synthesis() workflow.Type {
	return r.define("synthesis", "Writes the answer as it comes: to a talk from documents and memory, to a task from what its steps came to.",
		r.synthesise, nil, r.answer.Name(), r.passages.Name(), r.messages.Name())
}

func (r reporter) synthesise(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	var text string
	var writes []graph.Write
	var err error
	switch {
	case r.route.Get(s) == toChat:
		text, writes, err = r.chatAnswer(ctx, s, x)
	case len(r.outcomes.Get(s)) > 0:
		text, writes, err = r.report(ctx, s, x)
	default:
		text = r.problem.Get(s)
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	}
	if err != nil {
		return nil, err
	}
	if text == "" {
		text = x.Phrase("agent.empty_answer")
	}
	writes = append(writes, r.answer.Set(text))
	return append(writes, host.Said(x.Request, s, r.messages, text, r.keep)...), nil
}

// chatAnswer answers without a plan, from documents, preferences and the recent
// messages.
func (r reporter) chatAnswer(ctx context.Context, s graph.State, x *workflow.Exec) (string, []graph.Write, error) {
	passages, err := r.retrieve(ctx, x, x.Request.Text)
	if err != nil {
		return "", nil, err
	}
	text, err := r.prompt("chat", s, x, map[string]any{"Earlier": host.LongAgo(ctx, x, r.log, r.shown(s))})
	if err != nil {
		return "", nil, err
	}
	req := llm.Request{
		Purpose: llm.ForAnswer, Messages: system(text+node.ShowPassages(passages), r.talk(s)...), Passages: node.Passages(passages),
	}
	if r.reads && x.InReach(ctx) {
		req.Tools = []llm.Tool{node.SearchSpec()}
	}
	req.Tools = append(req.Tools, asksPeople(x)...)
	var used llm.Usage
	for round := 0; ; round++ {
		if round == maxSearches && len(req.Tools) > 0 {
			req.ToolChoice = "none"
		}
		reply, err := host.Talk(ctx, x, answerStep(round), req, true)
		used.Add(reply.Usage)
		if err == nil && reply.Failed != "" {
			err = &llm.Error{Class: llm.Class(reply.Failed), Detail: "no answer"}
		}
		if workflow.Silent(ctx, err) && llm.ClassOf(err) == llm.Garbage {
			if reply.Text, err = quoted(x, passages, err); err == nil {
				reply.Calls = nil
				x.Emit(agent.Event{Kind: agent.EventReset})
				x.Emit(agent.Event{Kind: agent.EventToken, Text: reply.Text})
			}
		}
		switch {
		case err != nil:
			return "", nil, err
		case len(reply.Calls) == 0 || len(req.Tools) == 0 || round == maxSearches:
			return reply.Text, append(r.cost(used, round+1), r.passages.Set(passages)), nil
		}
		req.Messages = append(req.Messages, reply.Message())
		for _, c := range reply.Calls {
			found, err := r.search(ctx, x, c, passages)
			if err != nil {
				return "", nil, err
			}
			passages = append(passages, found.Fresh...)
			req.Messages = append(req.Messages, llm.Message{Role: llm.ToolRole, Name: c.Name, ToolCallID: c.ID, Content: found.Text})
		}
		x.Emit(agent.Event{Kind: agent.EventSources, Sources: passages})
	}
}

// quoted answers in place of a model that wrote nothing: with the sentence that answers the question or has half of its words.
// Without one it returns the model's error.
func quoted(x *workflow.Exec, passages []agent.Source, failed error) (string, error) {
	sentence, of, share := node.Closest(x.Request.Text, passages)
	if share < 0.5 {
		return "", failed
	}
	return fmt.Sprintf("> %s [%d]", sentence, passages[of].N), nil
}

// maxSearches limits the model's own searches for an answer without a plan.
const maxSearches = 2

// answerStep returns the durable-step name of a round's model call.
func answerStep(round int) string {
	if round == 0 {
		return "answer"
	}
	return fmt.Sprintf("answer/%d", round)
}

// asksPeople returns the tools that search people's messages, if the question is about these. Their results are
// recorded as pointers, see [node.Reveal].
func asksPeople(x *workflow.Exec) []llm.Tool {
	if x.Tools == nil || !intent.AsksWhoSaid(x.Request.Text) {
		return nil
	}
	return x.Tools.OfferIf(func(s tool.Spec) bool {
		return x.Tools.Reveals(s.Name) && s.Policy.Allows(x.Request.Scopes) && s.In(x.Request.Scopes).Policy.Unasked()
	})
}

// sought is the result of a search requested by the model.
type sought struct {
	Fresh []agent.Source `json:"fresh,omitempty"`
	Text  string         `json:"text"`
}

// search runs a search requested by the model.
func (r reporter) search(ctx context.Context, x *workflow.Exec, c llm.ToolCall, known []agent.Source) (sought, error) {
	if slices.ContainsFunc(asksPeople(x), func(t llm.Tool) bool { return t.Name == c.Name }) {
		done, err := node.CallTool(ctx, x, "messages/"+c.ID, c.Name, c.Arguments)
		return sought{Text: node.Reveal(ctx, x, c.Name, c.Arguments, done.Observed())}, err
	}
	if c.Name != node.SearchTool {
		return sought{Text: "error (unknown_tool): only " + node.SearchTool + " can be called here."}, nil
	}
	return graph.Repeatable(ctx, "documents/"+c.ID, func(ctx context.Context, _ string) (sought, error) {
		fresh, text, err := node.Search(ctx, x.Documents, rag.Query{Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: passagesFor}, string(c.Arguments), known)
		if err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "search documents", "run", x.Request.Run, "err", err)
			return sought{Text: "error (unavailable): the documents cannot be searched now."}, nil
		}
		return sought{fresh, text}, err
	})
}

// retrieve finds passages in the team's documents. If the index is unavailable, the
// answer is written without them.
func (r reporter) retrieve(ctx context.Context, x *workflow.Exec, question string) ([]agent.Source, error) {
	if x.Documents == nil || strings.TrimSpace(question) == "" {
		return nil, nil
	}
	found, err := graph.Repeatable(ctx, "documents", func(ctx context.Context, _ string) ([]agent.Source, error) {
		hits, err := x.Documents.Search(ctx, rag.Query{Text: question, Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: passagesFor})
		if err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "search documents", "run", x.Request.Run, "err", err)
			return nil, nil
		}
		return node.Sources(hits), err
	})
	if len(found) > 0 {
		x.Emit(agent.Event{Kind: agent.EventSources, Sources: found})
	}
	return found, err
}

// report writes the answer of a task from its steps, with a summary below. It reports results even if the model
// fails, since a new try would repeat the effects.
func (r reporter) report(ctx context.Context, s graph.State, x *workflow.Exec) (string, []graph.Write, error) {
	x.Doing("orchestrator.writing")
	req, err := r.reportRequest(ctx, s, x)
	if err != nil {
		return "", nil, err
	}
	reply, err := host.Talk(ctx, x, "answer", req, true)
	if err != nil {
		if !workflow.Silent(ctx, err) {
			return "", nil, err
		}
		r.log.WarnContext(ctx, "report results without a model", "run", x.Request.Run, "err", err)
		reply = host.Reply{Failed: string(llm.ClassOf(err))}
	}
	text := reply.Text
	codes := flow.UntoldRecords(text, req.Messages)
	switch {
	case reply.Failed != "" || text == "":
		text = r.assemble(s, x)
	case len(codes) > 0:
		text = flow.LeaveOut(text, codes, x.Phrase("orchestrator.number_unknown"))
	}
	if text != reply.Text {
		x.Emit(agent.Event{Kind: agent.EventReset})
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	}
	if foot := r.footer(s, x); foot != "" {
		x.Emit(agent.Event{Kind: agent.EventToken, Text: "\n\n" + foot})
		text += "\n\n" + foot
	}
	return text, r.cost(reply.Usage, 1), nil
}

// reportRequest builds the request for the answer. The result of a single call is
// passed as a tool message, which every model understands.
func (r reporter) reportRequest(ctx context.Context, s graph.State, x *workflow.Exec) (llm.Request, error) {
	req := llm.Request{Purpose: llm.ForAnswer}
	steps, outcomes := r.plan.Get(s).Steps, r.outcomes.Get(s)
	only := len(steps) == 1 && len(outcomes[0].Calls) == 1
	more := map[string]any{"Progress": r.progress(ctx, s), "Problem": r.problem.Get(s)}
	if only {
		more["Progress"] = ""
	}
	text, err := r.prompt("synthesis", s, x, r.withThread(ctx, s, x, more))
	if err != nil {
		return req, err
	}
	req.Messages = system(text, user(r.input.Get(s)))
	if only {
		c, result := outcomes[0].Calls[0], outcomes[0].revealed(ctx, x, tool.MaxShown)
		if spec, ok := toolNamed(x, c.Tool); ok {
			req.Tools, req.ToolChoice = offered(x, []tool.Spec{spec}), "none"
		}
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "call_1", Name: c.Tool, Arguments: c.Arguments}}},
			llm.Message{Role: llm.ToolRole, Name: c.Tool, ToolCallID: "call_1", Content: result})
	}
	return req, nil
}

// assemble formats the results without a model.
func (r reporter) assemble(s graph.State, x *workflow.Exec) string {
	var b strings.Builder
	b.WriteString(x.Phrase("agent.results_unwritten") + "\n")
	for i, st := range r.plan.Get(s).Steps {
		o := r.outcomeOf(s, st.ID)
		result := strings.TrimSpace(tool.Bound(o.Text, maxShown))
		if o.State != agent.StepDone {
			result = stateWord(x, o.State)
			if o.Reason != "" {
				result += ": " + o.Reason
			}
		}
		fmt.Fprintf(&b, "\n**%d. %s**\n%s\n", i+1, st.Text, result)
	}
	return strings.TrimSpace(b.String())
}

// footer lists the effects, deviations from the plan, automatic decisions and the counts. A plan with one
// successful read-only step needs none.
func (r reporter) footer(s graph.State, x *workflow.Exec) string {
	p, outcomes := r.plan.Get(s), r.outcomes.Get(s)
	var lines []string
	for i, st := range p.Steps {
		o := r.outcomeOf(s, st.ID)
		for _, deed := range deeds(x, o.Calls) {
			lines = append(lines, "- "+deed)
		}
		if o.State == agent.StepDone {
			lines = append(lines, failedCalls(x, i+1, o)...)
			continue
		}
		l := fmt.Sprintf("- %d. %s — %s", i+1, st.Text, stateWord(x, o.State))
		if o.Reason != "" {
			l += ": " + o.Reason
		}
		lines = append(lines, l)
	}
	if why := r.problem.Get(s); why != "" {
		lines = append(lines, "- "+why)
	}
	for _, n := range r.notes.Get(s) {
		lines = append(lines, "- "+n)
	}
	if n := count(p.Steps, outcomes); n.Total > 1 || n.Successful < n.Total {
		lines = append([]string{x.Phrase("orchestrator.figures", n.Total, n.Successful, n.Failed, n.Skipped, n.Percentage)}, lines...)
	}
	if len(lines) == 0 {
		return ""
	}
	return "---\n" + strings.Join(lines, "\n")
}

// failedCalls lists the failed calls of a successful step, whose result came from another call or needed none.
func failedCalls(x *workflow.Exec, n int, o outcome) []string {
	var lines []string
	for _, c := range o.Calls {
		if c.Failed && c.Why != "" {
			lines = append(lines, "- "+x.Phrase("orchestrator.call_failed", n, toolTitle(x, c.Tool), c.Why))
		}
	}
	return lines
}

// deeds lists the calls that wrote, sent or executed something, with their arguments.
func deeds(x *workflow.Exec, calls []called) []string {
	var out []string
	for _, c := range calls {
		spec, ok := toolNamed(x, c.Tool)
		if c.Failed || ok && !needsPerson(spec) {
			continue
		}
		values := fit.Clip(strings.Trim(node.Legible(c.Arguments), "{}"), maxValues)
		out = append(out, x.Phrase("orchestrator.did", toolTitle(x, c.Tool), fit.OneLine(values)))
	}
	return out
}

// cited returns the answer, the passages that it cites, and all that were found. Citations of unknown passages are
// removed.
func (r reporter) cited(s graph.State, x *workflow.Exec) (text string, cited, found []agent.Source) {
	text, found = r.answer.Get(s), r.passages.Get(s)
	text, cited = x.Cite(text, found)
	return text, cited, found
}

// artifacts returns the results as files, all of them as JSON and as Markdown.
func (r reporter) artifacts(s graph.State, x *workflow.Exec) []agent.Artifact {
	var asJSON, asMarkdown []string
	for _, st := range r.plan.Get(s).Steps {
		o := r.outcomeOf(s, st.ID)
		if o.JSON != "" {
			asJSON = append(asJSON, "  "+o.JSON)
		}
		if o.Markdown != "" {
			asMarkdown = append(asMarkdown, o.Markdown)
		}
	}
	if len(asMarkdown) == 0 {
		return nil
	}
	title := r.plan.Get(s).Title
	if title == "" {
		title = x.Phrase("orchestrator.results")
	}
	out := []agent.Artifact{{Name: "results.md", MIME: "text/markdown", Data: []byte("# " + title + "\n\n" + strings.Join(asMarkdown, "\n"))}}
	if len(asJSON) > 0 {
		out = append(out, agent.Artifact{Name: "results.json", MIME: "application/json", Data: []byte("[\n" + strings.Join(asJSON, ",\n") + "\n]\n")})
	}
	return out
}
