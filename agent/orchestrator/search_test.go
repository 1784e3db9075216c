package orchestrator_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

// papers are documents of two scopes, found by a word of theirs.
type papers []rag.Hit

func (p papers) Search(_ context.Context, q rag.Query) ([]rag.Hit, error) {
	var out []rag.Hit
	for _, h := range p {
		if slices.Contains(q.Scopes, h.Document.Scope) && slices.ContainsFunc(strings.Fields(q.Text), func(w string) bool { return strings.Contains(h.Chunk.Text, w) }) {
			out = append(out, h)
		}
	}
	return out, nil
}

func (p papers) Some(_ context.Context, scopes []string, limit int) ([]rag.Document, int, error) {
	var out []rag.Document
	for _, h := range p {
		if slices.Contains(scopes, h.Document.Scope) {
			out = append(out, h.Document)
		}
	}
	return out[:min(limit, len(out))], len(out), nil
}

// TestTalkSearchesDocuments: for a plain answer the model may search by itself, a bounded number of
// times, within the scopes; what it finds is cited as what was found for it.
func TestTalkSearchesDocuments(t *testing.T) {
	t.Parallel()
	docs := papers{
		{Chunk: rag.Chunk{ID: "a#0", Text: "remote work is two days a week"}, Document: rag.Document{ID: "a", Title: "Handbook", Scope: "workspace"}, Score: .8},
		{Chunk: rag.Chunk{ID: "b#0", Text: "parking has twelve places at the main site"}, Document: rag.Document{ID: "b", Title: "Sites", Scope: "workspace"}, Score: .8},
		{Chunk: rag.Chunk{ID: "c#0", Text: "parking of the board is secret"}, Document: rag.Document{ID: "c", Title: "Board", Scope: "elsewhere"}, Score: .9},
	}
	search := func(q string) llmtest.Reply { return llmtest.CallTool("search_documents", `{"query":"`+q+`"}`) }
	for name, tc := range map[string]struct {
		scopes  []string
		known   int
		replies []llmtest.Reply
		calls   int
		want    string
		sources []string
		search  bool
	}{
		"answers from what was found for it": {replies: []llmtest.Reply{llmtest.Text("Two days a week [1].")}, calls: 2, want: "Two days a week [1].", sources: []string{"Handbook"}, search: true},
		"searches": {replies: []llmtest.Reply{search("parking"), llmtest.Text("Remote work is two days a week [1], parking has twelve places at the main site [2].")},
			calls: 3, want: "[2].", sources: []string{"Handbook", "Sites"}, search: true},
		"never stops": {replies: []llmtest.Reply{search("parking"), search("places"), search("more")}, calls: 4, want: "", search: true},
		"another tool": {replies: []llmtest.Reply{llmtest.CallTool("send_mail", `{}`), llmtest.Text("Two days a week [1].")},
			calls: 3, want: "Two days", sources: []string{"Handbook"}, search: true},
		"says nothing":          {replies: []llmtest.Reply{llmtest.Fail(&llm.Error{Class: llm.Garbage})}, calls: 2, want: "> remote work is two days a week [1]", sources: []string{"Handbook"}, search: true},
		"no documents in reach": {scopes: []string{"nowhere"}, replies: []llmtest.Reply{llmtest.Text("I do not know.")}, calls: 2, want: "I do not know."},
		"the built-in model":    {known: -1, replies: []llmtest.Reply{llmtest.Text("Two days a week [1].")}, calls: 2, want: "Two days a week [1].", sources: []string{"Handbook"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			d := newDesk(t, &mind{route: func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") }, answer: func(r llm.Request) llmtest.Reply {
				if r.ToolChoice == "none" && len(r.Tools) == 0 {
					t.Error("a tool is forbidden that is not offered")
				}
				n++
				return tc.replies[n-1]
			}}, agent.Approvals{})
			d.english()
			d.req.Text, d.cfg.Documents, d.cfg.Known = "How many days of remote work do we have?", docs, tc.known
			if tc.scopes != nil {
				d.req.Scopes = tc.scopes
			}
			d.start()
			res := d.run()
			var titles []string
			for _, s := range res.Sources {
				titles = append(titles, s.Title)
			}
			if !strings.Contains(res.Text, tc.want) || res.Usage.Calls != tc.calls || !slices.Equal(titles, tc.sources) {
				t.Errorf("%q after %d calls with %q", res.Text, res.Usage.Calls, titles)
			}
			for _, r := range d.model.Requests() {
				offered := slices.ContainsFunc(r.Tools, func(t llm.Tool) bool { return t.Name == "search_documents" })
				if r.Purpose == llm.ForAnswer && offered != tc.search {
					t.Errorf("the search is offered: %v", offered)
				}
				for _, m := range r.Messages {
					if strings.Contains(m.Content, "secret") {
						t.Errorf("the model read %q", m.Content)
					}
				}
			}
		})
	}
}
