package autonomous_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

func TestEasyTaskIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(classified("easy", ""), llmtest.Text("서울이에요."))
	d := newDesk(t, m)
	res := d.must("한국의 수도는?")
	if res.Text != "서울이에요." || d.streamed() != res.Text {
		t.Errorf("answer %q, streamed %q", res.Text, d.streamed())
	}
	if res.Usage.Calls != 2 {
		t.Errorf("%d calls", res.Usage.Calls)
	}
	if system := m.Requests()[1].Messages[0].Content; !strings.Contains(system, "Answer in Korean") {
		t.Errorf("the prompt does not ask for Korean: %s", system)
	}
	m.AssertDone(t)
}

func TestThreadRemembers(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(classified("easy", ""), llmtest.Text("기억할게요."), classified("easy", ""), llmtest.Text("파란색이에요."))
	d := newDesk(t, m)
	d.must("내가 좋아하는 색은 파란색이야")
	d.must("무슨 색이었지?")
	var said []string
	for _, msg := range m.Requests()[3].Messages[1:] {
		said = append(said, msg.Content)
	}
	want := []string{"내가 좋아하는 색은 파란색이야", "기억할게요.", "무슨 색이었지?"}
	if !slices.Equal(said, want) {
		t.Errorf("the model was shown %q, want %q", said, want)
	}
	if err := d.agent.Amend(t.Context(), "thread", "m1", "", true); err != nil {
		t.Fatal(err)
	}
	d.use(llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		for _, msg := range r.Messages {
			if strings.Contains(msg.Content, "좋아하는 색") {
				t.Error("a deleted message is shown")
			}
		}
		return classified("end", "네!")
	}))
	d.must("고마워")
}

func TestMediumTaskIsReviewed(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(classified("medium", ""), llmtest.Text("Draft one."), verdict("retry", "name the year"),
		llmtest.Text("Draft two, 2026."), verdict("approved", ""))
	d := newDesk(t, m)
	res := d.must("Compare A and B")
	if res.Text != "Draft two, 2026." || d.streamed() != res.Text {
		t.Errorf("answer %q, streamed %q", res.Text, d.streamed())
	}
	if again := m.Requests()[3].Messages[0].Content; !strings.Contains(again, "name the year") || !strings.Contains(again, "Draft one.") {
		t.Error("the second draft was not told of the feedback")
	}
	m.AssertDone(t)
}

func TestReviewsAreBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		switch r.Purpose {
		case llm.ForRoute:
			return classified("medium", "")
		case llm.ForReview:
			return verdict("retry", "never good enough")
		}
		return llmtest.Text("Draft.")
	}))
	res := d.must("Anything")
	if res.Text != "Draft." || d.visited("review") != 3 || d.visited("answer") != 3 {
		t.Errorf("%q after %d reviews of %d drafts", res.Text, d.visited("review"), d.visited("answer"))
	}
}

func TestHardTaskIsPlannedAndCarriedOut(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(classified("hard", ""), todos("조사", "정리"), llmtest.Text("조사 결과 17"), llmtest.Text("정리 결과\n[CONTINUE: 다음]"),
		verdict("approved", ""), llmtest.Text("최종 보고서 17"))
	d := newDesk(t, m)
	res := d.must("보고서를 써 줘")
	if res.Text != "최종 보고서 17" || d.streamed() != res.Text {
		t.Errorf("answer %q, streamed %q", res.Text, d.streamed())
	}
	reqs := m.Requests()
	if second := reqs[3].Messages[0].Content; !strings.Contains(second, "조사 결과 17") {
		t.Errorf("the second todo does not know the first one's result: %s", second)
	}
	if last := reqs[5].Messages[0].Content; !strings.Contains(last, "정리 결과") || strings.Contains(last, "[CONTINUE") {
		t.Errorf("the final prompt: %s", last)
	}
	var steps []string
	for _, e := range d.events {
		if e.Kind == agent.EventStatus && strings.Contains(e.Text, "단계:") {
			steps = append(steps, e.Text)
		}
	}
	if !slices.Equal(steps, []string{"1/2 단계: 조사", "2/2 단계: 정리"}) {
		t.Errorf("people saw %q", steps)
	}
	m.AssertDone(t)
}

func TestTodoSignals(t *testing.T) {
	t.Parallel()
	t.Run("blocked_goes_on", func(t *testing.T) {
		t.Parallel()
		m := llmtest.Script(classified("hard", ""), todos("a", "b"), llmtest.Text("[BLOCKED: no access]"), llmtest.Text("b done"),
			verdict("approved", ""), llmtest.Text("final"))
		d := newDesk(t, m)
		d.must("do it")
		if last := m.Requests()[5].Messages[0].Content; !strings.Contains(last, "a (failed): no access") || !strings.Contains(last, "b (done): b done") {
			t.Errorf("the final prompt: %s", last)
		}
		m.AssertDone(t)
	})
	t.Run("empty_goes_on", func(t *testing.T) {
		t.Parallel()
		empty := llmtest.Fail(&llm.Error{Class: llm.Garbage})
		m := llmtest.Script(classified("hard", ""), todos("a", "b"), empty, empty, llmtest.Text("b done"), verdict("approved", ""), empty, empty)
		d := newDesk(t, m)
		if res := d.must("do it"); !strings.Contains(res.Text, "b done") {
			t.Errorf("answer %q", res.Text)
		}
		m.AssertDone(t)
	})
	t.Run("nothing_but_empty", func(t *testing.T) {
		t.Parallel()
		empty := llmtest.Fail(&llm.Error{Class: llm.Garbage})
		m := llmtest.Script(classified("hard", ""), todos("a", "b"), empty, empty, empty, empty, verdict("approved", ""), empty, empty) // each is asked twice
		if res, err := newDesk(t, m).ask("do it"); llm.ClassOf(err) != llm.Garbage {
			t.Errorf("answer %q, %v", res.Text, err)
		}
		m.AssertDone(t)
	})
	t.Run("complete_ends_early", func(t *testing.T) {
		t.Parallel()
		m := llmtest.Script(classified("hard", ""), todos("a", "b", "c"), llmtest.Text("all of it\n[TASK_COMPLETE]"), verdict("approved", ""), llmtest.Text("final"))
		d := newDesk(t, m)
		if res := d.must("do it"); res.Text != "final" || d.visited("execute_todo") != 1 {
			t.Errorf("%q after %d todos", res.Text, d.visited("execute_todo"))
		}
		m.AssertDone(t)
	})
}

func TestNothingAskedEndsTheTurn(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(classified("end", "천만에요!"))
	if res := newDesk(t, m).must("고마워!"); res.Text != "천만에요!" {
		t.Errorf("answer %q", res.Text)
	}
	m.AssertDone(t)
}

func TestBadRepliesDoNotStopTheRun(t *testing.T) {
	t.Parallel()
	t.Run("classification", func(t *testing.T) {
		t.Parallel()
		m := llmtest.Script(llmtest.Text("hm"), llmtest.Text("hm"), llmtest.Text("hm"), llmtest.Text("The answer."))
		if res := newDesk(t, m).must("Q"); res.Text != "The answer." {
			t.Errorf("answer %q", res.Text)
		}
		m.AssertDone(t)
	})
	t.Run("model_without_schemas", func(t *testing.T) {
		t.Parallel()
		m := llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.BadRequest}), llmtest.Text("In words."))
		if res := newDesk(t, m).must("Q"); res.Text != "In words." {
			t.Errorf("answer %q", res.Text)
		}
		m.AssertDone(t)
	})
	t.Run("todos_and_final", func(t *testing.T) {
		t.Parallel()
		refuse := llmtest.Fail(&llm.Error{Class: llm.Refused})
		m := llmtest.Script(classified("hard", ""), refuse, llmtest.Text("did it"), refuse, refuse)
		d := newDesk(t, m)
		res := d.must("Q")
		if !strings.Contains(res.Text, "did it") || d.streamed() != res.Text {
			t.Errorf("answer %q, streamed %q", res.Text, d.streamed())
		}
		m.AssertDone(t)
	})
	t.Run("budget_ends_in_an_answer", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, llmtest.Script(classified("hard", ""), todos("a", "b"), llmtest.Text("result of a")))
		d.cfg.Budget.Calls = 3
		d.use(llmtest.Script(classified("hard", ""), todos("a", "b"), llmtest.Text("result of a")))
		if res := d.must("Q"); !strings.Contains(res.Text, "result of a") || !strings.Contains(res.Text, "한도를 다 썼어요") || strings.Contains(res.Text, "over_budget") {
			t.Errorf("answer %q", res.Text)
		}
	})
}

func TestModelFailures(t *testing.T) {
	t.Parallel()
	overloaded := llmtest.Fail(&llm.Error{Class: llm.Overloaded})
	t.Run("falls_back", func(t *testing.T) {
		t.Parallel()
		first := llmtest.Func(func(int, llm.Request) llmtest.Reply { return overloaded })
		second := llmtest.Script(classified("easy", ""), llmtest.Text("from the second"))
		d := newDesk(t, first, second)
		if res := d.must("Q"); res.Text != "from the second" {
			t.Errorf("answer %q", res.Text)
		}
		if n := first.Count(); n != 6 { // twice: the call and two retries
			t.Errorf("the first model was asked %d times", n)
		}
	})
	t.Run("fails_with_a_code", func(t *testing.T) {
		t.Parallel()
		_, err := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return overloaded })).ask("Q")
		var f *agent.Failure
		if !errors.As(err, &f) || f.Code != "model_busy" {
			t.Errorf("error %v", err)
		}
	})
}

func TestRunGoesOnAfterADeath(t *testing.T) {
	t.Parallel()
	replies := []llmtest.Reply{
		classified("hard", ""), todos("a", "b", "c"), llmtest.Text("A"), llmtest.Text("B"), llmtest.Text("C"),
		verdict("approved", ""), llmtest.Text("final"),
	}
	for dies := range replies {
		t.Run(fmt.Sprintf("at_call_%d", dies+1), func(t *testing.T) {
			t.Parallel()
			ctx, die := context.WithCancel(t.Context())
			before := llmtest.Func(func(n int, _ llm.Request) llmtest.Reply {
				if n == dies {
					die()
				}
				return replies[n]
			})
			d := newDesk(t, before)
			req := d.request("Q", "en")
			if _, err := d.agent.Run(ctx, req, d.sink); err == nil {
				t.Fatal("the run did not die")
			}
			after := llmtest.Script(replies[dies:]...)
			d.use(after)
			res, err := d.agent.Run(t.Context(), req, d.sink)
			if err != nil || res.Text != "final" {
				t.Fatalf("answer %q, %v", res.Text, err)
			}
			after.AssertDone(t)
			again, err := d.agent.Run(t.Context(), req, d.sink)
			if err != nil || again.Text != "final" {
				t.Errorf("asked again: %q, %v", again.Text, err)
			}
		})
	}
}

// probe counts its calls.
type probe struct {
	mu    sync.Mutex
	calls int
	spec  tool.Spec
}

func (p *probe) Spec() tool.Spec { return p.spec }

func (p *probe) Call(context.Context, tool.Call) (tool.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	return tool.Result{Text: "42"}, nil
}

func TestOnlyHarmlessToolsAreCalled(t *testing.T) {
	t.Parallel()
	safe := &probe{spec: tool.Spec{Name: "look", Description: "looks", Policy: tool.Policy{ReadOnly: true}}}
	wild := &probe{spec: tool.Spec{Name: "wipe", Description: "wipes"}}
	tools, err := tool.NewRegistry(safe, wild)
	if err != nil {
		t.Fatal(err)
	}
	m := llmtest.Script(classified("easy", ""), llmtest.CallTool("look", "{}").And("wipe", "{}"), llmtest.Text("It is 42."))
	d := newDesk(t, m)
	d.cfg.Tools = tools
	d.use(m)
	if res := d.must("What is it?"); res.Text != "It is 42." {
		t.Errorf("answer %q", res.Text)
	}
	if safe.calls != 1 || wild.calls != 0 {
		t.Errorf("look was called %d times, wipe %d times", safe.calls, wild.calls)
	}
	if offered := m.Requests()[1].Tools; len(offered) != 1 || offered[0].Name != "look" {
		t.Errorf("offered: %v", offered)
	}
}

// numbered gives the calls of each reply the same ids, as many endpoints do.
type numbered struct{ *llmtest.Scripted }

func (m numbered) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	resp, err := m.Scripted.Generate(ctx, req, onDelta)
	for i := range resp.Message.ToolCalls {
		resp.Message.ToolCalls[i].ID = fmt.Sprint("call_", i)
	}
	return resp, err
}

// TestCallsOfSeveralRoundsAreToldApart: no two calls of one prompt have the same id,
// whatever the endpoint called them.
func TestCallsOfSeveralRoundsAreToldApart(t *testing.T) {
	t.Parallel()
	tools, err := tool.NewRegistry(&probe{spec: tool.Spec{Name: "look", Description: "looks", Policy: tool.Policy{ReadOnly: true}}})
	if err != nil {
		t.Fatal(err)
	}
	m := numbered{llmtest.Script(classified("easy", ""), llmtest.CallTool("look", "{}"), llmtest.CallTool("look", "{}"), llmtest.Text("It is 42."))}
	d := newDesk(t, m)
	d.cfg.Tools = tools
	d.use(m)
	d.must("What is it?")
	asked, results := map[string]bool{}, 0
	for _, msg := range m.Requests()[3].Messages {
		for _, c := range msg.ToolCalls {
			if asked[c.ID] {
				t.Errorf("two calls have the id %q", c.ID)
			}
			asked[c.ID] = true
		}
		if msg.Role == llm.ToolRole {
			if results++; !asked[msg.ToolCallID] {
				t.Errorf("a result of %q, which nobody called", msg.ToolCallID)
			}
		}
	}
	if len(asked) != 2 || results != 2 {
		t.Errorf("%d calls, %d results", len(asked), results)
	}
}

// TestHalfAReplyIsTakenBack: what people saw of a reply that failed does not stay.
func TestHalfAReplyIsTakenBack(t *testing.T) {
	t.Parallel()
	half := llmtest.Reply{Text: "It is forty-", Err: &llm.Error{Class: llm.Refused}}
	for name, d := range map[string]*desk{
		"answer":   newDesk(t, llmtest.Script(classified("easy", ""), half)),
		"llm_call": newDesk(t, llmtest.Script(half)).team(line("t", `{"id":"n","node_type":"llm_call","config":{"prompt":"{{input}}","stream":true}}`)),
	} {
		if _, err := d.ask("What is it?"); err == nil || d.streamed() != "" {
			t.Errorf("%s: %q stays, %v", name, d.streamed(), err)
		}
	}
}

func TestStateIsJSON(t *testing.T) {
	t.Parallel()
	_, schema := autonomous.Types()
	want := []string{
		"input", "messages", "current_step", "last_output", "iteration", "max_iterations", "difficulty", "answer", "review_result",
		"review_feedback", "review_count", "todos", "current_todo_index", "final_answer", "completion_signal", "completion_detail",
		"error", "is_complete", "context_budget", "fallback", "memory_refs", "metadata",
	}
	have := map[string]bool{}
	for _, c := range schema.Channels() {
		have[c.Name] = true
	}
	for _, name := range want {
		if !have[name] {
			t.Errorf("the state has no %s", name)
		}
	}
	if _, err := json.Marshal(schema.Channels()); err != nil {
		t.Error(err)
	}
}
