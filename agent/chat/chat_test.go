package chat_test

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
	"maru/agent/chat"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/phrase"
	"maru/rag"
)

// papers is a library of a few passages that fit when they share a word with
// the question.
type papers []rag.Hit

func (p papers) Search(_ context.Context, q rag.Query) ([]rag.Hit, error) {
	var out []rag.Hit
	for _, h := range p {
		for _, w := range strings.Fields(q.Text) {
			fits := strings.Contains(h.Chunk.Text, strings.Trim(w, "?.!은는이가을를"))
			if (fits || q.Threshold < 0) && slices.Contains(q.Scopes, h.Document.Scope) {
				out = append(out, h)
				break
			}
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

var library = papers{
	{Chunk: rag.Chunk{ID: "d1#0", Text: "연차 휴가는 1년에 15일이다.", Heading: []string{"휴가"}}, Document: rag.Document{ID: "d1", Title: "취업규칙", Scope: "public"}, Score: .9},
	{Chunk: rag.Chunk{ID: "d2#0", Text: "연차 미사용분은 수당으로 받는다.", Page: 3}, Document: rag.Document{ID: "d2", Title: "급여규정", Scope: "public"}, Score: .7},
	{Chunk: rag.Chunk{ID: "d3#0", Text: "연차 비밀 규정."}, Document: rag.Document{ID: "d3", Title: "비밀", Scope: "channel:x"}, Score: .8},
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
	agent *chat.Agent
	turn  int
}

func newDesk(t *testing.T, model llm.Model) *desk {
	t.Helper()
	d := &desk{t: t, log: graph.NewMemory(), tool: &double{}}
	d.restart(model)
	return d
}

// restart makes a new agent on the same log, as after the process died.
func (d *desk) restart(model llm.Model) {
	d.t.Helper()
	tools, err := tool.NewRegistry(d.tool)
	if err != nil {
		d.t.Fatal(err)
	}
	d.model = llm.Metered(model, time.Now)
	d.agent, err = chat.New(chat.Config{
		Model: d.model, Documents: library, Tools: tools,
		Runtime: graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true}),
	})
	if err != nil {
		d.t.Fatal(err)
	}
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

func TestPlainChatTakesTwoModelCalls(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.Text("안녕하세요!"))
	d := newDesk(t, m)
	res, events := d.ask(d.request("안녕"))
	if res.Text != "안녕하세요!" || streamed(events) != "안녕하세요!" {
		t.Errorf("answer %q, streamed %q", res.Text, streamed(events))
	}
	if n := modelCalls(events); n != 2 || res.Usage.Calls != 2 {
		t.Errorf("%d model calls in the trace, %d in the usage; want 2", n, res.Usage.Calls)
	}
}

func TestDocumentQuestionCitesItsPassages(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("rag"), llmtest.Text("연차는 15일이에요 [1]. 수당도 있어요 [2][7]."))
	d := newDesk(t, m)
	res, events := d.ask(d.request("연차는 며칠이야?"))
	if strings.Contains(res.Text, "[7]") {
		t.Errorf("the invented citation stays: %q", res.Text)
	}
	if len(res.Sources) != 2 || res.Sources[0].Title != "취업규칙" || res.Sources[1].Page != 3 {
		t.Errorf("sources: %+v", res.Sources)
	}
	if n := modelCalls(events); n != 2 {
		t.Errorf("%d model calls, want 2", n)
	}
	prompt := m.Requests()[1]
	system := prompt.Messages[0].Content
	if !strings.Contains(system, "[1] 취업규칙") || !strings.Contains(system, "15일") || strings.Contains(system, "비밀") {
		t.Errorf("system prompt: %s", system)
	}
	if len(prompt.Tools) != 0 {
		t.Error("a document question offers tools")
	}
}

func TestNothingFoundIsSaidWithoutAModel(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("rag"))
	d := newDesk(t, m)
	res, events := d.ask(d.request("주차장 요금?"))
	if !strings.Contains(res.Text, "문서에는 그 내용이 없어요") || len(res.Sources) != 0 {
		t.Errorf("answer: %q", res.Text)
	}
	if n := modelCalls(events); n != 1 {
		t.Errorf("%d model calls, want 1", n)
	}
}

func TestToolsRunSideBySideInThreeCalls(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":2}`).And("double", `{"n":5}`), llmtest.Text("4와 10이에요."))
	d := newDesk(t, m)
	res, events := d.ask(d.request("2와 5를 두 배로"))
	if res.Text != "4와 10이에요." || modelCalls(events) != 3 || d.tool.calls != 2 {
		t.Errorf("answer %q, %d model calls, %d tool calls", res.Text, modelCalls(events), d.tool.calls)
	}
	last := m.Requests()[2].Messages
	results := last[len(last)-2:]
	if results[0].Content != "4" || results[1].Content != "10" || results[0].ToolCallID == results[1].ToolCallID {
		t.Errorf("results: %+v", results)
	}
}

func TestToolTroubleIsAnObservation(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		call llmtest.Reply
		fail error
		want string
	}{
		"tool_fails":    {llmtest.CallTool("double", `{"n":2}`), &tool.Error{Code: "unavailable", Model: "the service sleeps"}, "the service sleeps"},
		"bad_arguments": {llmtest.CallTool("double", `{"n":"two"}`), nil, "bad_argument"},
		"unknown_tool":  {llmtest.CallTool("duoble", `{"n":2}`), nil, "double"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(route("agent"), c.call, llmtest.Text("할 수 없었어요."))
			d := newDesk(t, m)
			d.tool.fail = c.fail
			res, _ := d.ask(d.request("두 배로"))
			last := m.Requests()[2].Messages
			if got := last[len(last)-1].Content; !strings.Contains(got, c.want) || res.Text != "할 수 없었어요." {
				t.Errorf("the model read %q, the person %q", got, res.Text)
			}
		})
	}
}

func TestEndlessToolCallsEnd(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
		switch {
		case req.Purpose == llm.ForRoute:
			return route("agent")
		case req.ToolChoice == "none":
			return llmtest.Text("여기까지예요.")
		}
		return llmtest.CallTool("double", fmt.Sprintf(`{"n":%d}`, n))
	})
	d := newDesk(t, m)
	res, _ := d.ask(d.request("계속"))
	if res.Text != "여기까지예요." || d.tool.calls != 5 {
		t.Errorf("answer %q after %d tool calls", res.Text, d.tool.calls)
	}
}

func TestSameCallRunsOnce(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":2}`), llmtest.CallTool("double", `{"n":2}`), llmtest.Text("4"))
	d := newDesk(t, m)
	d.ask(d.request("2를 두 배로"))
	if d.tool.calls != 1 {
		t.Errorf("%d calls, want 1", d.tool.calls)
	}
}

func TestToolsThatNeedAYesAreNeitherOfferedNorCalled(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":2}`))
	d := newDesk(t, m)
	d.tool.asks = true
	d.restart(m)
	if d.ask(d.request("2를 두 배로")); d.tool.calls != 0 {
		t.Errorf("%d calls without a yes", d.tool.calls)
	}
	if offered := m.Requests()[1].Tools; len(offered) != 0 {
		t.Errorf("offered %v", offered)
	}
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

func TestWindowSlides(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	for turn := 1; turn <= 20; turn++ {
		_, events := d.ask(d.request(fmt.Sprintf("말 %d", turn)))
		most := 2
		if strings.Contains(fmt.Sprint(purposes(events)), "summary") {
			most = 3
		}
		if n := modelCalls(events); n > most {
			t.Fatalf("turn %d: %d model calls, at most %d", turn, n, most)
		}
		if n := len(lastPrompt(m).Messages) - 1; n > 10 {
			t.Fatalf("turn %d: %d messages in the prompt", turn, n)
		}
	}
	system := lastPrompt(m).Messages[0].Content
	if !strings.Contains(system, "1. 요약 3\n2. 요약 4\n3. 요약 5") || strings.Contains(system, "요약 2") {
		t.Errorf("the prompt shows the wrong summaries:\n%s", system)
	}
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

func TestFailedSummaryLosesNothing(t *testing.T) {
	t.Parallel()
	failing := true
	m := talker(func() bool { return failing })
	d := newDesk(t, m)
	for turn := 1; turn <= 7; turn++ {
		d.ask(d.request(fmt.Sprintf("말 %d", turn)))
	}
	if n := len(lastPrompt(m).Messages) - 1; n != 13 {
		t.Errorf("%d messages in the prompt, want all 13", n)
	}
	failing = false
	d.ask(d.request("말 8"))
	prompt := lastPrompt(m)
	if n := len(prompt.Messages) - 1; n != 5 || !strings.Contains(prompt.Messages[0].Content, "1. 요약 1") {
		t.Errorf("after the model is back: %d messages, %s", n, prompt.Messages[0].Content)
	}
}

func TestThreadSurvivesRestart(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker(nil))
	d.ask(d.request("내 이름은 철수야"))
	m := talker(nil)
	d.restart(m)
	d.ask(d.request("내 이름이 뭐라고 했지?"))
	var said []string
	for _, msg := range lastPrompt(m).Messages[1:] {
		said = append(said, msg.Content)
	}
	if got := strings.Join(said, "|"); got != "내 이름은 철수야|네.|내 이름이 뭐라고 했지?" {
		t.Errorf("the model is shown %s", got)
	}
}

func TestSameRunAgainCostsNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker(nil))
	req := d.request("안녕")
	first, _ := d.ask(req)
	m := talker(nil)
	d.restart(m)
	again, events := d.ask(req)
	if again.Text != first.Text || m.Count() != 0 || modelCalls(events) != 0 {
		t.Errorf("again %q with %d model calls", again.Text, m.Count())
	}
}

func TestRunGoesOnWhereItFailed(t *testing.T) {
	t.Parallel()
	down := &llm.Error{Class: llm.Overloaded}
	d := newDesk(t, llmtest.Script(route("agent"), llmtest.Fail(down)))
	req := d.request("안녕")
	_, _, err := d.try(req)
	var f *agent.Failure
	if !errors.As(err, &f) || f.Code != "model_busy" {
		t.Fatalf("error is %v", err)
	}
	m := llmtest.Script(llmtest.Text("다시 왔어요.")) // no second routing
	d.restart(m)
	res, _ := d.ask(req)
	if res.Text != "다시 왔어요." {
		t.Errorf("answer: %q", res.Text)
	}
	m.AssertDone(t)
}

func TestStoppedToolCallDoesNotSpoilTheNextPrompt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":1}`), llmtest.Fail(&llm.Error{Class: llm.Overloaded})))
	if _, _, err := d.try(d.request("하나")); err == nil {
		t.Fatal("want an error")
	}
	m := talker(nil)
	d.restart(m)
	d.ask(d.request("둘"))
	open := map[string]bool{}
	for _, msg := range lastPrompt(m).Messages {
		for _, c := range msg.ToolCalls {
			open[c.ID] = true
		}
		delete(open, msg.ToolCallID)
	}
	if len(open) != 0 {
		t.Errorf("calls without results: %v", open)
	}
}

func TestUndecidedRouterFallsBackToRetrieval(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ ask, want string }{
		"passages_fit":    {"연차는 며칠이야?", "[1]"},
		"no_passage_fits": {"안녕", "안녕하세요 [1]"}, // no passages: nothing is a citation
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
				llm.ForRoute:  func(llm.Request) llmtest.Reply { return llmtest.Text("I would say documents") },
				llm.ForRepair: func(llm.Request) llmtest.Reply { return llmtest.Text("sorry") },
				llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("안녕하세요 [1]") },
			})
			d := newDesk(t, m)
			res, _ := d.ask(d.request(c.ask))
			if !strings.Contains(res.Text, c.want) || m.Count(llm.ForRepair) != 2 {
				t.Errorf("answer %q after %d repairs", res.Text, m.Count(llm.ForRepair))
			}
		})
	}
}

func TestJoiningAThreadShowsWhatWasSaid(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	req := d.request("요약해 줘")
	req.Context = []agent.Turn{{Author: "kim", Text: "금요일에 배포해요"}, {Own: true, Text: "네"}}
	d.ask(req)
	msgs := lastPrompt(m).Messages
	if len(msgs) != 4 || msgs[1].Content != "kim: 금요일에 배포해요" || msgs[2].Role != llm.Assistant {
		t.Errorf("messages: %+v", msgs)
	}
}

func TestDeletedMessageLeavesEverything(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	d.ask(d.request("비밀번호는 1234야"))
	if err := d.agent.Amend(t.Context(), "t/1/c/x", "msg1", "", true); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("안녕"))
	for _, msg := range lastPrompt(m).Messages {
		if strings.Contains(msg.Content, "1234") {
			t.Errorf("the prompt still says %q", msg.Content)
		}
	}
	records, err := d.log.History(t.Context(), "t/1/c/x#chat", "", 1, 1<<30, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if strings.Contains(string(r.Body), "1234") {
			t.Errorf("record %d (%s) still holds it", r.Seq, r.Kind)
		}
	}
}

func TestEditedMessageIsKnownByItsNewText(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	d.ask(d.request("회의는 3시야"))
	if err := d.agent.Amend(t.Context(), "t/1/c/x", "msg1", "회의는 4시야", false); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("언제?"))
	if got := lastPrompt(m).Messages[1].Content; got != "회의는 4시야" {
		t.Errorf("the model is shown %q", got)
	}
}

// A question that is edited while it is answered is another turn on the same
// message: what its first wording led to is in no prompt and not in the log.
func TestReworded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":1234}`), llmtest.Fail(&llm.Error{Class: llm.Overloaded})))
	req := d.request("1234의 두 배")
	if _, _, err := d.try(req); err == nil {
		t.Fatal("want an error")
	}
	m := talker(nil)
	d.restart(m)
	if err := d.agent.Amend(t.Context(), req.Thread, req.Message, "", true); err != nil {
		t.Fatal(err)
	}
	req.Run, req.Text = req.Run+".b", "안녕"
	d.ask(req)
	d.ask(d.request("그리고?"))
	prompt := lastPrompt(m).Messages
	for _, msg := range prompt {
		if strings.Contains(msg.Content, "1234") || strings.Contains(msg.Content, "2468") || len(msg.ToolCalls) > 0 {
			t.Errorf("the prompt still says %q", msg.Content)
		}
	}
	if n := strings.Count(fmt.Sprint(prompt), "안녕"); n != 1 {
		t.Errorf("the new words stand there %d times", n)
	}
}

func TestForgottenThreadIsNew(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	d.ask(d.request("내 이름은 철수야"))
	if err := d.agent.Forget(t.Context(), "t/1/c/x"); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("안녕"))
	if n := len(lastPrompt(m).Messages); n != 2 {
		t.Errorf("%d messages in the prompt, want system and question", n)
	}
}

func TestDeletedMessageTakesItsSummaryAlong(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	for range 6 {
		d.ask(d.request("말"))
	}
	if system := lastPrompt(m).Messages[0].Content; !strings.Contains(system, "요약 1") {
		t.Fatal("nothing was summarised yet")
	}
	if err := d.agent.Amend(t.Context(), "t/1/c/x", "msg1", "", true); err != nil {
		t.Fatal(err)
	}
	d.ask(d.request("안녕"))
	if system := lastPrompt(m).Messages[0].Content; strings.Contains(system, "요약 1") {
		t.Error("the summary of a deleted message stays")
	}
}
