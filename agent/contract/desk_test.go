package contract_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/contract"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
	"maru/rag"
	"maru/rag/load"
	"maru/rag/local"
)

const home = "channel:fake/T/C"

// leaseKo is the user's own contract: some articles differ from the standard.
const leaseKo = `제1조(목적) 이 계약은 쇼핑몰 개발 용역을 정한다.

제2조(기간) 계약 기간은 2027년 3월 31일까지로 한다.

제5조(대금)
① 대금은 3,000만 원으로 하고 부가가치세는 따로 낸다.
② 갑은 선금 50퍼센트를 계약 후 3일 안에, 나머지를 검수 뒤 30일 안에 낸다.

제7조(비밀유지)
① 을은 알게 된 비밀을 5년 동안 지킨다.
② 위반하면 1,000만 원을 위약벌로 낸다. 해지는 제9조에 따른다.

제9조(해지) 갑은 7일 전에 알리고 언제든지 해지할 수 있다.
`

// desk is an agent with its documents and its log at hand.
type desk struct {
	t      *testing.T
	index  rag.Index
	in     rag.Ingester
	log    graph.Checkpointer
	cfg    contract.Config
	agent  *contract.Agent
	turn   int
	thread string // of the questions

	mu     sync.Mutex
	events []agent.Event
}

func newDesk(t *testing.T, model llm.Model) *desk {
	t.Helper()
	index, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	d := &desk{
		t: t, index: index, log: graph.NewMemory(), thread: "fake/T/C/1",
		in: rag.Ingester{Loader: load.New(load.Config{}), Index: index, Now: func() time.Time { return time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC) }},
	}
	for _, b := range contract.Standards() {
		d.add(contract.StandardScope, b.Name, string(b.Data))
	}
	d.use(model)
	return d
}

func (d *desk) add(scope, name, text string) rag.Document {
	d.t.Helper()
	doc, _, err := d.in.Add(d.t.Context(), rag.File{Scope: scope, Name: name, By: "u", Data: []byte(text)}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return doc
}

// use makes a new agent on the same log and documents, as after a restart.
func (d *desk) use(model llm.Model) {
	d.t.Helper()
	d.cfg.Model = llm.Metered(model, time.Now)
	d.cfg.Documents, d.cfg.Backoff, d.cfg.Random = d.index, time.Nanosecond, func() float64 { return 0 }
	d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true, Check: workflow.CheckAnswer})
	var err error
	if d.agent, err = contract.New(d.cfg); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) request(text, language string, files ...rag.Document) agent.Request {
	d.turn++
	r := agent.Request{
		Run: fmt.Sprintf("run%d", d.turn), Message: fmt.Sprintf("m%d", d.turn), Thread: d.thread, Agent: contract.Name, Text: text,
		User: agent.User{ID: "fake/T/u", Name: "지수"}, Scopes: []string{"public", home}, Home: home, Language: language,
		Now: time.Date(2026, 11, 21, 9, d.turn, 0, 0, time.UTC),
	}
	for _, f := range files {
		r.Files = append(r.Files, agent.File{Document: f.ID, Name: f.Source})
	}
	return r
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

func (d *desk) ask(text, language string, files ...rag.Document) agent.Result {
	d.t.Helper()
	res, err := d.run(d.request(text, language, files...))
	if err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	if s := d.streamed(); strings.TrimSpace(s) != res.Text {
		d.t.Errorf("%s: people saw %q, the answer is %q", text, s, res.Text)
	}
	return res
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
	return s.String()
}

// path returns the nodes that ran, in their order.
func (d *desk) path() string {
	var out []string
	for _, e := range d.events {
		if e.Kind == agent.EventNodeStart {
			out = append(out, e.Node)
		}
	}
	return strings.Join(out, " ")
}

// tools returns the calls that were made, sorted.
func (d *desk) tools() []string {
	var out []string
	for _, e := range d.events {
		if e.Kind == agent.EventToolCall {
			out = append(out, e.Name+" "+string(e.Data))
		}
	}
	slices.Sort(out)
	return out
}

func (d *desk) custom(name string) []json.RawMessage {
	var out []json.RawMessage
	for _, e := range d.events {
		if e.Kind == agent.EventCustom && e.Name == name {
			out = append(out, e.Data)
		}
	}
	return out
}

func scope(in bool) llmtest.Reply {
	return llmtest.JSON(map[string]any{"in_scope": in, "reason": "test"})
}

func leaning(depends bool, question string) llmtest.Reply {
	return llmtest.JSON(map[string]any{"depends": depends, "question": question, "held": false})
}

func evaluation(enough bool, missing string, unexplored ...string) llmtest.Reply {
	if unexplored == nil {
		unexplored = []string{}
	}
	return llmtest.JSON(map[string]any{"enough": enough, "missing_info": missing, "unexplored": unexplored})
}
