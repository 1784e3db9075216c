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
	"maru/rag"
)

// Where the agent answers and not the documents, the best of them are at hand all the same: a few
// passages that clearly have to do with the message, and [node.SearchTool] for the rest. On the
// handbook's threshold test no question about another topic reaches asideScore.
const (
	asideScore = 0.4
	asideMost  = 3
)

// reads reports whether the model reads passages: the built-in one quotes those that answer.
func (c Config) reads() bool { return c.Known >= 0 }

// beside returns the passages to have at hand for a message that the agent answers, of hits where
// the vote has searched. One that wants something done has none: words of outsiders among them would make
// people confirm its calls.
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

// atHand are the numbered passages that an answer of the agent may cite: those beside the message,
// then those that the model looked for.
func (a *Agent) atHand(s graph.State) []agent.Source {
	return slices.Concat(a.ch.aside.Get(s), a.ch.sought.Get(s))
}

// searches reports whether the model is offered to search the documents by itself.
func (a *Agent) searches(ctx context.Context, x *workflow.Exec, s graph.State) bool {
	if a.ch.route.Get(s) != routeAgent || len(x.Request.Files) > 0 || !a.cfg.reads() {
		return false
	}
	if _, taken := x.Tool(node.SearchTool); taken { // a server has one of this name
		return false
	}
	_, documents, err := a.cfg.Documents.Some(ctx, x.Request.Scopes, 1)
	return err == nil && documents > 0
}

// search makes the calls of the search tool, one after the other since they share their numbers.
// What else was wanted is left out.
func (r *round) search(ctx context.Context, s graph.State, done []called) ([]graph.Write, error) {
	if !slices.ContainsFunc(r.wanted, func(c memory.Call) bool { return c.Name == node.SearchTool }) || !r.searches(ctx, r.x, s) {
		return nil, nil
	}
	known, sought := r.atHand(s), r.ch.sought.Get(s)
	q := rag.Query{Scopes: r.x.Request.Scopes, Tags: r.x.Request.Tags, Limit: r.cfg.Passages, Threshold: r.cfg.Threshold}
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

// texts are those of the passages that an answer may rest on.
func (a *Agent) texts(s graph.State) []string {
	var out []string
	for _, p := range a.atHand(s) {
		out = append(out, p.Quote)
	}
	return out
}

// fromAgent is the answer of the agent, with the passages at hand that it cites. One that cites none
// and states facts of the team is marked.
func (a *Agent) fromAgent(x *workflow.Exec, s graph.State, answer string, from llm.Message) []graph.Write {
	var cited []agent.Source
	if passages := a.atHand(s); len(passages) > 0 {
		answer, cited = x.Cite(answer, passages)
	}
	if len(cited) == 0 {
		answer = a.marked(x, s, answer)
	}
	return a.answered(x, s, answer, cited, from)
}
