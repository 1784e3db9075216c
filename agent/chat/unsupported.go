package chat

import (
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/phrase"
	"maru/phrase/intent"
	"maru/phrase/prose"
	"maru/rag"
	"maru/rag/answer"
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
	offer := intent.AsksOffer(question) && !intent.Unknowing(draft)
	return slices.ContainsFunc(prose.Sentences(draft), func(sentence string) bool {
		if strings.HasSuffix(sentence, "?") || rag.Declines(sentence) || intent.Unknowing(sentence) || !offer && !intent.OfTeam(sentence) {
			return false
		}
		var words rag.Analyzer
		return slices.ContainsFunc(words.Query(sentence), func(w rag.Word) bool { return w.Weight >= 1 && known.Match(w) < 0.5 })
	})
}

const (
	leastGround = 0.5 // the least share of the words of a draft's statement, beyond those of the question, that one passage must have
	fewWords    = 3   // below which a draft's language is not told
)

// groundless reports whether a draft without a source for a question to the documents says nothing that is in the passages or
// in the conversation: weak models answer from their own heads, or with a fragment. Words can't tell a sum, a negation or a
// synonym from an invention, so a draft that cites a passage is not checked, nor are those from tools, files and pictures and
// those in another language than all passages.
func groundless(a *Agent, x *workflow.Exec, s graph.State, draft string, passages []agent.Source) bool {
	question, text := a.ch.question.Get(s), citation.ReplaceAllString(draft, "")
	if !intent.AsksToKnow(question) || rag.Declines(draft) || intent.AsksMore(draft) || intent.Unknowing(draft) || len(x.Request.Files)+len(x.Request.Pictures) > 0 || len(citedBy(draft, passages)) > 0 {
		return false
	}
	var texts []string
	for _, m := range a.ch.messages.Get(s) {
		switch {
		case m.CallID != "" && m.Name != node.SearchTool && strings.HasPrefix(m.ID, x.Request.Run+"/"):
			return false // this run called tools
		case m.ID != x.Request.Run && m.Text != question && !strings.HasPrefix(m.ID, x.Request.Run+"/"):
			texts = append(texts, m.Text)
		}
	}
	read := len(answer.Subject(text)) < fewWords
	for _, p := range passages {
		read = read || phrase.Spoken(p.Quote, "") == phrase.Spoken(text, "")
		texts = append(texts, placeOf(p)+"\n"+p.Quote)
	}
	return read && answer.Support(question, text, texts) < leastGround
}

// marked appends to a draft, where needed, the note that it does not come from the documents.
func (a *Agent) marked(x *workflow.Exec, s graph.State, draft string) string {
	if !a.unsupported(x, s, draft) {
		return draft
	}
	return withNote(x, draft)
}

// withNote appends the note that an answer does not come from the documents.
func withNote(x *workflow.Exec, answer string) string {
	note := "\n\n_" + x.Phrase("chat.unsupported") + "_"
	x.Emit(agent.Event{Kind: agent.EventToken, Text: note})
	return answer + note
}
