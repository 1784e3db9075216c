package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/phrase/chart"
	"maru/phrase/correction"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/answer"
)

// nearest is the number of passages named if the documents have no answer.
const nearest = 3

// rag retrieves and numbers passages, without a model call unless reranking is on. It also reads the message's
// files.
func (a *Agent) rag(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	if x.Request.Talk != nil {
		return readTalk(ctx, a, x)
	}
	if len(x.Request.Files) > 0 {
		return a.readFiles(ctx, s)
	}
	x.Doing("agent.reading_documents")
	found := a.ch.context.Get(s) // the router's vote may have found them
	if len(found) == 0 {
		hits, err := a.retrieve(ctx, s, 0)
		if err != nil {
			return nil, err
		}
		found = node.Sources(hits)
	}
	if len(found) == 0 {
		var err error
		if found, err = tabled(ctx, a, s); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		near, err := nearBy(ctx, a, s)
		if err != nil {
			return nil, err
		}
		return []graph.Write{a.ch.near.Set(near)}, nil
	}
	shown, err := a.picked(ctx, s, found)
	if err != nil {
		return nil, err
	}
	x.Emit(agent.Event{Kind: agent.EventSources, Sources: shown})
	return []graph.Write{a.ch.context.Set(shown)}, nil
}

// tabled finds passages with the table for a requested chart. A question of two words shares little with a table
// of numbers, so column names count and no threshold applies.
func tabled(ctx context.Context, a *Agent, s graph.State) ([]agent.Source, error) {
	x := workflow.ExecOf(s)
	if _, ok := chart.Asked(x.Request.Text); !ok {
		return nil, nil
	}
	hits, err := a.cfg.Documents.Search(ctx, rag.Query{Text: a.ch.question.Get(s), Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: a.cfg.candidates(), Threshold: -1})
	if err != nil {
		return nil, fmt.Errorf("search tables: %w", err)
	}
	return node.Sources(slices.DeleteFunc(hits, func(h rag.Hit) bool { return !chart.About(x.Request.Text, h.Chunk.Text) })), nil
}

// ragPort returns the output port of rag. Without passages a request for an action goes to the agent, whose tools
// may do it.
func (a *Agent) ragPort(s graph.State) string {
	switch {
	case len(a.ch.context.Get(s)) > 0, a.ch.notes.Get(s) != "", workflow.ExecOf(s).Request.Talk != nil:
		return portFound
	case a.ch.wants.Get(s) == wantsAction, a.ch.wants.Get(s) == wantsTask, a.asksPeople(s), len(workflow.ExecOf(s).Request.Pictures) > 0: // their tools or pictures may be enough
		return portAct
	}
	return portNothing
}

// retrieve searches for the question. A question that depends on earlier messages is searched as the router's
// model rewrote it, otherwise together with the questions it depends on. wait limits the wait for vectors; 0 takes
// the index's default.
func (a *Agent) retrieve(ctx context.Context, s graph.State, wait time.Duration) ([]rag.Hit, error) {
	x := workflow.ExecOf(s)
	q := rag.Query{Text: answer.Query(a.ch.question.Get(s)), Scopes: x.Request.Scopes, Tags: x.Request.Tags, Limit: a.cfg.candidates(), Threshold: a.cfg.Threshold, Wait: wait}
	for i, whole := range a.madeWhole(s) {
		joined := q
		joined.Text = whole
		if i == 0 && a.ch.query.Get(s) == "" {
			hits, err := a.inCited(ctx, s, joined)
			if err != nil || len(hits) > 0 {
				return hits, err
			}
		}
		hits, err := a.cfg.Documents.Search(ctx, joined)
		if err != nil || len(hits) > 0 {
			return hits, wrap("search with what was said before", err)
		}
	}
	hits, err := onTopic(ctx, a.cfg.Documents, q)
	if err != nil || len(hits) > 0 {
		return hits, err
	}
	if hits, err = a.cfg.Documents.Search(ctx, q); err != nil {
		return nil, wrap("search", err)
	}
	if query := a.ch.query.Get(s); query != "" && (len(hits) == 0 || hits[0].Score < sureOfDocuments) {
		if hits, err = a.reworded(ctx, q, query, hits); err != nil {
			return nil, err
		}
	}
	if several := answer.Several(a.ch.question.Get(s)); len(several) > 0 {
		return retrieveEach(ctx, a.cfg.Documents, q, several, hits)
	}
	return hits, nil
}

// retrieveEach searches for each question of a message by itself, or together with the one before it if it leaves out its subject.
// Their hits come in turns, before those of the message as a whole.
func retrieveEach(ctx context.Context, documents Documents, q rag.Query, several []answer.Question, whole []rag.Hit) ([]rag.Hit, error) {
	var found [][]rag.Hit
	for _, one := range several {
		if q.Text = answer.Query(one.Text); one.Leans() {
			q.Text = one.Before + "\n" + one.Text
		}
		hits, err := documents.Search(ctx, q)
		if err != nil {
			return nil, wrap("search for one of several questions", err)
		}
		found = append(found, hits)
	}
	return node.InTurns(q.Limit, append(found, whole)...), nil
}

// reworded also searches for the router's rewording. If that scores higher, its hits come in turns with the question's own: a weak
// model's rewording of a word or two scores high and may have lost the subject.
func (a *Agent) reworded(ctx context.Context, q rag.Query, query string, hits []rag.Hit) ([]rag.Hit, error) {
	q.Text = query
	others, err := a.cfg.Documents.Search(ctx, q)
	if err != nil {
		return nil, wrap("search in other words", err)
	}
	if len(others) == 0 || len(hits) > 0 && others[0].Score <= hits[0].Score {
		return hits, nil
	}
	return node.InTurns(q.Limit, others, hits), nil
}

// inCited searches the documents cited by the last answer, for a question without a subject of its own ("5년이면?",
// "언제까지 신청해야 돼?") or with a subject of these documents. joined is the question with the one before it. It returns
// nothing if the question is about something else.
func (a *Agent) inCited(ctx context.Context, s graph.State, joined rag.Query) ([]rag.Hit, error) {
	if joined.Documents = a.ch.lately.Get(s); len(joined.Documents) == 0 || !leansBack(a.ch.question.Get(s)) {
		return nil, nil
	}
	hits, err := a.cfg.Documents.Search(ctx, joined)
	if err != nil || len(hits) == 0 {
		return nil, wrap("search in what was cited", err)
	}
	var texts []string
	for _, h := range hits {
		texts = append(append(texts, h.Chunk.Heading...), h.Chunk.Text)
	}
	held := rag.HoldingOf(texts...)
	var words rag.Analyzer
	subject := counted.ReplaceAllString(a.ch.question.Get(s), " ")
	for _, w := range words.Query(subject) {
		if !rag.BareVerb(subject) && !rag.BareCase(subject) && w.Weight >= 1 && held.Match(w) < 0.5 {
			return nil, nil
		}
	}
	return hits, nil
}

// counted matches a number with its unit, which is a case ("5년이면?") and not a subject.
var counted = pattern.New(`\d[\d,.]*\s?\p{Hangul}{0,4}`)

// documentsOf returns the distinct documents of sources.
func documentsOf(sources []agent.Source) (ids []string) {
	for _, c := range sources {
		if !slices.Contains(ids, c.Document) {
			ids = append(ids, c.Document)
		}
	}
	return ids
}

// searchFiles searches only the files of this message.
func (a *Agent) searchFiles(ctx context.Context, q rag.Query, files []agent.File) ([]rag.Hit, error) {
	for _, f := range files {
		q.Documents = append(q.Documents, f.Document)
	}
	hits, err := a.cfg.Documents.Search(ctx, q)
	return hits, wrap("search files", err)
}

// madeWhole returns queries for a question that depends on the conversation, best first, and none for one that
// stands alone.
func (a *Agent) madeWhole(s graph.State) []string {
	before, question := a.saidBefore(s), a.ch.question.Get(s)
	if len(before) == 0 {
		return nil
	}
	var ways []string
	if query := a.ch.query.Get(s); query != "" {
		ways = append(ways, query)
	}
	if whole, ok := correction.Whole(question, before); ok {
		ways = append(ways, whole)
	}
	if leansBack(question) {
		ways = append(ways, before[0]+"\n"+question)
		chain := question
		for i, b := range before {
			chain = b + "\n" + chain
			if !leansBack(b) {
				if i > 0 {
					ways = append(ways, chain)
				}
				break
			}
		}
	}
	return ways
}

// maxBack limits the chain of earlier questions in a query.
const maxBack = 4

// maxQuoted limits the text of a quoted message in a query, in characters.
const maxQuoted = 300

// saidBefore returns the messages that a question may depend on: those it quotes, then earlier questions, newest
// first.
func (a *Agent) saidBefore(s graph.State) []string {
	var out []string
	for _, q := range workflow.ExecOf(s).Request.Quoted {
		out = append(out, fit.Cut(q.Text, maxQuoted))
	}
	seen := false
	for _, m := range slices.Backward(a.ch.messages.Get(s)) {
		if m.Role != "user" {
			continue
		}
		if seen {
			out = append(out, llm.Unquoted(m.Text))
		}
		if seen = true; len(out) >= maxBack {
			break
		}
	}
	return out
}

// backWords are the first words of questions that cannot be understood alone.
var backWords = []string{
	"그럼", "그러면", "그건", "그것", "그거", "그때", "그 ", "이건", "이것", "이거", "이걸", "이게", "이 말", "아까", "위에", "방금", "또", "더 ",
	"and ", "then", "what about", "how about", "that", "it ", "this", "those", "these", "is this", "is that", "also", "why", "왜",
}

// leansBack reports whether a question depends on the one before it: it begins with a backward reference, corrects that one or
// is too short to name its subject.
func leansBack(question string) bool {
	q := strings.ToLower(strings.TrimSpace(question))
	for _, w := range backWords {
		if strings.HasPrefix(q, w) {
			return true
		}
	}
	_, _, corrects := correction.Asked(q)
	return corrects || utf8.RuneCountInString(q) <= 8 || rag.BareVerb(q)
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
