package guide_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent"
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

// TestComplexTask follows a task to its guide: it asks before anything is looked
// for, and says what was shown.
func TestComplexTask(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(
		task(true), plan("영상 편집", "썸네일 만들기"),
	)
	d := newDesk(t, m)
	d.cfg.Memory = diary{texts: []string{"혼자 일해요"}}
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
	for _, want := range []string{"DaVinci Resolve를 켜요", "| 영상 편집 | [DaVinci Resolve](https://www.blackmagicdesign.com", "295달러", "| 썸네일 만들기 | [Canva](", "2025-06-01 기준 (https://prices.example/"} {
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
	// Only what is in the person's own words becomes memory.
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
	killed := llmtest.Fail(context.Canceled)
	restart(llmtest.Func(func(n int, _ llm.Request) llmtest.Reply {
		if n == 0 {
			return llmtest.CallTool("retrieve_docs", `{"query":"영상 편집"}`)
		}
		return killed
	}))
	if _, err := d.decide(r, waits, agent.Reply{Action: agent.VerbAccept}); err == nil {
		t.Fatal("a run that was killed answers")
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

// TestBuiltInModel is what a newcomer gets without an endpoint, in both
// languages.
func TestBuiltInModel(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	d.cfg.Documents, d.cfg.Memory, d.cfg.Known = nil, diary{texts: []string{"혼자 일해요"}}, -1
	d.use(extractive.New())
	for _, c := range []struct {
		ask, language, plan string
		want                []string
	}{
		{"쇼핑몰 열고 광고 만들고 뉴스레터 보내고 싶어요", "ko", "쇼핑몰 열기; 광고 만들기; 뉴스레터 보내기", []string{"### 이렇게 진행해 보세요", "| 뉴스레터 보내"}},
		{"유튜브로 요리 채널을 시작하고 싶어. 영상도 편집하고 썸네일도 만들어야 해", "ko", "유튜브로 요리 채널을 시작하기; 영상도 편집하기; 썸네일도 만들기", []string{"| 썸네일도 만들기 | [Canva]"}},
		{"유튜브 채널을 시작하고 싶어. 대본을 쓰고, 영상을 편집하고, 썸네일을 만들어야 해", "ko", "유튜브 채널을 시작하기; 대본을 쓰기; 영상을 편집하기; 썸네일을 만들기", nil},
		{"영상을 만들고 싶어: 편집하고, 썸네일을 만들기", "ko", "영상을 만들기; 편집하기; 썸네일을 만들기", nil},
		{"팀 워크숍 준비해줘", "ko", "팀 워크숍 준비하기", nil},
		{"뉴스레터 만들어 주세요", "ko", "뉴스레터 만들기", nil},
		{"please help us prepare a product launch", "en", "prepare a product launch", nil},
		{"I want to start a newsletter: write articles and send emails", "en", "start a newsletter; write articles; send emails", nil},
		{"I want to open an online shop, design a logo and send a newsletter", "en", "open an online shop; design a logo; send a newsletter", []string{"How to go about it", "Shopify", "| design a logo | ["}},
	} {
		r := d.request(c.ask, c.language)
		waits := d.must(r)
		if notes := asked(t, waits).Notes; len(notes) > 0 {
			t.Errorf("it claims to have used what it cannot: %v", notes)
		}
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
