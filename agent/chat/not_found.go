package chat

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/rag"
	"maru/rag/naming"
)

// notFound answers that the documents do not contain the answer.
func (a *Agent) notFound(ctx context.Context, s graph.State) ([]graph.Write, error) {
	return saysNotFound(ctx, a, s, a.ch.near.Get(s), "")
}

// saysNotFound answers that the documents do not contain the answer, and points to the nearest passages. failed says instead
// that the model failed, "" if it did not. It uses no model, which could invent an answer.
func saysNotFound(ctx context.Context, a *Agent, s graph.State, passages []agent.Source, failed string) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	said := cmp.Or(failed, x.Phrase("chat.not_in_documents"))
	question := a.ch.question.Get(s)
	near := x.Nearest(question, passages)
	if words := rag.Narrowing(question); words != "" {
		narrowed := x.Phrase("chat.not_in_narrowed", strings.ReplaceAll(words, "`", ""))
		said = cmp.Or(failed, narrowed)
		if near == "" {
			if failed != "" {
				said += "\n\n" + narrowed // nothing was found there, which took no model
			}
			wide, err := a.outside(ctx, x.Request, question)
			if err != nil {
				return nil, err
			}
			near = x.NearestAs("chat.nearest_outside", question, wide)
		}
	}
	switch absent, ok, err := a.absent(ctx, s); {
	case err != nil:
		return nil, err
	case ok:
		said, near = strings.TrimSpace(failed+"\n\n"+saysAbsent(x, absent)), "" // that it is not there was looked up without the model
	}
	answer := strings.TrimSpace(said + "\n\n" + near)
	x.Emit(agent.Event{Kind: agent.EventToken, Text: answer})
	return a.answered(x, s, answer, nil, llm.Message{}), nil
}

// nearBy returns the nearest passages to the question, whatever their score.
func nearBy(ctx context.Context, a *Agent, s graph.State) ([]agent.Source, error) {
	r := workflow.ExecOf(s).Request
	hits, err := a.cfg.Documents.Search(ctx, rag.Query{Text: a.ch.question.Get(s), Scopes: r.Scopes, Tags: r.Tags, Limit: nearest, Threshold: -1})
	return node.Sources(hits), wrap("search nearest passages", err)
}

// searchedOnly reports whether the documents were searched for this turn's answer, and no other tool was called.
func searchedOnly(a *Agent, x *workflow.Exec, s graph.State) bool {
	if _, taken := x.Tool(node.SearchTool); taken { // an MCP server has a tool of this name
		return false
	}
	searched := len(a.ch.context.Get(s)) > 0 || len(a.ch.aside.Get(s)) > 0
	for _, m := range a.ch.messages.Get(s) {
		if m.CallID == "" || !strings.HasPrefix(m.ID, x.Request.Run+"/") {
			continue
		}
		if m.Name != node.SearchTool {
			return false
		}
		searched = searched || !strings.HasPrefix(m.Text, failedCall)
	}
	return searched
}

// unworded answers in place of a model that wrote nothing: with the sentence that answers the question, or most of it, from the
// passages that the model had. Without one it says that the model failed, why, and that no sentence clearly answers.
func unworded(ctx context.Context, a *Agent, x *workflow.Exec, s graph.State, why string) ([]graph.Write, error) {
	passages := a.ch.context.Get(s)
	if len(passages) == 0 {
		passages = a.atHand(s)
	}
	sentence, of, share := node.Closest(a.ch.question.Get(s), passages)
	if share >= leastShare {
		text := "> " + sentence + " " + citationOf(passages[of])
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
		answer, cited := x.Cite(text, passages)
		return a.answered(x, s, answer, cited, llm.Message{}), nil
	}
	if len(passages) == 0 {
		var err error
		if passages, err = nearBy(ctx, a, s); err != nil {
			return nil, err
		}
	}
	return saysNotFound(ctx, a, s, passages, x.Phrase("chat.unworded", why))
}

// absent returns the document or article that the question names and that does not exist.
func (a *Agent) absent(ctx context.Context, s graph.State) (naming.Absent, bool, error) {
	r := workflow.ExecOf(s).Request
	if len(r.Files) > 0 {
		return naming.Absent{}, false, nil
	}
	absent, ok, err := a.cfg.Documents.Absent(ctx, rag.Query{Text: a.ch.question.Get(s), Scopes: r.Scopes, Tags: r.Tags})
	return absent, ok, wrap("look for what the question names", err)
}

// saysAbsent says that a document or article does not exist, and lists the nearest names, which are not sources.
func saysAbsent(x *workflow.Exec, a naming.Absent) string {
	said, nearest := x.Phrase("chat.no_document", a.Name), "chat.nearest_names"
	if a.Article != "" {
		said, nearest = x.Phrase("chat.no_article", a.Name, a.Article), "chat.nearest_articles"
	}
	if len(a.Nearest) == 0 {
		return said
	}
	return said + "\n\n" + x.Phrase(nearest) + "\n- " + strings.Join(a.Nearest, "\n- ")
}

// outside returns the nearest passages without the question's tag filter, since the tag may be misspelt.
func (a *Agent) outside(ctx context.Context, r agent.Request, question string) ([]agent.Source, error) {
	text := rag.Narrow(rag.Query{Text: question}, nil).Text
	if text == "" {
		return nil, nil
	}
	hits, err := a.cfg.Documents.Search(ctx, rag.Query{Text: text, Scopes: r.Scopes, Tags: r.Tags, Limit: nearest, Threshold: -1})
	if err != nil {
		return nil, fmt.Errorf("search without tags: %w", err)
	}
	return node.Sources(hits), nil
}
