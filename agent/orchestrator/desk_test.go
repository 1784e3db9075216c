package orchestrator_test

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
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/orchestrator"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase"
)

// desk is an agent with its parts at hand.
type desk struct {
	t     *testing.T
	log   graph.Checkpointer
	cfg   orchestrator.Config
	agent *orchestrator.Agent
	req   agent.Request
	tools *toolbox
	mind  *mind
	model *llmtest.Scripted

	mu     sync.Mutex
	events []agent.Event
}

// everything asks about everything.
var everything = agent.Approvals{Clarification: true, Plan: true, Step: true}

func newDesk(t *testing.T, m *mind, asks agent.Approvals) *desk {
	t.Helper()
	d := &desk{t: t, log: graph.NewMemory(), mind: m, tools: newToolbox(t)}
	d.cfg = orchestrator.Config{
		Models: host.Models{
			Backoff: time.Nanosecond, MaxRetries: -1, Random: func() float64 { return 0 },
			Now: func() time.Time { return noon.Add(time.Minute) },
		},
		Tools: d.tools.registry,
	}
	d.req = agent.Request{
		Run: "run1", Message: "m1", Thread: "thread", Text: "부산 날씨를 알아보고 메모해 줘", Language: "ko", Approvals: asks,
		User: agent.User{ID: "slack/T/U1", Name: "지수"}, Now: noon, Scopes: []string{"workspace"}, Home: "channel",
	}
	d.start()
	return d
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// start makes a new agent on the same log, as after the process died.
func (d *desk) start() {
	d.t.Helper()
	d.model = llmtest.Func(d.mind.reply)
	d.cfg.Model = llm.Metered(d.model, time.Now)
	d.use()
}

// use makes a new agent with the config as it is.
func (d *desk) use() {
	d.t.Helper()
	d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true, Check: workflow.CheckAnswer})
	var err error
	if d.agent, err = orchestrator.New(d.cfg); err != nil {
		d.t.Fatal(err)
	}
}

// english makes the person write English.
func (d *desk) english() *desk {
	d.req.Language, d.req.Text = "en", "Check the weather in Busan and note it"
	return d
}

func (d *desk) sink(e agent.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

// run goes on with the run.
func (d *desk) run() agent.Result {
	d.t.Helper()
	res, err := d.agent.Run(d.t.Context(), d.req, d.sink)
	if err != nil {
		d.t.Fatalf("run: %v", err)
	}
	d.req.Decisions = nil
	return res
}

// asked runs until a question of this kind, and returns it.
func (d *desk) asked(kind string) (agent.Interrupt, agent.Ask) {
	d.t.Helper()
	res := d.run()
	if len(res.Interrupts) != 1 || res.Interrupts[0].Kind != kind {
		d.t.Fatalf("want a question of kind %s, got %+v %q", kind, res.Interrupts, res.Text)
	}
	var a agent.Ask
	if err := json.Unmarshal(res.Interrupts[0].Payload, &a); err != nil {
		d.t.Fatal(err)
	}
	return res.Interrupts[0], a
}

// decide answers a question and leaves going on to the next run.
func (d *desk) decide(i agent.Interrupt, r agent.Reply) *desk {
	d.t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		d.t.Fatal(err)
	}
	d.req.Decisions = []agent.Decision{{Interrupt: i.ID, By: d.req.User.ID, At: noon.Add(2 * time.Minute), Value: raw}}
	return d
}

// accepted goes on with the run and accepts what it still asks, until it has ended.
func (d *desk) accepted() agent.Result {
	d.t.Helper()
	res := d.run()
	for n := 0; len(res.Interrupts) > 0; n++ {
		if n > 20 {
			d.t.Fatal("the questions never end")
		}
		res = d.decide(res.Interrupts[0], do("accept")).run()
	}
	return res
}

func do(verb string) agent.Reply { return agent.Reply{Action: verb} }

func words(verb, text string) agent.Reply { return agent.Reply{Action: verb, Text: text} }

// next begins another turn.
func (d *desk) next(text string) *desk {
	var n int
	_, _ = fmt.Sscanf(d.req.Run, "run%d", &n)
	d.req.Run, d.req.Message, d.req.Text, d.req.Decisions = fmt.Sprintf("run%d", n+1), fmt.Sprintf("m%d", n+1), text, nil
	return d
}

// visited counts how often a node ran.
func (d *desk) visited(node string) (n int) {
	for _, e := range d.events {
		if e.Kind == agent.EventNodeStart && e.Node == node {
			n++
		}
	}
	return n
}

// streamed returns what a person saw grow last.
func (d *desk) streamed() string {
	var s string
	for _, e := range d.events {
		switch e.Kind {
		case agent.EventToken:
			s += e.Text
		case agent.EventReset:
			s = ""
		}
	}
	return s
}

// lastPlan returns the plan as it was shown last.
func (d *desk) lastPlan() (p agent.Plan) {
	d.t.Helper()
	for _, e := range slices.Backward(d.events) {
		if e.Kind == agent.EventPlan {
			if err := json.Unmarshal(e.Data, &p); err != nil {
				d.t.Fatal(err)
			}
			return p
		}
	}
	d.t.Fatal("no plan was shown")
	return p
}

// states returns the states of the plan's steps.
func states(p agent.Plan) string { return stateOf(p.Steps) }

func stateOf(steps []agent.PlanStep) string {
	var out []string
	for _, s := range steps {
		state := string(s.State)
		if state == "" {
			state = "waiting"
		}
		out = append(out, state)
	}
	return strings.Join(out, " ")
}

// verbs returns those of a question's buttons.
func verbs(a agent.Ask) string {
	var out []string
	for _, act := range a.Actions {
		if !act.Spoken {
			out = append(out, act.Verb)
		}
	}
	return strings.Join(out, " ")
}

func stepsOf(a agent.Ask) string {
	var out []string
	for _, s := range a.Steps {
		out = append(out, s.Text+":"+string(s.Effect))
	}
	return strings.Join(out, "|")
}

// mind is what the model answers, by what it is asked for.
type mind struct {
	mu      sync.Mutex
	route   func(llm.Request) llmtest.Reply
	clarity []llmtest.Reply // in turn; the last one stays
	plans   []llmtest.Reply
	plan    func(llm.Request) llmtest.Reply // instead of plans
	edit    func(llm.Request) llmtest.Reply
	retool  func(llm.Request) llmtest.Reply
	failure func(llm.Request) llmtest.Reply
	args    func(llm.Request) llmtest.Reply // the prepared call
	steps   func(llm.Request) llmtest.Reply // working on a step
	answer  func(llm.Request) llmtest.Reply
	before  func(n int, req llm.Request) // hears of every call first
}

func (m *mind) reply(n int, req llm.Request) llmtest.Reply {
	if m.before != nil {
		m.before(n, req)
	}
	if req.Schema != nil {
		return m.structured(req)
	}
	system := req.Messages[0].Content
	switch {
	case req.Purpose == llm.ForExtract && m.args != nil:
		return m.args(req)
	case strings.HasPrefix(system, "You carry out one step") && m.steps != nil:
		return m.steps(req)
	case strings.HasPrefix(system, "You are Maru") && m.answer != nil:
		return m.answer(req)
	}
	return llmtest.Text("다 했어요.")
}

func (m *mind) structured(req llm.Request) llmtest.Reply {
	by := map[string]func(llm.Request) llmtest.Reply{
		"message_kind": m.route, "edited_plan": m.edit, "tools_of_steps": m.retool, "after_failure": m.failure,
		"clarity": m.turn(&m.clarity), "plan": m.turn(&m.plans),
	}
	if m.plan != nil {
		by["plan"] = m.plan
	}
	if f := by[req.Schema.Name]; f != nil {
		return f(req)
	}
	switch req.Schema.Name {
	case "message_kind":
		return kindIs("TOOL_REQUIRED")
	case "clarity":
		return clear(1)
	case "after_failure":
		return onFailure("go_on")
	}
	return llmtest.Fail(&llm.Error{Class: llm.Refused, Detail: "no script for " + req.Schema.Name})
}

func (m *mind) turn(list *[]llmtest.Reply) func(llm.Request) llmtest.Reply {
	if len(*list) == 0 {
		return nil
	}
	return func(llm.Request) llmtest.Reply {
		m.mu.Lock()
		defer m.mu.Unlock()
		r := (*list)[0]
		if len(*list) > 1 {
			*list = (*list)[1:]
		}
		return r
	}
}

func kindIs(kind string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"kind": kind, "title": "날씨 메모", "reason": "test"})
}

func clear(score float64, questions ...string) llmtest.Reply {
	list := []map[string]any{}
	for _, q := range questions {
		list = append(list, map[string]any{"question": q, "options": []string{}})
	}
	return llmtest.JSON(map[string]any{"score": score, "questions": list})
}

func onFailure(decision string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"decision": decision, "reason": "test"})
}

// planOf returns a plan of steps written as "text@tool".
func planOf(steps ...string) llmtest.Reply {
	list := []map[string]string{}
	for _, s := range steps {
		text, name, _ := strings.Cut(s, "@")
		list = append(list, map[string]string{"text": text, "detail": "", "tool": name})
	}
	return llmtest.JSON(map[string]any{"title": "날씨 메모", "why": "이 순서가 좋아요.", "steps": list})
}

// toolbox has a tool of each effect, and remembers the calls.
type toolbox struct {
	registry *tool.Registry

	mu     sync.Mutex
	calls  []string
	result map[string]func(ctx context.Context, call tool.Call) (tool.Result, error)
}

func newToolbox(t *testing.T) *toolbox {
	t.Helper()
	b := &toolbox{result: map[string]func(context.Context, tool.Call) (tool.Result, error){}}
	city := `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","maximum":7}},"required":["city"],"additionalProperties":false}`
	text := `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`
	var err error
	b.registry, err = tool.NewRegistry(
		b.tool("get_weather", "날씨 확인", city, tool.Policy{ReadOnly: true, Idempotent: true}),
		b.tool("web_search", "웹 검색", text, tool.Policy{ReadOnly: true, Idempotent: true, Egress: true}),
		b.tool("write_note", "메모 쓰기", text, tool.Policy{}),
		b.tool("send_mail", "메일 보내기", text, tool.Policy{ReadOnly: true, Egress: true}),
		b.tool("run_code", "코드 실행", text, tool.Policy{Executes: true}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *toolbox) tool(name, title, schema string, p tool.Policy) tool.Tool {
	return fakeTool{b, tool.Spec{
		Name: name, Title: phrase.Raw(title), Description: "does " + name, Parameters: json.RawMessage(schema), Policy: p,
	}}
}

// made returns the calls so far.
func (b *toolbox) made() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.calls, "; ")
}

type fakeTool struct {
	b    *toolbox
	spec tool.Spec
}

func (f fakeTool) Spec() tool.Spec { return f.spec }

func (f fakeTool) Call(ctx context.Context, c tool.Call) (tool.Result, error) {
	f.b.mu.Lock()
	f.b.calls = append(f.b.calls, f.spec.Name+string(c.Arguments))
	do := f.b.result[f.spec.Name]
	f.b.mu.Unlock()
	if do != nil {
		return do(ctx, c)
	}
	return tool.Result{Text: "result of " + f.spec.Name}, nil
}
