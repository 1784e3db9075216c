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
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/rag"
)

// desk is an agent with its parts at hand.
type desk struct {
	t     *testing.T
	log   *graph.Memory
	cfg   autonomous.Config
	agent *autonomous.Agent
	turn  int

	mu     sync.Mutex
	events []agent.Event
}

func newDesk(t *testing.T, models ...llm.Model) *desk {
	t.Helper()
	d := &desk{t: t, log: graph.NewMemory(), cfg: autonomous.Config{Backoff: time.Nanosecond, Random: func() float64 { return 0 }}}
	d.use(models...)
	return d
}

// use makes a new agent on the same log, as after the process died.
func (d *desk) use(models ...llm.Model) {
	d.t.Helper()
	d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true})
	d.cfg.Model, d.cfg.Fallbacks = llm.Metered(models[0], time.Now), nil
	for _, m := range models[1:] {
		d.cfg.Fallbacks = append(d.cfg.Fallbacks, llm.Metered(m, time.Now))
	}
	var err error
	if d.agent, err = autonomous.New(d.cfg); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) request(text, language string) agent.Request {
	d.turn++
	return agent.Request{
		Run: fmt.Sprintf("run%d", d.turn), Message: fmt.Sprintf("m%d", d.turn), Thread: "thread", Text: text, Language: language,
		User: agent.User{ID: "u1", Name: "지수"}, Now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Scopes: []string{"public"}, Home: "public",
	}
}

func (d *desk) sink(e agent.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

func (d *desk) ask(text string) (agent.Result, error) {
	d.t.Helper()
	return d.agent.Run(d.t.Context(), d.request(text, "ko"), d.sink)
}

func (d *desk) must(text string) agent.Result {
	d.t.Helper()
	res, err := d.ask(text)
	if err != nil {
		d.t.Fatal(err)
	}
	return res
}

// streamed is what a person saw grow last.
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

// visited counts how often a node ran.
func (d *desk) visited(node string) int {
	n := 0
	for _, e := range d.events {
		if e.Kind == agent.EventNodeStart && e.Node == node {
			n++
		}
	}
	return n
}

func classified(as, reply string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"difficulty": as, "reason": "test", "reply": reply})
}

func verdict(v, feedback string) llmtest.Reply {
	return llmtest.JSON(map[string]string{"verdict": v, "feedback": feedback})
}

func todos(titles ...string) llmtest.Reply {
	list := []map[string]string{}
	for _, t := range titles {
		list = append(list, map[string]string{"title": t, "detail": "do " + t})
	}
	return llmtest.JSON(map[string]any{"todos": list})
}

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
		if res := d.must("Q"); !strings.Contains(res.Text, "result of a") || !strings.Contains(res.Text, "over_budget") {
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

// past is a memory that knows one thing and keeps turns.
type past struct {
	mu   sync.Mutex
	kept map[string]workflow.Transcript
	fail error
}

func (p *past) Recall(_ context.Context, q workflow.Recall) ([]workflow.MemoryRef, error) {
	if p.fail != nil {
		return nil, p.fail
	}
	return []workflow.MemoryRef{{Filename: "team.md", Text: "old"}, {Filename: "team.md", Text: "The team has " + q.Scopes[0] + " rules."}}, nil
}

func (p *past) Record(_ context.Context, t workflow.Transcript) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return p.fail
	}
	p.kept[t.Run] = t
	return nil
}

type papers []rag.Hit

func (p papers) Search(context.Context, rag.Query) ([]rag.Hit, error) { return p, nil }

func TestMemoryAndDocuments(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(classified("easy", ""), llmtest.Text("15 days [1], says the rule [7]."))
	d := newDesk(t, m)
	mem := &past{kept: map[string]workflow.Transcript{}}
	d.cfg.Memory = mem
	d.cfg.Documents = papers{{Chunk: rag.Chunk{ID: "d#0", Text: "Leave is 15 days."}, Document: rag.Document{ID: "d", Title: "Rules"}, Score: .9}}
	d.use(m)
	res := d.must("How long is leave?")
	if res.Text != "15 days [1], says the rule." && !strings.Contains(res.Text, "15 days [1]") || strings.Contains(res.Text, "[7]") {
		t.Errorf("answer %q", res.Text)
	}
	if len(res.Sources) != 1 || res.Sources[0].Title != "Rules" {
		t.Errorf("sources %v", res.Sources)
	}
	system := m.Requests()[1].Messages[0].Content
	if !strings.Contains(system, "The team has public rules.") || strings.Contains(system, "old") || !strings.Contains(system, "Leave is 15 days.") {
		t.Errorf("prompt: %s", system)
	}
	if kept := mem.kept["run1"]; kept.Answer != res.Text || kept.Input != "How long is leave?" || kept.Difficulty != "easy" {
		t.Errorf("kept %+v", kept)
	}

	mem.fail = errors.New("away")
	d.use(llmtest.Script(classified("easy", ""), llmtest.Text("Still here.")))
	if res := d.must("And now?"); res.Text != "Still here." {
		t.Errorf("without memory: %q", res.Text)
	}
}

func TestLongConversationsAreCompacted(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		switch r.Purpose {
		case llm.ForRoute:
			return classified("easy", "")
		case llm.ForSummary:
			return llmtest.Text("SUMMARY")
		}
		return llmtest.Text(strings.Repeat("word ", 200))
	})
	d := newDesk(t, m)
	d.cfg.Window = 2400
	d.use(m)
	guard := workflow.NewGuard(2400)
	for i := range 12 {
		d.must(fmt.Sprintf("question %d %s", i, strings.Repeat("and more ", 50)))
	}
	if m.Count(llm.ForSummary) == 0 {
		t.Error("nothing was summarised")
	}
	for i, r := range m.Requests() {
		if n := guard.CountMessages(r.Messages); n > guard.Room()+20 {
			t.Errorf("call %d has %d tokens, room is %d", i, n, guard.Room())
		}
	}
	last := m.Requests()[m.Count()-1].Messages[0].Content
	if !strings.Contains(last, "SUMMARY") {
		t.Errorf("the summary is not shown: %s", last)
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
