package chat

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/memory"
	"maru/phrase/intent"
	"maru/rag"
)

// An answer of the agent may cite documents as well: the prompt has a few passages clearly related to the message,
// and [node.SearchTool] finds others. In the handbook's threshold test no question about another topic reaches
// asideScore.
const (
	asideScore = 0.4
	asideMost  = 3
)

// reads reports whether the model reads passages. The built-in model does not: it quotes.
func (c Config) reads() bool { return c.Known >= 0 }

// beside returns the passages for the prompt of a message that the agent answers, from hits if the vote has
// searched. A request for an action gets none: outsiders' words in them would make its calls need approval.
func (a *Agent) beside(ctx context.Context, s graph.State, choice routing, hits []rag.Hit) ([]agent.Source, error) {
	x := workflow.ExecOf(s)
	if choice.Route != routeAgent || choice.Wants == wantsAction || choice.Wants == wantsTask || len(x.Request.Files) > 0 || !a.cfg.reads() {
		return nil, nil
	}
	if hits == nil {
		q := rag.Query{Text: cmp.Or(strings.TrimSpace(choice.Query), a.ch.question.Get(s)), Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: asideMost, Threshold: a.cfg.Threshold, Wait: voteWait}
		var err error
		if hits, err = a.cfg.Documents.Search(ctx, q); err != nil {
			return nil, wrap("search beside the conversation", err)
		}
	}
	hits = slices.DeleteFunc(slices.Clone(hits), func(h rag.Hit) bool { return h.Score < asideScore })
	found := node.Sources(hits[:min(len(hits), asideMost)])
	if len(found) > 0 {
		x.Emit(agent.Event{Kind: agent.EventSources, Sources: found})
	}
	return found, nil
}

// atHand returns the numbered passages that an answer of the agent may cite: those of [Agent.beside], then those
// that the model searched for.
func (a *Agent) atHand(s graph.State) []agent.Source {
	return slices.Concat(a.ch.aside.Get(s), a.ch.sought.Get(s))
}

// searches reports whether the model is offered the search tool for documents.
func (a *Agent) searches(ctx context.Context, x *workflow.Exec, s graph.State) bool {
	if a.ch.route.Get(s) != routeAgent || len(x.Request.Files) > 0 || !a.cfg.reads() {
		return false
	}
	if _, taken := x.Tool(node.SearchTool); taken { // an MCP server has a tool of this name
		return false
	}
	_, documents, err := a.cfg.Documents.Some(ctx, x.Request.Scopes, 1)
	return err == nil && documents > 0
}

// search runs the calls of the search tool one after the other, since they share the numbering of passages. Calls
// of other tools are skipped.
func (r *round) search(ctx context.Context, s graph.State, done []called) ([]graph.Write, error) {
	if !slices.ContainsFunc(r.wanted, func(c memory.Call) bool { return c.Name == node.SearchTool }) || !r.searches(ctx, r.x, s) {
		return nil, nil
	}
	known, sought := r.atHand(s), r.ch.sought.Get(s)
	q := rag.Query{Scopes: r.x.Request.Scopes, Tags: r.x.Request.Tags, Limit: r.cfg.Passages, Threshold: r.cfg.Threshold}
	if question := r.ch.question.Get(s); intent.AsksToKnow(question) {
		q.Text = question
	}
	for i, c := range r.wanted {
		if c.Name != node.SearchTool || i >= maxCalls || r.repeats(i, c) {
			continue
		}
		r.x.Doing("agent.reading_documents")
		fresh, text, err := node.Search(ctx, r.cfg.Documents, q, c.Arguments, known)
		if err != nil {
			return nil, err
		}
		known, sought = append(known, fresh...), append(sought, fresh...)
		done[i].text = text
		done[i].label.Outsiders = slices.ContainsFunc(known, agent.Source.Outsiders)
	}
	if len(known) > 0 {
		r.x.Emit(agent.Event{Kind: agent.EventSources, Sources: known})
	}
	return []graph.Write{r.ch.sought.Set(sought)}, nil
}

// texts returns the texts of the passages that may support an answer.
func (a *Agent) texts(s graph.State) []string {
	var out []string
	for _, p := range a.atHand(s) {
		out = append(out, p.Quote)
	}
	return out
}

// fromAgent writes the agent's answer with the passages it cites. An answer that states facts about the team
// without a citation is marked.
func (a *Agent) fromAgent(x *workflow.Exec, s graph.State, answer string, from llm.Message) []graph.Write {
	var cited []agent.Source
	if passages := a.atHand(s); len(passages) > 0 {
		answer = completed(x, a.ch.question.Get(s), spelled(x, answer, passages), passages)
		if len(citedBy(answer, passages)) > 0 && groundless(a, x, s, answer, passages) {
			x.Emit(agent.Event{Kind: agent.EventReset})
			answer = strings.TrimSpace(citation.ReplaceAllString(answer, ""))
			x.Emit(agent.Event{Kind: agent.EventToken, Text: answer})
			return a.answered(x, s, withNote(x, answer), nil, from)
		}
		answer, cited = x.Cite(answer, passages)
	}
	if len(cited) == 0 {
		answer = a.marked(x, s, answer)
	}
	return a.answered(x, s, answer, cited, from)
}
