package guide_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory/longterm"
	"maru/phrase"
	"maru/rag"
)

// trends is a place's document about trends.
type trends struct{ scope string }

func (d trends) Search(_ context.Context, q rag.Query) ([]rag.Hit, error) {
	if !strings.Contains(q.Text, "영상") && !strings.Contains(q.Text, "video") {
		return nil, nil
	}
	for _, s := range q.Scopes {
		if s == d.scope {
			return []rag.Hit{{
				Chunk:    rag.Chunk{ID: "t#0", Document: "t", Page: 12, Heading: []string{"짧은 영상"}, Text: "짧은 영상의 시청 시간이 작년보다 늘었다."},
				Document: rag.Document{ID: "t", Title: "콘텐츠 트렌드.pdf", Scope: d.scope}, Score: 0.8,
			}}, nil
		}
	}
	return nil, nil
}

// priced are services of a team with prices, from pages that they read.
func priced(t *testing.T) []byte {
	t.Helper()
	own, err := os.ReadFile("testdata/services.json")
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// diary is a memory that knows a few things and notes others.
type diary struct {
	texts []string
	notes *[]longterm.PreferenceLesson
}

func (m diary) Prefer(_ context.Context, _ longterm.Owner, _ string, _ time.Time, l longterm.PreferenceLesson) error {
	*m.notes = append(*m.notes, l)
	return nil
}

func (m diary) Recall(context.Context, longterm.Owner, string, int) (longterm.Recollection, error) {
	var r longterm.Recollection
	for i, t := range m.texts {
		r.Mementos = append(r.Mementos, longterm.Memento{ID: fmt.Sprint(i), Kind: longterm.KindPreference, Text: t})
	}
	return r, nil
}

// web is a search of the web.
type web struct{}

func (web) Spec() tool.Spec {
	return tool.Spec{
		Name: "web_search", Description: "searches", Policy: tool.Policy{ReadOnly: true, Idempotent: true, Egress: true}, Title: phrase.Raw("Web"),
		Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`),
	}
}

func (web) Call(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: "NovaCut is a new video editor.", Files: []agent.Artifact{{Name: "editors.csv", Data: []byte("NovaCut")}}}, nil
}

// desk is an agent with its parts at hand.
type desk struct {
	t     *testing.T
	log   graph.Checkpointer
	cfg   guide.Config
	agent *guide.Agent
	turn  int
	notes *[]longterm.PreferenceLesson // what the write_memory tool has noted

	mu     sync.Mutex
	events []agent.Event
}

func newDesk(t *testing.T, model llm.Model) *desk {
	t.Helper()
	var notes []longterm.PreferenceLesson
	mine := diary{notes: &notes}
	tools, err := tool.NewRegistry(web{}, builtin.NewReadMemory(mine), builtin.NewWriteMemory(mine))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, log: graph.NewMemory(), cfg: guide.Config{
		Services: priced(t),
		Models:   host.Models{Backoff: time.Nanosecond, Random: func() float64 { return 0 }}, Documents: trends{"public"}, Tools: tools, Memory: mine,
	}, notes: &notes}
	d.use(model)
	return d
}

// use makes a new agent on the same log, as after a restart.
func (d *desk) use(model llm.Model) {
	d.t.Helper()
	d.cfg.Model = llm.Metered(model, time.Now)
	d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true, Check: workflow.CheckAnswer})
	var err error
	if d.agent, err = guide.New(d.cfg); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) request(text, language string) agent.Request {
	d.turn++
	return agent.Request{
		Run: fmt.Sprintf("run%d", d.turn), Message: fmt.Sprintf("m%d", d.turn), Thread: "fake/T/C/1", Agent: guide.Name, Text: text,
		User: agent.User{ID: "fake/T/u", Name: "지수"}, Scopes: []string{"public"}, Home: "public", Language: language,
		Approvals: agent.Approvals{Plan: true}, Now: time.Date(2026, 11, 21, 9, d.turn, 0, 0, time.UTC),
	}
}

func (d *desk) run(r agent.Request) (agent.Result, error) {
	d.mu.Lock()
	d.events = nil
	d.mu.Unlock()
	return d.agent.Run(d.t.Context(), r, func(e agent.Event) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.events = append(d.events, e)
	})
}

func (d *desk) must(r agent.Request) agent.Result {
	d.t.Helper()
	res, err := d.run(r)
	if err != nil {
		d.t.Fatal(err)
	}
	return res
}

// decide goes on with a run that waits.
func (d *desk) decide(r agent.Request, waits agent.Result, reply agent.Reply) (agent.Result, error) {
	d.t.Helper()
	if len(waits.Interrupts) != 1 {
		d.t.Fatalf("%d questions wait: %s", len(waits.Interrupts), waits.Text)
	}
	value, err := json.Marshal(reply)
	if err != nil {
		d.t.Fatal(err)
	}
	r.Decisions = []agent.Decision{{Interrupt: waits.Interrupts[0].ID, By: r.User.ID, At: r.Now, Value: value}}
	return d.run(r)
}

func (d *desk) path() string {
	var out []string
	for _, e := range d.events {
		if e.Kind == agent.EventNodeStart {
			out = append(out, e.Node)
		}
	}
	return strings.Join(out, " ")
}

func (d *desk) streamed() string {
	var s strings.Builder
	for _, e := range d.events {
		switch e.Kind {
		case agent.EventToken:
			s.WriteString(e.Text)
		case agent.EventReset:
			s.Reset()
		}
	}
	return strings.TrimSpace(s.String())
}

// asked returns the question that a run waits on.
func asked(t *testing.T, res agent.Result) agent.Ask {
	t.Helper()
	var ask agent.Ask
	if len(res.Interrupts) != 1 || json.Unmarshal(res.Interrupts[0].Payload, &ask) != nil {
		t.Fatalf("no question waits: %+v", res)
	}
	return ask
}

func steps(a agent.Ask) string {
	var out []string
	for _, s := range a.Steps {
		out = append(out, s.Text)
	}
	return strings.Join(out, "; ")
}

func task(complex bool) llmtest.Reply {
	return llmtest.JSON(map[string]any{"is_complex_task": complex, "reason": "test"})
}

func plan(titles ...string) llmtest.Reply {
	list := []map[string]string{}
	for _, t := range titles {
		list = append(list, map[string]string{"title": t, "detail": "결과물"})
	}
	return llmtest.JSON(map[string]any{"sub_tasks": list})
}

// choose recommends a service for each sub-task in turn.
func choose(services ...string) llmtest.Reply {
	list := []map[string]any{}
	for i, s := range services {
		list = append(list, map[string]any{"sub_task": i + 1, "service": s, "reason": s + "가 잘 맞아요"})
	}
	return llmtest.JSON(map[string]any{"recommendations": list})
}

func reflection(preferences ...map[string]string) llmtest.Reply {
	if preferences == nil {
		preferences = []map[string]string{}
	}
	return llmtest.JSON(map[string]any{"preferences": preferences, "feedback": []any{}, "missing_tools": []any{}})
}
