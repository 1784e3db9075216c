package autonomous_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
)

func TestMalformedDecisionsChangeNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script())
	d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, Check: workflow.CheckAnswer})
	d.team(flow("t", fmt.Sprintf(approval, "sent"), approvalEdges))
	req := d.request("it", "en")
	res, err := d.agent.Run(t.Context(), req, d.sink)
	if err != nil || len(res.Interrupts) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	id := res.Interrupts[0].ID
	for _, bad := range []string{`{"approved":"yes"}`, `{"Approved":true}`, `{"approved":true,"approved":false}`, `{"approved":true,"by":"someone else"}`, `true`, ``} {
		req.Decisions = []agent.Decision{{Interrupt: id, By: "u2", Value: json.RawMessage(bad)}}
		if _, err := d.agent.Run(t.Context(), req, d.sink); !errors.Is(err, graph.ErrBadAnswer) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	req.Decisions = []agent.Decision{{Interrupt: id, By: "u2", Value: json.RawMessage(`{"approved":true,"comment":"go"}`)}}
	if res, err := d.agent.Run(t.Context(), req, d.sink); err != nil || res.Text != "sent by u2" {
		t.Errorf("%q, %v", res.Text, err)
	}
	req.Decisions[0].Value = json.RawMessage(`{"approved":false}`)
	if res, err := d.agent.Run(t.Context(), req, d.sink); err != nil || res.Text != "sent by u2" {
		t.Errorf("a second click: %q, %v", res.Text, err)
	}
}

// TestApprovalShowsValuesAsWritten: the Markdown of the workflow's author is rendered. Values from the state are escaped, so
// that every character of them is visible.
func TestApprovalShowsValuesAsWritten(t *testing.T) {
	t.Parallel()
	const question, detail = "**Send** {{input}}?", "{{input}}\\n\\n```\\n{{input}}\\n```"
	text := flow("t", fmt.Sprintf(`{"id":"ask","node_type":"human_approval","config":{"question":"%s","detail":"%s"}},%s`, question, detail, `
		{"id":"y","node_type":"set_state","config":{"set":{"final_answer":"y"}}},{"id":"n","node_type":"set_state","config":{"set":{"final_answer":"n"}}}`), approvalEdges)
	d := newDesk(t, llmtest.Script()).team(text)
	res, err := d.agent.Run(t.Context(), d.request("[the mail](http://a.example) *.bak", "en"), d.sink)
	if err != nil || len(res.Interrupts) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	var ask agent.Ask
	if err := json.Unmarshal(res.Interrupts[0].Payload, &ask); err != nil {
		t.Fatal(err)
	}
	if ask.Question != `**Send** \[the mail\](http://a.example) \*.bak?` || ask.Detail != `\[the mail\](http://a.example) \*.bak`+"\n\n```\n[the mail](http://a.example) *.bak\n```" {
		t.Errorf("asks %q, %q", ask.Question, ask.Detail)
	}
}

func TestALoopAsksAgain(t *testing.T) {
	t.Parallel()
	text := flow("t", `{"id":"ask","node_type":"human_approval","config":{"question":"Good?"}},{"id":"gate","node_type":"iteration_gate","config":{"max":3}},
		{"id":"y","node_type":"set_state","config":{"set":{"final_answer":"good after {{iteration}}"}}}`,
		`{"source":"start","target":"ask"},{"source":"ask","source_port":"approved","target":"y"},{"source":"ask","source_port":"rejected","target":"gate"},
		{"source":"gate","source_port":"continue","target":"ask"},{"source":"gate","source_port":"stop","target":"end"},{"source":"y","target":"end"}`)
	d := newDesk(t, llmtest.Script()).team(text)
	req := d.request("it", "en")
	seen := map[string]bool{}
	for _, approved := range []bool{false, false, true} {
		res, err := d.agent.Run(t.Context(), req, d.sink)
		if err != nil || len(res.Interrupts) != 1 || seen[res.Interrupts[0].ID] {
			t.Fatalf("%+v, %v", res, err)
		}
		seen[res.Interrupts[0].ID] = true
		req.Decisions = append(req.Decisions, agent.Decision{Interrupt: res.Interrupts[0].ID, By: "u", Value: fmt.Appendf(nil, `{"approved":%v}`, approved)})
	}
	if res, err := d.agent.Run(t.Context(), req, d.sink); err != nil || res.Text != "good after 2" {
		t.Errorf("%q, %v", res.Text, err)
	}
}

func TestQuestionsOfASubWorkflow(t *testing.T) {
	t.Parallel()
	child := flow("child", fmt.Sprintf(approval, "sent {{input}}"), approvalEdges)
	d := newDesk(t, llmtest.Script()).team(line("t", `{"id":"sub","node_type":"sub_workflow","config":{"workflow":"child","input":"<{{input}}>","output":"final_answer"}}`), child)
	req := d.request("it", "en")
	res, err := d.agent.Run(t.Context(), req, d.sink)
	if err != nil || len(res.Interrupts) != 1 || res.Interrupts[0].Node != "sub/ask" {
		t.Fatalf("%+v, %v", res, err)
	}
	req.Decisions = []agent.Decision{{Interrupt: res.Interrupts[0].ID, By: "u2", Value: json.RawMessage(`{"approved":true}`)}}
	if res, err = d.agent.Run(t.Context(), req, d.sink); err != nil || res.Text != "sent <it> by u2" {
		t.Errorf("%q, %v", res.Text, err)
	}
	asked := 0
	for _, e := range d.events {
		if e.Kind == agent.EventInterrupt {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("%d events tell of the question", asked)
	}
}

func TestStateTellsOfTheFallback(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.Quota})), llmtest.Script(llmtest.Text("hi")))
	d.team(line("t", `{"id":"ask","node_type":"llm_call","config":{"prompt":"{{input}}"}}`,
		`{"id":"say","node_type":"set_state","config":{"set":{"final_answer":"{{last_output}} {{fallback[0].class}} {{fallback[0].to}}"}}}`))
	if res := d.must("x"); res.Text != "hi quota scripted" {
		t.Errorf("got %q", res.Text)
	}
}

// overdue is approval with an edge that is taken when nobody answers in time.
const overdue = `{"id":"ask","node_type":"human_approval","config":{"question":"Send {{input}}?","expires":"1h"}},
	{"id":"y","node_type":"set_state","config":{"set":{"final_answer":"sent"}}},
	{"id":"n","node_type":"set_state","config":{"set":{"final_answer":"not sent"}}},
	{"id":"late","node_type":"set_state","config":{"set":{"final_answer":"nobody decided about {{input}}: {{metadata?.approval_ask ?? \"no word\"}}"}}}`

const overdueEdges = approvalEdges + `,{"source":"ask","source_port":"expired","target":"late"},{"source":"late","target":"end"}`

func TestWhatNobodyAnswersTakesTheExpiredEdge(t *testing.T) {
	t.Parallel()
	inSub := line("t", `{"id":"sub","node_type":"sub_workflow","config":{"workflow":"child","output":"final_answer"}}`)
	cases := []struct {
		name, text, child string
		restart           bool
		want              string
	}{
		{"connected", flow("t", overdue, overdueEdges), "", false, "nobody decided about it: no word"},
		{"after_a_restart", flow("t", overdue, overdueEdges), "", true, "nobody decided about it: no word"},
		{"in_a_sub_workflow", inSub, flow("child", overdue, overdueEdges), true, "nobody decided about it: no word"},
		{"unconnected", flow("t", fmt.Sprintf(approval, "sent"), approvalEdges), "", true, "not sent: "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var others []string
			if c.child != "" {
				others = append(others, c.child)
			}
			d := newDesk(t, llmtest.Script()).team(c.text, others...)
			req := d.request("it", "en")
			res, err := d.agent.Run(t.Context(), req, d.sink)
			if err != nil || len(res.Interrupts) != 1 {
				t.Fatalf("%+v, %v", res, err)
			}
			if c.restart {
				d.use(llmtest.Script())
				d.team(c.text, others...)
			}
			id := res.Interrupts[0].ID
			req.Decisions = []agent.Decision{{Interrupt: id, Expired: true}}
			if res, err = d.agent.Run(t.Context(), req, d.sink); err != nil || res.Text != c.want {
				t.Errorf("%q, want %q, %v", res.Text, c.want, err)
			}
			req.Decisions = []agent.Decision{{Interrupt: id, By: "u2", Value: json.RawMessage(`{"approved":true}`)}}
			if res, err = d.agent.Run(t.Context(), req, d.sink); err != nil || res.Text != c.want {
				t.Errorf("a click afterwards: %q, %v", res.Text, err)
			}
		})
	}
}

// TestAnApprovalCountsItsTimeFromWhenItAsks: the person's message may be days
// older than the question that a loop asks again.
func TestAnApprovalCountsItsTimeFromWhenItAsks(t *testing.T) {
	t.Parallel()
	edges := approvalEdges + `,{"source":"ask","source_port":"expired","target":"gate"},
		{"source":"gate","source_port":"continue","target":"ask"},{"source":"gate","source_port":"stop","target":"late"},{"source":"late","target":"end"}`
	d := newDesk(t, llmtest.Script())
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, Now: func() time.Time { return now }})
	d.team(flow("t", overdue+`,{"id":"gate","node_type":"iteration_gate","config":{"max":2}}`, edges))
	req := d.request("it", "en")
	for visit := range 5 {
		res, err := d.agent.Run(t.Context(), req, d.sink)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Interrupts) == 0 {
			if visit < 2 || res.Text != "nobody decided about it: no word" {
				t.Errorf("asked %d times, then %q", visit, res.Text)
			}
			return
		}
		if due := res.Interrupts[0].Expires; !due.Equal(now.Add(time.Hour)) {
			t.Errorf("asked at %v, waits until %v", now, due)
		}
		req.Decisions = append(req.Decisions, agent.Decision{Interrupt: res.Interrupts[0].ID, Expired: true})
		now = now.Add(24 * time.Hour)
	}
	t.Error("it asks for ever")
}

func TestTheExpiredPortLeadsToOneNode(t *testing.T) {
	t.Parallel()
	types, schema := autonomous.Types()
	d := parse(t, flow("t", overdue, overdueEdges+`,{"source":"ask","source_port":"expired","target":"n"}`))
	found := workflow.Check(d, types, schema, nil)
	if err := found.Err(); err == nil || !strings.Contains(err.Error(), `/edges/7: port "expired" of "ask" leads to one node only`) {
		t.Errorf("got %v", err)
	}
}
