package guide_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm/llmtest"
)

func TestUnchangedFormAgrees(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(task(true), plan("영상 편집"), llmtest.Text(""), choose("CapCut"), llmtest.Text("해요."), reflection()))
	r := d.request(goal, "ko")
	waits := d.must(r)
	res, err := d.decide(r, waits, agent.Reply{Action: agent.VerbEdit, Values: map[string]string{"sub_tasks": "영상 편집"}})
	if err != nil || !strings.Contains(res.Text, "CapCut") {
		t.Errorf("%v: %s", err, res.Text)
	}
}

func TestRejectedPlanRunsNothing(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"), reflection())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	waits := d.must(r)
	res, err := d.decide(r, waits, agent.Reply{Action: agent.VerbReject})
	if err != nil || d.path() != "recommend_tool_node reflection_node" || !strings.Contains(res.Text, "여기서 멈출게요") {
		t.Errorf("%v, went %s: %s", err, d.path(), res.Text)
	}
}

func TestMalformedDecisionChangesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(task(true), plan("영상 편집")))
	r := d.request(goal, "ko")
	waits := d.must(r)
	for _, value := range []string{`{"action":"accept","extra":1}`, `{"action":"run"}`, `{"approved":true}`, `[]`, `{"action":"edit","values":{"sub_tasks":"다른 일","x":"y"}}`} {
		r.Decisions = []agent.Decision{{Interrupt: waits.Interrupts[0].ID, By: "u", At: r.Now, Value: json.RawMessage(value)}}
		var wrong *graph.AnswerError
		if _, err := d.run(r); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", value, err)
		}
	}
	r.Decisions = nil
	if again := d.must(r); len(again.Interrupts) != 1 || again.Interrupts[0].ID != waits.Interrupts[0].ID || steps(asked(t, again)) != "영상 편집" {
		t.Errorf("the question is gone or changed: %+v", again)
	}
}

func TestNobodyAnswersInTime(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"), reflection())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	waits := d.must(r)
	r.Decisions = []agent.Decision{{Interrupt: waits.Interrupts[0].ID, At: r.Now, Expired: true}}
	if res := d.must(r); !strings.Contains(res.Text, "정해진 시간 안에 답이 없어서") {
		t.Errorf("%s", res.Text)
	}
}

func TestAnotherMessageGivesUpThePlan(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"), task(false), llmtest.Text("네!"))
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	waits := d.must(r)
	if res := d.must(d.request("고마워", "ko")); res.Text != "네!" {
		t.Errorf("%s", res.Text)
	}
	if _, err := d.decide(r, waits, agent.Reply{Action: agent.VerbAccept}); !errors.Is(err, graph.ErrTurnPassed) && !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Errorf("error %v", err)
	}
}

func TestEnglish(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(task(true), plan("edit the video")))
	r := d.request("I want to start a cooking channel", "en")
	ask := asked(t, d.must(r))
	if ask.Question != "Shall I look for a service for each of these subtasks?" || ask.Actions[0].Label != "Yes, go ahead" {
		t.Errorf("asked %+v", ask)
	}
}
