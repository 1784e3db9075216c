package chat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/phrase"
	"maru/phrase/intent"
	"maru/rag"
)

// sureOfDocuments is the calibrated confidence of the best passage from which documents answer without the
// router's model. In the handbook's threshold test 53 of 57 questions exceed it, each with the right topic first,
// and none of the 36 questions about other topics, whose maximum is 0.38 (go test ./handbook -run Vote -v).
const sureOfDocuments = 0.65

// voteWait limits the vote's wait for the question's vector; after it only lexical scores count. The routing call
// that the vote may save takes longer.
const voteWait = 300 * time.Millisecond

// Covers returns a function that reports whether documents of the given scopes, with all of the tags, clearly
// answer a question, by the criterion of [Agent]'s vote. The sample handbook is ignored. It makes no model call.
func Covers(documents Documents, threshold float64) func(ctx context.Context, question string, scopes, tags []string) (bool, error) {
	return func(ctx context.Context, question string, scopes, tags []string) (bool, error) {
		if !intent.AsksToKnow(question) || leansBack(question) || intent.AsksPeople(question) {
			return false, nil
		}
		hits, err := documents.Search(ctx, rag.Query{Text: question, Scopes: scopes, Tags: tags, Limit: 1, Threshold: threshold, Wait: voteWait})
		return err == nil && len(hits) > 0 && hits[0].Score >= sureOfDocuments && hits[0].Document.Scope != rag.ScopeSample && !inPassing(question, hits[0]), wrap("search", err)
	}
}

// Long messages between people have words of some document. One of at least manyWords words is about a passage only if
// the passage has this share of their weight.
const (
	manyWords = 8
	leastHeld = 0.2
)

// inPassing reports whether a message shares hardly a word with a passage: a long one only a few, or one in English, whose
// words are more general than Korean compounds, a single one that is not in the passage's title or headings.
func inPassing(question string, h rag.Hit) bool {
	var words rag.Analyzer
	heading := h.Document.Title + " " + strings.Join(h.Chunk.Heading, " ")
	holds, heads := rag.HoldingOf(heading, h.Chunk.Text).Also(h.Words), rag.HoldingOf(heading).Also(h.Words)
	n, shared, headed, all, held := 0, 0, 0, 0.0, 0.0
	for _, w := range words.Query(question) {
		if len(w.Terms) == 0 || w.Weight == 0 {
			continue
		}
		match := holds.Match(w)
		n, all, held = n+1, all+w.Weight, held+w.Weight*match
		if match >= 0.5 {
			shared++
		}
		if heads.Match(w) >= 0.5 {
			headed++
		}
	}
	return n >= manyWords && held < leastHeld*all || shared < 2 && headed == 0 && phrase.LanguageOf("", question, "") == "en"
}

// greets reports whether a message is only a greeting or a question about the bot ("what can you do?"), which no document answers.
// Other small talk does not count: it may answer a question ("Friday") or name a problem that documents help with.
func greets(question string) bool {
	rest, ok := intent.Greets(question)
	tone, _ := intent.Chats(question)
	return ok && (rest == "" || intent.OfAssistant(rest)) || tone == intent.ChatterHow || intent.OfAssistant(question)
}

// vote chooses the route without a model if retrieval is sure: the agent if no documents are readable or the message only
// greets, documents if a passage clearly covers the question. decided is false otherwise, and for messages that depend on the
// conversation, bring files, or want an action or a calculation; hits are the passages found so far.
func (a *Agent) vote(ctx context.Context, s graph.State) (choice routing, hits []rag.Hit, decided bool, err error) {
	x := workflow.ExecOf(s)
	question := a.ch.question.Get(s)
	if len(x.Request.Files) > 0 {
		return routing{}, nil, false, nil
	}
	_, documents, err := a.cfg.Documents.Some(ctx, x.Request.Scopes, 1)
	switch {
	case err != nil:
		return routing{}, nil, false, wrap("search documents", err)
	case documents == 0:
		return routing{Route: routeAgent, Reason: "no documents in reach"}, nil, true, nil
	case len(x.Request.Quoted) == 0 && greets(question), len(a.saidBefore(s)) == 0 && intent.AsksWhatThisIs(question):
		return routing{Route: routeAgent, Reason: "a greeting or about the assistant", by: "rule"}, nil, true, nil
	case len(x.Request.Quoted) > 0 || !intent.AsksToKnow(question):
		return routing{}, nil, false, nil
	case len(a.saidBefore(s)) > 0 && leansBack(question):
		return routing{}, nil, false, nil
	}
	hits, err = a.retrieve(ctx, s, voteWait)
	if err != nil || len(hits) == 0 || hits[0].Score < sureOfDocuments {
		return routing{}, hits, false, err
	}
	return routing{Route: routeRAG, Reason: fmt.Sprintf("confidence %.2f in %s", hits[0].Score, hits[0].Document.Title)}, hits, true, nil
}
