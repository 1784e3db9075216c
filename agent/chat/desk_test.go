package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase"
	"maru/rag"
	"maru/rag/naming"
)

// papers is a library of a few passages that fit when they share a word with
// the question.
type papers []rag.Hit

func (p papers) Search(_ context.Context, q rag.Query) ([]rag.Hit, error) {
	var out []rag.Hit
	for _, h := range p {
		for _, w := range strings.Fields(q.Text) {
			fits := strings.Contains(h.Chunk.Text, strings.Trim(w, "?.!은는이가을를"))
			if (fits || q.Threshold < 0) && slices.Contains(q.Scopes, h.Document.Scope) && (len(q.Documents) == 0 || slices.Contains(q.Documents, h.Document.ID)) {
				out = append(out, h)
				break
			}
		}
	}
	return out, nil
}

// missing is the one name that papers take for that of a document that is not there.
const missing = "없는지침"

// Absent finds missing where a question names it.
func (p papers) Absent(_ context.Context, q rag.Query) (naming.Absent, bool, error) {
	return naming.Absent{Name: missing}, strings.Contains(q.Text, missing), nil
}

func (p papers) Passages(_ context.Context, scopes []string, document string, _, _ int) ([]rag.Chunk, rag.Document, error) {
	var out []rag.Chunk
	var doc rag.Document
	for _, h := range p {
		if h.Document.ID == document && slices.Contains(scopes, h.Document.Scope) {
			out, doc = append(out, h.Chunk), h.Document
		}
	}
	if out == nil {
		return nil, doc, rag.ErrNotFound
	}
	return out, doc, nil
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

var library = papers{
	{Chunk: rag.Chunk{ID: "d1#0", Text: "연차 휴가는 1년에 15일이다.", Heading: []string{"휴가"}}, Document: rag.Document{ID: "d1", Title: "취업규칙", Scope: "public"}, Score: .6},
	{Chunk: rag.Chunk{ID: "d2#0", Text: "연차 미사용분은 수당으로 받는다.", Page: 3}, Document: rag.Document{ID: "d2", Title: "급여규정", Scope: "public"}, Score: .5},
	{Chunk: rag.Chunk{ID: "d3#0", Text: "연차 비밀 규정."}, Document: rag.Document{ID: "d3", Title: "비밀", Scope: "channel:x"}, Score: .55},
}

// double is a tool that only reads.
type double struct {
	mu    sync.Mutex
	calls int
	fail  error
	asks  bool // needs a person's yes
}

func (d *double) Spec() tool.Spec {
	return tool.Spec{
		Name: "double", Description: "doubles", Policy: tool.Policy{ReadOnly: true, Approval: d.asks},
		Title:      phrase.Raw("Doubling"),
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
	}
}

func (d *double) Call(_ context.Context, c tool.Call) (tool.Result, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.fail != nil {
		return tool.Result{}, d.fail
	}
	var args struct{ N int }
	if err := json.Unmarshal(c.Arguments, &args); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: fmt.Sprint(args.N * 2)}, nil
}

// desk is a chat agent with its parts at hand.
type desk struct {
	t     *testing.T
	model llm.Model
	log   *graph.Memory
	tool  *double
	mail  *mail
	knows chat.Memory // nil: nothing
	docs  papers
	agent *chat.Agent
	turn  int

	definition *workflow.Definition // nil: the program's own

	more   []tool.Tool       // beside tool and mail
	finder *tool.Recommender // of all of them
	rounds int               // of tools, 0 for the default
}

func newDesk(t *testing.T, model llm.Model) *desk {
	t.Helper()
	return deskWith(t, model, library)
}

// restart makes a new agent on the same log, as after the process died.
func (d *desk) restart(model llm.Model) {
	d.t.Helper()
	tools, err := tool.NewRegistry(append([]tool.Tool{d.tool, d.mail}, d.more...)...)
	if err != nil {
		d.t.Fatal(err)
	}
	d.model = llm.Metered(model, time.Now)
	if d.definition == nil {
		own, err := chat.Definition()
		if err != nil {
			d.t.Fatal(err)
		}
		d.definition = &own
	}
	d.agent, err = chat.NewWith(chat.Config{
		Model: d.model, Documents: d.docs, Tools: tools, Finder: d.finder, MaxRounds: d.rounds, Memory: d.knows, Tasks: "orchestrator",
		Runtime: graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true}),
	}, *d.definition)
	if err != nil {
		d.t.Fatal(err)
	}
}

// deskWith returns a desk with other documents.
func deskWith(t *testing.T, model llm.Model, docs papers) *desk {
	t.Helper()
	d := &desk{t: t, log: graph.NewMemory(), docs: docs, tool: &double{}, mail: &mail{}}
	d.restart(model)
	return d
}

func (d *desk) request(text string) agent.Request {
	d.turn++
	return agent.Request{
		Run: fmt.Sprintf("run%d", d.turn), Message: fmt.Sprintf("msg%d", d.turn), Thread: "t/1/c/x", Agent: "chat", Text: text,
		User: agent.User{ID: "u", Name: "철수"}, Scopes: []string{"public"}, Language: "ko",
		Now: time.Date(2026, 11, 21, 9, d.turn, 0, 0, time.UTC),
	}
}

// ask runs one turn and returns its result and events.
func (d *desk) ask(req agent.Request) (agent.Result, []agent.Event) {
	d.t.Helper()
	res, events, err := d.try(req)
	if err != nil {
		d.t.Fatal(err)
	}
	return res, events
}

func (d *desk) try(req agent.Request) (agent.Result, []agent.Event, error) {
	var mu sync.Mutex
	var events []agent.Event
	res, err := d.agent.Run(d.t.Context(), req, func(e agent.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	})
	return res, events, err
}

func route(to string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"route": to, "reason": "test"})
}

// drafting returns a model that routes every message to one place and writes one draft.
func drafting(to, draft string) *llmtest.Scripted {
	return llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		if r.Purpose == llm.ForRoute {
			return route(to)
		}
		return llmtest.Text(draft)
	})
}

func modelCalls(events []agent.Event) int {
	n := 0
	for _, e := range events {
		if e.Kind == agent.EventModelCall {
			n++
		}
	}
	return n
}

func streamed(events []agent.Event) string {
	var s strings.Builder
	for _, e := range events {
		switch e.Kind {
		case agent.EventToken:
			s.WriteString(e.Text)
		case agent.EventReset:
			s.Reset()
		}
	}
	return s.String()
}

// talker answers every purpose; summaries are numbered.
func talker(fail func() bool) *llmtest.Scripted {
	summaries := 0
	return llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
		llm.ForRoute:  func(llm.Request) llmtest.Reply { return route("agent") },
		llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("네.") },
		llm.ForSummary: func(llm.Request) llmtest.Reply {
			if fail != nil && fail() {
				return llmtest.Fail(&llm.Error{Class: llm.Overloaded})
			}
			summaries++
			return llmtest.Text(fmt.Sprintf("요약 %d", summaries))
		},
	})
}

func lastPrompt(m *llmtest.Scripted) llm.Request {
	reqs := m.Requests()
	return reqs[len(reqs)-1]
}

func purposes(events []agent.Event) []string {
	var out []string
	for _, e := range events {
		if e.Kind == agent.EventModelCall {
			out = append(out, e.Name)
		}
	}
	return out
}
