package guide_test

import (
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

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

// TestNoServiceIsBetterThanAnyService: what a model found nothing for stays empty,
// and without a model a word in common is no advice.
func TestNoServiceIsBetterThanAnyService(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]llm.Model{
		"chosen":  llmtest.Script(task(true), plan("작은 카페 열기", "로고 만들기"), llmtest.Text(""), choose("", "Canva"), llmtest.Text("해요."), reflection()),
		"unaided": llmtest.Script(task(true), plan("작은 카페 열기", "로고 만들기"), llmtest.Text(""), llmtest.Fail(&llm.Error{Class: llm.Refused})),
	} {
		d := newDesk(t, model)
		r := d.request("작은 카페를 열고 로고도 만들고 싶어요", "ko")
		r.Approvals.Plan = false
		res := d.must(r)
		if !strings.Contains(res.Text, "| 작은 카페 열기 | — | — |") || !strings.Contains(res.Text, "꼭 맞는 것이 없어요") || !strings.Contains(res.Text, "| 로고 만들기 | [Canva](") {
			t.Errorf("%s:\n%s", name, res.Text)
		}
	}
}

// TestSubTaskThatNamesItsService: without a model, what a sub-task says it is to be done with is
// recommended, and nothing else where that is not known.
func TestSubTaskThatNamesItsService(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"매주 월요일 Jira 티켓을 정리해서 팀 노트로 공유하기": "[Jira](", "Notion 문서를 Google Docs로 옮기기": "[Google Docs](",
		"Salesforce 고객 데이터 정리": "—", "clean up the leads in Salesforce": "—", "유튜브 영상 편집": "[DaVinci Resolve](",
	} {
		d := newDesk(t, llmtest.Script(task(true), plan(title), llmtest.Text(""), llmtest.Fail(&llm.Error{Class: llm.Refused})))
		r := d.request(goal, "ko")
		r.Approvals.Plan = false
		if res := d.must(r); !strings.Contains(res.Text, "| "+title+" | "+want) {
			t.Errorf("%s:\n%s", title, res.Text)
		}
	}
}

// TestAReasonThatSaysNothing, as small models write them, gives way to the knowledge's words.
func TestAReasonThatSaysNothing(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{
		"Canva는 로고 만들기", "Canva: " + goal, // the goal again
		"Canva is a powerful tool that can help you to create and organize your materials.", // the person wrote Korean
	} {
		chosen := llmtest.JSON(map[string]any{"recommendations": []map[string]any{{"sub_task": 1, "service": "Canva", "reason": reason}}})
		d := newDesk(t, llmtest.Script(task(true), plan("로고 만들기"), llmtest.Text(""), chosen, llmtest.Text("해요."), reflection()))
		r := d.request(goal, "ko")
		r.Approvals.Plan = false
		if res := d.must(r); !strings.Contains(res.Text, "| 템플릿을 골라") || strings.Contains(res.Text, reason) {
			t.Errorf("%s:\n%s", reason, res.Text)
		}
	}
}

// TestPricesAreTheKnowledges: a model's reason keeps no price that was not found, and
// loses no other.
func TestPricesAreTheKnowledges(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"템플릿이 많아요. 월 3달러예요.":       "| 템플릿이 많아요. |",
		"한 달에 $9.99가 들어요. 쓰기 쉬워요.": "| 쓰기 쉬워요. |",
		"월 29만 원이에요.":              "| 템플릿을 골라", // the knowledge's own words then
		"혼자 쓰면 월 15달러라서 가벼워요.":     "| 혼자 쓰면 월 15달러라서 가벼워요. |",
		"로고 3개를 1분에 만들어요.":         "| 로고 3개를 1분에 만들어요. |",
	} {
		chosen := llmtest.JSON(map[string]any{"recommendations": []map[string]any{{"sub_task": 1, "service": "Canva", "reason": reason}}})
		d := newDesk(t, llmtest.Script(task(true), plan("로고 만들기"), llmtest.Text(""), chosen, llmtest.Text("해요."), reflection()))
		r := d.request(goal, "ko")
		r.Approvals.Plan = false
		if res := d.must(r); !strings.Contains(res.Text, want) || !strings.Contains(res.Text, "월 15달러(미국 기준)") {
			t.Errorf("%s:\n%s", reason, res.Text)
		}
	}
}

// TestReasonsStandInTheGuide whatever the model writes, and a guide is there also
// where the model's words cannot be read.
func TestReasonsStandInTheGuide(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]llmtest.Reply{
		"bare": llmtest.Text("1. 해요."), "unreadable": llmtest.Fail(&llm.Error{Class: llm.Garbage, Detail: "the reply is empty"}),
	} {
		m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
			switch {
			case r.Schema != nil && r.Schema.Name == "guide_route":
				return task(true)
			case r.Schema != nil && r.Schema.Name == "guide_plan":
				return plan("로고 만들기")
			case r.Schema != nil && r.Schema.Name == "guide_recommendations":
				return choose("Canva")
			case r.Schema != nil:
				return reflection()
			case len(r.Tools) > 0:
				return llmtest.CallTool("retrieve_docs", `{"query":"로고"}`)
			}
			return answer
		})
		d := newDesk(t, m)
		r := d.request(goal, "ko")
		r.Approvals.Plan = false
		if res := d.must(r); strings.Count(res.Text, "Canva가 잘 맞아요") != 1 || !strings.Contains(res.Text, "| 로고 만들기 | [Canva](") {
			t.Errorf("%s:\n%s", name, res.Text)
		}
	}
}

// TestWhatWasFoundIsToldWithoutAModel: services that were found are not lost with a model
// that does not write, whatever keeps it, and one that did not choose is not hidden behind
// "none fits". What the person said of themselves is learned all the same.
func TestWhatWasFoundIsToldWithoutAModel(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"guide", "choose", "react"} {
		classes := map[llm.Class]string{
			llm.Refused: "쓸 수 있는 답을 주지 않았어요", llm.Length: "길이를 다 썼어요", llm.Invalid: "쓸 수 있는 답을 주지 않았어요",
		}
		classes[llm.Overloaded], classes[llm.Network], classes[llm.Cut] = "너무 바빠요", "연결되지 않았어요", "중간에 끊겼어요"
		classes[llm.Quota], classes[llm.Garbage] = "사용 한도를 다 썼어요", "알아볼 수 없는 응답"
		for class, why := range classes {
			t.Run(at+"_"+string(class), func(t *testing.T) {
				t.Parallel()
				fail, reflections := llmtest.Fail(&llm.Error{Class: class}), 0
				m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
					name := ""
					if r.Schema != nil {
						name = r.Schema.Name
					}
					switch {
					case name == "guide_route":
						return task(true)
					case name == "guide_plan":
						return plan("로고 만들기")
					case name == "guide_recommendations" && at != "choose":
						return choose("Canva")
					case name == "guide_recommendations", at == "react" && len(r.Tools) > 0:
						return fail
					case name != "":
						reflections++
						return reflection(map[string]string{"type": "like", "subject": "cost", "value": "free ones", "quote": "무료만 쓸게요"})
					case len(r.Tools) > 0:
						return llmtest.Text("")
					}
					return llmtest.Reply{Text: "half of", Err: fail.Err}
				})
				d := newDesk(t, m)
				r := d.request(goal+" 무료만 쓸게요.", "ko")
				r.Approvals.Plan = false
				res := d.must(r)
				learned, asked := "cost", 1
				if slices.Contains([]llm.Class{llm.Overloaded, llm.Network, llm.Quota}, class) { // it is not waited for again
					learned, asked = "service price", 0
				}
				if reflections != asked || len(res.Lessons) != 1 || !strings.Contains(string(res.Lessons[0].Data), `"subject":"`+learned+`"`) {
					t.Errorf("%d reflections, lessons %s", reflections, res.Lessons)
				}
				if !strings.Contains(res.Text, "| 로고 만들기 | [") || !strings.Contains(res.Text, why) {
					t.Errorf("the guide is\n%s", res.Text)
				}
				if strings.Contains(res.Text, "half of") || d.streamed() != res.Text {
					t.Errorf("people saw\n%s", d.streamed())
				}
			})
		}
	}
	d := newDesk(t, extractive.New())
	r := d.request("로고를 만들고 싶어요", "ko")
	r.Approvals.Plan = false
	if res := d.must(r); strings.Contains(res.Text, "언어 모델이 답하지 못해서") || !strings.Contains(res.Text, "| [") {
		t.Errorf("the built-in model's guide is\n%s", res.Text)
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
	for _, want := range []string{"| 영상 편집 | NovaCut | 제공사 페이지를 봐 주세요 |", "| 뉴스레터 보내기 | [", "| 반려견 훈련 | — | — |", "꼭 맞는 것이 없어요"} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("the guide lacks %q:\n%s", want, res.Text)
		}
	}
	if strings.Contains(res.Text, "MegaMail") {
		t.Errorf("an invented service is recommended:\n%s", res.Text)
	}
}

// TestSameCallInOtherSpacingRunsOnce: the same arguments are the same call, however a model writes them.
func TestSameCallInOtherSpacingRunsOnce(t *testing.T) {
	t.Parallel()
	call := func(arguments ...string) llmtest.Reply {
		reply := llmtest.CallTool("retrieve_docs", arguments[0])
		for _, a := range arguments[1:] {
			reply.Calls = append(reply.Calls, llmtest.CallTool("retrieve_docs", a).Calls...)
		}
		return reply
	}
	m := llmtest.Script(task(true), plan("영상 편집"), call(`{"query":"영상 편집"}`, `{ "query" : "영상 편집" }`), call("{\"query\":\n\"영상 편집\"}"), choose("CapCut"), llmtest.Text("해요."), reflection())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	r.Approvals.Plan = false
	d.must(r)
	if n := strings.Count(d.path(), "tool_executor"); n != 1 {
		t.Errorf("the same look-up in %d rounds: %s", n, d.path())
	}
}

// TestFilesOfToolsAreHandedOn: a file that a tool made is on its way to the answer.
func TestFilesOfToolsAreHandedOn(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집"), llmtest.CallTool("google_search", `{"query":"영상 편집"}`), llmtest.Text(""), choose("CapCut"), llmtest.Text("해요."), reflection())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	r.Approvals.Plan = false
	d.must(r)
	var names []string
	for _, e := range d.events {
		for _, f := range e.Files {
			names = append(names, f.Name)
		}
	}
	if len(names) != 1 || names[0] != "editors.csv" {
		t.Errorf("handed on %q", names)
	}
}

// TestModelThatCallsNothing: each sub-task is looked up once all the same, the model chooses
// from that, and is not asked for tools again.
func TestModelThatCallsNothing(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(true), plan("영상 편집", "썸네일 만들기"), llmtest.Text("Use Adobe Premiere."), choose("DaVinci Resolve", "Canva"),
		llmtest.Text("짧은 영상이 늘고 있어요 [1]."), reflection())
	d := newDesk(t, m)
	r := d.request(goal, "ko")
	r.Approvals.Plan = false
	res := d.must(r)
	var queries []string
	for _, e := range d.events {
		if e.Kind == agent.EventToolCall {
			queries = append(queries, e.Name+" "+string(e.Data))
		}
	}
	slices.Sort(queries)
	if want := []string{`retrieve_docs {"query":"썸네일 만들기"}`, `retrieve_docs {"query":"영상 편집"}`}; !slices.Equal(queries, want) {
		t.Errorf("looked up %v, went %s", queries, d.path())
	}
	if found := m.Requests()[3].Messages[0].Content; !strings.Contains(found, "DaVinci Resolve") || !strings.Contains(found, "Canva") {
		t.Errorf("the model chose from %s", found)
	}
	if len(res.Sources) != 1 || !strings.Contains(res.Text, "| 썸네일 만들기 | [Canva](") {
		t.Errorf("%+v:\n%s", res.Sources, res.Text)
	}
	m.AssertDone(t)
}
