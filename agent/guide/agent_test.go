package guide_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
	"maru/memory/longterm"
	"maru/memory/sqlitestore"
)

const goal = "요리 유튜브 채널을 시작하고 싶어요. 영상도 찍고 썸네일도 만들어야 해요. 무료만 쓸게요."

func TestDefinitionIsWithoutFaultAndDrawn(t *testing.T) {
	t.Parallel()
	d, err := guide.Definition()
	if err != nil {
		t.Fatal(err)
	}
	types, schema, err := guide.Types()
	if err != nil {
		t.Fatal(err)
	}
	if found := workflow.Check(d, types, schema, nil); len(found) > 0 {
		t.Error(found)
	}
	file := filepath.Join("testdata", "guide.mmd")
	if os.Getenv("MARU_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(workflow.Mermaid(d)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || workflow.Mermaid(d) != string(want) {
		t.Errorf("%s is not current (%v); MARU_UPDATE=1 writes it", file, err)
	}
}

func TestPlainQuestionGoesStraightToTheAnswer(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(false), llmtest.Text("Pro는 월 15달러예요 [1]."))
	d := newDesk(t, m)
	res := d.must(d.request("Canva는 얼마야?", "ko"))
	if d.path() != "llm_router answer" || len(res.Sources) != 1 || res.Sources[0].Title != "Canva" || !strings.Contains(res.Sources[0].Quote, "2025-06 기준") {
		t.Errorf("went %s: %+v", d.path(), res)
	}
	if d.streamed() != res.Text {
		t.Errorf("people saw %q, the answer is %q", d.streamed(), res.Text)
	}
	m.AssertDone(t)
}

// TestComplexTask follows a task to its guide: it asks before anything is looked
// for, and says what was shown.
func TestComplexTask(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(
		task(true), plan("영상 편집", "썸네일 만들기"),
	)
	d := newDesk(t, m)
	d.cfg.Memory = diary{[]string{"혼자 일해요"}}
	d.use(m)
	r := d.request(goal, "ko")
	waits := d.must(r)
	if d.path() != "llm_router planning_node recommend_tool_node" {
		t.Errorf("went %s", d.path())
	}
	ask := asked(t, waits)
	if steps(ask) != "영상 편집; 썸네일 만들기" || waits.Interrupts[0].Kind != "plan" || len(ask.Actions) != 3 || ask.Effect != agent.EffectReads {
		t.Errorf("asked %+v", ask)
	}
	if len(ask.Notes) == 0 || !strings.Contains(ask.Notes[0], "혼자 일해요") {
		t.Errorf("the question does not say what was remembered: %v", ask.Notes)
	}
	m.AssertDone(t)

	m = llmtest.Script(
		llmtest.CallTool("retrieve_docs", `{"query":"영상 편집"}`).And("retrieve_docs", `{"query":"썸네일 디자인"}`).And("read_memory", `{"query":"가격"}`),
		llmtest.Text("다 찾았어요."),
		choose("DaVinci Resolve", "Canva"),
		llmtest.Text("## 1. 영상 편집\nDaVinci Resolve를 켜요. 짧은 영상이 늘고 있어요 [1].\n## 2. 썸네일\nCanva를 열어요."),
		reflection(map[string]string{"type": "like", "subject": "price", "value": "only free services", "quote": "무료만 쓸게요"},
			map[string]string{"type": "fact", "subject": "trend", "value": "short video grows", "quote": "짧은 영상의 시청 시간"}),
	)
	d.use(m)
	res, err := d.decide(r, waits, agent.Reply{Action: agent.VerbAccept})
	if err != nil {
		t.Fatal(err)
	}
	if d.path() != "recommend_tool_node tool_executor recommend_tool_node guide_generation_node reflection_node" {
		t.Errorf("went %s", d.path())
	}
	for _, want := range []string{"DaVinci Resolve를 켜요", "| 영상 편집 | [DaVinci Resolve](https://www.blackmagicdesign.com", "295달러", "| 썸네일 만들기 | [Canva](", "2025-06 기준"} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("the guide lacks %q:\n%s", want, res.Text)
		}
	}
	if d.streamed() != res.Text {
		t.Errorf("people saw %q", d.streamed())
	}
	if len(res.Sources) != 1 || res.Sources[0].Page != 12 {
		t.Errorf("sources %+v", res.Sources)
	}
	// Only what stands in the person's own words becomes memory.
	var lesson longterm.PreferenceLesson
	if len(res.Lessons) != 1 || res.Lessons[0].Kind != string(longterm.KindPreference) ||
		json.Unmarshal(res.Lessons[0].Data, &lesson) != nil || lesson.Quote != "무료만 쓸게요" {
		t.Errorf("lessons %s", res.Lessons)
	}
	m.AssertDone(t)
	var shown agent.Plan
	for _, e := range d.events {
		if e.Kind == agent.EventPlan {
			if err := json.Unmarshal(e.Data, &shown); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(shown.Steps) != 2 || shown.Steps[0].State != agent.StepDone || shown.Steps[0].Detail != "DaVinci Resolve" {
		t.Errorf("the plan ends as %+v", shown)
	}
}

func TestWordsLeadToAnotherPlan(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집", "썸네일 만들기"), plan("블로그 열기"), choose())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	first := d.must(r)
	second, err := d.decide(r, first, agent.Reply{Action: agent.VerbEdit, Text: "영상 말고 블로그로 해줘"})
	if err != nil {
		t.Fatal(err)
	}
	if ask := asked(t, second); steps(ask) != "블로그 열기" || !strings.Contains(strings.Join(ask.Notes, " "), "영상 말고 블로그로 해줘") {
		t.Errorf("asked %+v", ask)
	}
	if second.Interrupts[0].ID == first.Interrupts[0].ID {
		t.Error("the second question has the id of the first")
	}
	if p := m.Requests()[2].Messages[0].Content; !strings.Contains(p, "영상 말고 블로그로 해줘") || !strings.Contains(p, "1. 영상 편집") {
		t.Errorf("planned again with %s", p)
	}
	// A decision on the question that is gone changes nothing.
	if _, err := d.decide(r, first, agent.Reply{Action: agent.VerbAccept}); err != nil && !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Errorf("error %v", err)
	}
	if d.path() != "" {
		t.Errorf("a stale decision ran %s", d.path())
	}
}

func TestEditByHandContinuesAsIfPlanned(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]agent.Reply{
		"form":          {Action: agent.VerbEdit, Values: map[string]string{"sub_tasks": "1. 영상 편집\n- 뉴스레터 보내기\n", "feedback": ""}},
		"form_and_word": {Action: agent.VerbEdit, Values: map[string]string{"sub_tasks": "영상 편집\n뉴스레터 보내기", "feedback": "짧게요"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Script(task(true), plan("영상 편집", "썸네일 만들기")))
			r := d.request(goal, "ko")
			waits := d.must(r)
			m := llmtest.Script(llmtest.Text("없음"), choose("DaVinci Resolve", "Stibee"), llmtest.Text("이렇게 해요."), reflection())
			d.use(m)
			res, err := d.decide(r, waits, reply)
			if err != nil {
				t.Fatal(err)
			}
			if d.path() != "recommend_tool_node guide_generation_node reflection_node" || !strings.Contains(res.Text, "| 뉴스레터 보내기 | [Stibee]") || strings.Contains(res.Text, "썸네일") {
				t.Errorf("went %s: %s", d.path(), res.Text)
			}
			if p := m.Requests()[0].Messages[0].Content; !strings.Contains(p, "1. 영상 편집: 결과물") || !strings.Contains(p, "2. 뉴스레터 보내기") {
				t.Errorf("looked for services with %s", p)
			}
			// The decision again, as after a crash: the run is over and stays.
			again, err := d.decide(r, waits, reply)
			if err != nil || again.Text != res.Text || d.path() != "" {
				t.Errorf("again: %v, went %s", err, d.path())
			}
		})
	}
}

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

func TestReplanningIsBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		switch r.Purpose {
		case llm.ForRoute:
			return task(true)
		case llm.ForPlan:
			return plan("영상 편집")
		}
		return reflection()
	}))
	r := d.request(goal, "ko")
	res := d.must(r)
	for i := 0; len(res.Interrupts) > 0; i++ {
		if i > 10 {
			t.Fatal("it asks for ever")
		}
		var err error
		if res, err = d.decide(r, res, agent.Reply{Action: agent.VerbEdit, Text: "아니, 다르게"}); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(res.Text, "새 메시지로") {
		t.Errorf("it ends with %s", res.Text)
	}
}

func TestToolRoundsAreBounded(t *testing.T) {
	t.Parallel()
	n := 0
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		switch {
		case r.Purpose == llm.ForRoute:
			return task(true)
		case r.Purpose == llm.ForPlan && r.Schema != nil:
			return plan("영상 편집")
		case r.Purpose == llm.ForPlan:
			n++
			return llmtest.CallTool("retrieve_docs", `{"query":"영상 `+strings.Repeat("편집 ", n)+`"}`)
		case r.Schema != nil && r.Schema.Name == "guide_recommendations":
			return choose("CapCut")
		case r.Schema != nil:
			return reflection()
		}
		return llmtest.Text("해요.")
	})
	d := newDesk(t, m)
	d.cfg.MaxRounds = 3
	d.use(m)
	r := d.request(goal, "ko")
	r.Approvals.Plan = false // people do not want to be asked: nothing is
	res := d.must(r)
	if len(res.Interrupts) > 0 || strings.Count(d.path(), "tool_executor") != 3 || !strings.Contains(res.Text, "CapCut") {
		t.Errorf("went %s: %s", d.path(), res.Text)
	}
}

// TestInventedServicesAndPricesStayOut: what nothing returned is not
// recommended; what the web returned is, without a price.
func TestInventedServicesAndPricesStayOut(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집", "뉴스레터 보내기", "반려견 훈련"),
		llmtest.CallTool("google_search", `{"query":"new video editor"}`), llmtest.Text(""),
		choose("NovaCut", "MegaMail 9000", ""), llmtest.Fail(&llm.Error{Class: llm.ContentFilter}), reflection())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	r.Approvals.Plan = false
	res := d.must(r)
	for _, want := range []string{"| 영상 편집 | NovaCut | 확인하지 못했어요 |", "| 뉴스레터 보내기 | [", "| 반려견 훈련 | — | — |", "꼭 맞는 것이 없어요"} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("the guide lacks %q:\n%s", want, res.Text)
		}
	}
	if strings.Contains(res.Text, "MegaMail") {
		t.Errorf("an invented service is recommended:\n%s", res.Text)
	}
}

func TestModelCannotWriteOthersWordsToMemory(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"),
		llmtest.CallTool("write_memory", `{"type":"like","subject":"price","value":"free","quote":"무료만 쓸게요"}`).
			And("write_memory", `{"type":"fact","subject":"role","value":"admin","quote":"나는 관리자다"}`).
			And("write_memory", `{"type":"fact","subject":"x","value":"y","quote":"요"}`),
		llmtest.Text(""), choose("CapCut"), llmtest.Text("해요."), reflection())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	r.Approvals.Plan = false
	res := d.must(r)
	if len(res.Lessons) != 1 || !strings.Contains(string(res.Lessons[0].Data), "무료만 쓸게요") {
		t.Errorf("lessons %s", res.Lessons)
	}
	var results []string
	for _, msg := range m.Requests()[3].Messages {
		if msg.Role == llm.ToolRole {
			results = append(results, msg.Content)
		}
	}
	if len(results) != 3 || results[0] != "noted." || !strings.HasPrefix(results[1], "error (refused)") || !strings.HasPrefix(results[2], "error (") {
		t.Errorf("results %q", results)
	}
}

func TestMissingServiceIsNoted(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"), llmtest.Text(""), choose("CapCut"), llmtest.Text("해요."),
		llmtest.JSON(map[string]any{"preferences": []any{}, "feedback": []any{}, "missing_tools": []any{
			map[string]string{"name": "NovaCut", "quote": "NovaCut으로"}, map[string]string{"name": "Canva", "quote": "요리 유튜브"}, map[string]string{"name": "Ghost", "quote": "never said"},
		}}))
	d := newDesk(t, m)
	r := d.request("요리 유튜브를 NovaCut으로 시작하고 싶어요", "ko")
	r.Approvals.Plan = false
	res := d.must(r)
	var gap []string
	for _, e := range d.events {
		if e.Name == "knowledge_gap" {
			if err := json.Unmarshal(e.Data, &gap); err != nil {
				t.Fatal(err)
			}
		}
	}
	if strings.Join(gap, " ") != "NovaCut" || len(res.Lessons) != 1 {
		t.Errorf("gap %v, lessons %s", gap, res.Lessons)
	}
}

// TestRestartAcrossTheQuestion kills the process while people think and while
// services are looked for, on SQLite.
func TestRestartAcrossTheQuestion(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "maru.db")
	open := func() *sqlitestore.Store {
		s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: file})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	store := open()
	d := newDesk(t, llmtest.Script())
	restart := func(m llm.Model) {
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		store = open()
		d.log = store
		d.use(m)
	}
	t.Cleanup(func() { _ = store.Close() })
	restart(llmtest.Script(task(true), plan("영상 편집", "썸네일 만들기")))
	r := d.request(goal, "ko")
	waits := d.must(r)

	restart(llmtest.Script()) // asked again after the restart, the run waits on the same question
	if again := d.must(r); again.Interrupts[0].ID != waits.Interrupts[0].ID {
		t.Error("another question")
	}
	down := llmtest.Fail(&llm.Error{Class: llm.Network})
	restart(llmtest.Func(func(n int, _ llm.Request) llmtest.Reply {
		if n == 0 {
			return llmtest.CallTool("retrieve_docs", `{"query":"영상 편집"}`)
		}
		return down
	}))
	if _, err := d.decide(r, waits, agent.Reply{Action: agent.VerbAccept}); err == nil {
		t.Fatal("a model that is away answers")
	}
	m := llmtest.Script(llmtest.Text(""), choose("CapCut", "Canva"), llmtest.Text("해요."), reflection())
	restart(m)
	res, err := d.decide(r, waits, agent.Reply{Action: agent.VerbAccept}) // the decision is given again: it counts once
	if err != nil || !strings.Contains(res.Text, "CapCut") || strings.Contains(d.path(), "tool_executor") {
		t.Errorf("%v, went %s: %s", err, d.path(), res.Text)
	}
	m.AssertDone(t)
	restart(llmtest.Script())
	if again, err := d.decide(r, waits, agent.Reply{Action: agent.VerbAccept}); err != nil || again.Text != res.Text {
		t.Errorf("%v: %s", err, again.Text)
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

// TestMemoryThatIsOff learns and uses nothing.
func TestMemoryThatIsOff(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"),
		llmtest.CallTool("write_memory", `{"type":"like","subject":"price","value":"free","quote":"무료만 쓸게요"}`),
		llmtest.Text(""), choose("CapCut"), llmtest.Text("해요."))
	d := newDesk(t, m)
	d.cfg.Memory = diary{[]string{"혼자 일해요"}}
	d.use(m)
	r := d.request(goal, "ko")
	r.NoMemory, r.Approvals.Plan = true, false
	res := d.must(r)
	for _, q := range m.Requests() {
		if strings.Contains(q.Messages[0].Content, "혼자 일해요") {
			t.Error("a memory that is off is shown")
		}
	}
	if len(res.Lessons) > 0 {
		t.Errorf("lessons %s", res.Lessons)
	}
	m.AssertDone(t)
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

// TestBuiltInModel is what a newcomer gets without an endpoint, in both
// languages.
func TestBuiltInModel(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	d.cfg.Documents = nil
	d.use(extractive.New())
	for _, c := range []struct {
		ask, language, plan string
		want                []string
	}{
		{"쇼핑몰 열고 광고 만들고 뉴스레터 보내고 싶어요", "ko", "쇼핑몰 열기; 광고 만들기; 뉴스레터 보내기", []string{"### 이렇게 진행해 보세요", "| 뉴스레터 보내"}},
		{"I want to open an online shop, design a logo and send a newsletter", "en", "open an online shop; design a logo; send a newsletter", []string{"How to go about it", "Shopify", "| design a logo | ["}},
	} {
		r := d.request(c.ask, c.language)
		waits := d.must(r)
		if got := steps(asked(t, waits)); got != c.plan {
			t.Errorf("%s: asked about %s", c.ask, got)
		}
		res, err := d.decide(r, waits, agent.Reply{Action: agent.VerbAccept})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(res.Text, want) {
				t.Errorf("%s: the guide lacks %q:\n%s", c.ask, want, res.Text)
			}
		}
		if d.streamed() != res.Text {
			t.Errorf("people saw %q", d.streamed())
		}
	}
	for ask, want := range map[string]string{"Canva는 뭐 하는 서비스야?": "디자인 도구", "What is Zapier for?": "automate"} {
		language := "en"
		if want == "디자인 도구" {
			language = "ko"
		}
		if res := d.must(d.request(ask, language)); !strings.Contains(res.Text, want) || len(res.Sources) == 0 {
			t.Errorf("%s: %s", ask, res.Text)
		}
	}
}

func TestEnglish(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(task(true), plan("edit the video")))
	r := d.request("I want to start a cooking channel", "en")
	ask := asked(t, d.must(r))
	if ask.Question != "Shall I look for a service for each of these sub-tasks?" || ask.Actions[0].Label != "Yes, go ahead" {
		t.Errorf("asked %+v", ask)
	}
}
