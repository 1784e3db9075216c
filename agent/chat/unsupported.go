package chat

import (
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/phrase/intent"
	"maru/phrase/prose"
	"maru/rag"
)

// unsupported reports whether a draft states facts about the team without support by a passage, a tool result,
// memory or the conversation, as when a small model answers "Yes, we have a 401(k) plan." It checks only answers
// to questions: texts, translations and sums made on request state nothing.
func (a *Agent) unsupported(x *workflow.Exec, s graph.State, draft string) bool {
	question := a.ch.question.Get(s)
	if len(a.ch.context.Get(s)) > 0 || len(a.ch.summaries.Get(s)) > 0 || !intent.Question(question) || intent.Request(question) || intent.AsksBack(question) || intent.Computes(question) || intent.OfAssistant(question) {
		return false
	}
	var said []string
	for _, m := range a.ch.messages.Get(s) {
		if m.ID == x.Request.Run || m.Role == "tool" && m.Name != node.SearchTool {
			return false // this run called tools
		}
		if m.Text != question { // the question itself supports nothing: "Do we have a gym?"
			said = append(said, m.Text)
		}
	}
	known := rag.HoldingOf(append(said, a.texts(s)...)...)
	return slices.ContainsFunc(prose.Sentences(draft), func(sentence string) bool {
		if strings.HasSuffix(sentence, "?") || rag.Declines(sentence) || intent.Unknowing(sentence) || !intent.OfTeam(sentence) {
			return false
		}
		var words rag.Analyzer
		return slices.ContainsFunc(words.Query(sentence), func(w rag.Word) bool { return w.Weight >= 1 && known.Match(w) < 0.5 })
	})
}

// marked appends to a draft, where needed, the note that it does not come from the documents.
func (a *Agent) marked(x *workflow.Exec, s graph.State, draft string) string {
	if !a.unsupported(x, s, draft) {
		return draft
	}
	note := "\n\n_" + x.Phrase("chat.unsupported") + "_"
	x.Emit(agent.Event{Kind: agent.EventToken, Text: note})
	return draft + note
}
