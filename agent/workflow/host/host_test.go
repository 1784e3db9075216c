package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory"
)

// echo is a host whose only node asks the model with the conversation.
type echo struct {
	*host.Host

	model llm.Model
	tools []llm.Tool
	heard []agent.Event
	reply host.Reply
}

// state is what echoes work on. Another version of the program has more of it.
type state struct {
	schema     *graph.Schema
	definition graph.Chan[string]
	messages   graph.List[memory.Message]
	more       *graph.Chan[string]
}

func newState(more bool) state {
	s := graph.NewSchema()
	st := state{
		schema: s, definition: graph.NewLast(s, "definition", graph.PerThread, graph.String()),
		messages: graph.NewKeyed(s, "messages", graph.PerThread, graph.JSON[memory.Message]("message", 1), func(m memory.Message) string { return m.ID }),
	}
	if more {
		c := graph.NewLast(s, "more", graph.PerTurn, graph.String())
		st.more = &c
	}
	return st
}

const once = `{"id":"echo","name":"e","version":"1","nodes":[{"id":"start","node_type":"start"},{"id":"say","node_type":"say"},{"id":"end","node_type":"end"}],
	"edges":[{"source":"start","target":"say"},{"source":"say","target":"end"}]}`

func newEcho(t *testing.T) *echo {
	t.Helper()
	e := &echo{}
	st := newState(false)
	say := workflow.Type{Name: "say", Summary: "says", Writes: []string{"messages"}, Bind: func(json.RawMessage) (workflow.Bound, error) {
		return workflow.Bound{Run: func(ctx context.Context, s graph.State) ([]graph.Write, error) {
			x := workflow.ExecOf(s)
			req := llm.Request{Purpose: llm.ForAnswer, Tools: e.tools}
			for _, m := range st.messages.Get(s) {
				req.Messages = append(req.Messages, llm.Message{Role: llm.Role(m.Role), Content: m.Text})
			}
			var err error
			e.reply, err = host.Talk(ctx, x, "say/1", req, true)
			return host.Said(x.Request, s, st.messages, e.reply.Text, 2), err
		}}, nil
	}}
	e.Host = newHost(t, once, st, graph.NewMemory(), say)
	return e
}

func newHost(t *testing.T, definition string, st state, log graph.Checkpointer, types ...workflow.Type) *host.Host {
	t.Helper()
	d, err := workflow.Parse([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.New(host.Config{
		Definition: d, Types: workflow.NewRegistry(types...), Schema: st.schema, Pinned: st.definition, Messages: st.messages,
		Runtime: graph.NewRuntime(graph.Config{Checkpointer: log}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (e *echo) ask(t *testing.T, run, text string) error {
	t.Helper()
	x := &workflow.Exec{
		Request: agent.Request{Run: run, Message: "m" + run, Thread: "t", Text: text, Now: time.Unix(1, 0)},
		Models:  []llm.Model{llm.Metered(e.model, time.Now)}, MaxRetries: -1, Sink: func(ev agent.Event) { e.heard = append(e.heard, ev) },
	}
	_, _, err := e.Run(t.Context(), x)
	return err
}

func TestThreadRemembersAndForgets(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	m := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("answer") })
	e.model = m
	for i, text := range []string{"one", "two"} {
		if err := e.ask(t, string(rune('a'+i)), text); err != nil {
			t.Fatal(err)
		}
	}
	shown := func() string {
		var out []string
		r := m.Requests()
		for _, msg := range r[len(r)-1].Messages {
			out = append(out, msg.Content)
		}
		return strings.Join(out, " ")
	}
	if got := shown(); got != "one answer two" {
		t.Errorf("shown %q", got)
	}
	if err := e.Amend(t.Context(), "t", "mb", "zwei", false, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Amend(t.Context(), "t", "ma", "", true, nil); err != nil { // its answer goes with it
		t.Fatal(err)
	}
	if err := e.ask(t, "c", "three"); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "zwei answer three" {
		t.Errorf("shown %q", got)
	}
	if err := e.Forget(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	if err := e.ask(t, "d", "four"); err != nil || shown() != "four" {
		t.Errorf("%v, shown %q", err, shown())
	}
	if err := e.Amend(t.Context(), "nowhere", "x", "y", false, nil); err != nil {
		t.Errorf("a thread that does not exist: %v", err)
	}
}

func TestSoftFailureIsAReply(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	e.model = llmtest.Script(llmtest.Reply{Text: "half", Err: &llm.Error{Class: llm.ContentFilter}})
	if err := e.ask(t, "a", "x"); err != nil || e.reply.Failed != string(llm.ContentFilter) || e.reply.Text != "" {
		t.Errorf("%v %+v", err, e.reply)
	}
	if !slices.ContainsFunc(e.heard, func(ev agent.Event) bool { return ev.Kind == agent.EventReset }) {
		t.Error("half an answer stays on the screen")
	}
	e.model = llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.Auth}))
	var f *agent.Failure
	if err := e.ask(t, "b", "y"); !errors.As(err, &f) || f.Code != "model_auth" {
		t.Errorf("error %v", err)
	}
}

func TestCallsAreNumberedAnew(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	e.tools = []llm.Tool{{Name: "x"}}
	e.model = llmtest.Script(llmtest.Reply{Text: "thinking", Calls: []llm.ToolCall{{ID: "1", Name: "x"}, {ID: "1", Name: "x"}}})
	if err := e.ask(t, "a", "x"); err != nil || len(e.reply.Calls) != 2 || e.reply.Calls[0].ID == e.reply.Calls[1].ID || string(e.reply.Calls[0].Arguments) != "{}" {
		t.Errorf("%v %+v", err, e.reply)
	}
}

// TestThreadLetsGoOfOldMessages: the echo keeps the newest two.
func TestThreadLetsGoOfOldMessages(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	m := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("answer") })
	e.model = m
	for _, text := range []string{"one", "two", "three"} {
		if err := e.ask(t, text, text); err != nil {
			t.Fatal(err)
		}
	}
	if last := m.Requests()[2].Messages; len(last) != 3 || last[0].Content != "two" {
		t.Errorf("shown %+v", last)
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	files := []agent.File{{Name: "a.pdf"}}
	if q := host.Question(agent.Request{Text: "what?", Files: files}); q != "what?" {
		t.Error(q)
	}
	if q := host.Question(agent.Request{Files: files}); !strings.Contains(q, "a.pdf") {
		t.Error(q)
	}
	r := agent.Request{Run: "r", Message: "m2"}
	all := []memory.Message{{ID: "m1"}, {ID: "m2"}, {ID: "m3"}}
	if got := host.Earlier(r, all); len(got) != 1 || got[0].ID != "m1" {
		t.Error(got)
	}
}
