package orchestrator_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/phrase"
)

// TestAPlanToCorrectIsReturned to the model once: small models put the number of no ticket into their steps, and write them in English.
func TestAPlanToCorrectIsReturned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task  string
		first string
		want  string
	}{
		"made_up":           {"WX-41 티켓의 원인을 알려줘", "12345 티켓 읽기", "WX-41 티켓 읽기"},
		"another_code":      {"WX-41 티켓의 원인을 알려줘", "WX-99 티켓 읽기", "WX-41 티켓 읽기"},
		"told":              {"WX-41과 98765 티켓의 원인을 알려줘", "WX-41과 98765 티켓 읽기", "WX-41과 98765 티켓 읽기"},
		"no_code":           {"원인을 알려줘", "UTF-8 파일에서 12345번 찾기", "UTF-8 파일에서 12345번 찾기"},
		"in_english":        {"원인을 알려줘", "Find the cause of the outage", "WX-41 티켓 읽기"},
		"english_names":     {"Why did it fail?", "Send 김민수 the 11월 회의록", "Send 김민수 the 11월 회의록"},
		"english_files":     {"Why did it fail?", "Read 출장규정 and 취업규칙", "Read 출장규정 and 취업규칙"},
		"english_in_korean": {"Why did it fail?", "장애 원인 찾기", "WX-41 티켓 읽기"},
		"quoted_mail":       {"원인을 알려줘", "\"Dear all, the server failed at noon\" 메일 읽기", "\"Dear all, the server failed at noon\" 메일 읽기"},
		"with_names":        {"원인을 알려줘", "GitHub Actions 기록과 Sentry 읽기", "GitHub Actions 기록과 Sentry 읽기"},
		"amounts":           {"WX-41에 5만 원을 신청해줘", "WX-41에 50000원, 20261105까지 $12500 신청", "WX-41에 50000원, 20261105까지 $12500 신청"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, &mind{plans: []llmtest.Reply{planOf(c.first), planOf("WX-41 티켓 읽기")}}, agent.Approvals{Plan: true})
			d.req.Text = c.task
			if strings.HasPrefix(name, "english") {
				d.req.Language = "en"
			}
			d.run()
			if got := d.lastPlan().Steps[0].Text; got != c.want {
				t.Errorf("planned %q", got)
			}
		})
	}
}

// TestBadPlansEndInAUsefulSentence gives the planner every kind of nonsense:
// each ends in words for people, and its cost is bounded.
func TestBadPlansEndInAUsefulSentence(t *testing.T) {
	t.Parallel()
	many := func(n int) llmtest.Reply {
		var steps []string
		for i := range n {
			steps = append(steps, fmt.Sprintf("일 %d", i+1))
		}
		return planOf(steps...)
	}
	for name, c := range map[string]struct {
		plans []llmtest.Reply
		ko    string
		en    string
		calls int // of the model at most
		steps int
	}{
		"no_json":       {[]llmtest.Reply{llmtest.Text("sure, let me think")}, "한 단계로 진행해요", "so I'll do it in one step", 6, 1},
		"empty_plan":    {[]llmtest.Reply{llmtest.JSON(map[string]any{"title": "x", "why": "", "steps": []any{}})}, "한 단계로 진행해요", "so I'll do it in one step", 6, 1},
		"unknown_tools": {[]llmtest.Reply{planOf("일@launch_rocket")}, "모르는 도구", "unknown tool", 6, 1},
		"200_steps":     {[]llmtest.Reply{many(200)}, "200단계나 필요해서", "would take 200 steps", 4, 0},
		"then_coarser":  {[]llmtest.Reply{many(200), many(3)}, "이 순서가 좋아요", "이 순서가 좋아요", 4, 3},
		"then_known":    {[]llmtest.Reply{planOf("일@launch_rocket"), planOf("일@get_weather")}, "이 순서가 좋아요", "이 순서가 좋아요", 4, 1},
	} {
		for _, language := range []string{"ko", "en"} {
			t.Run(name+"_"+language, func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, &mind{plans: c.plans}, agent.Approvals{Plan: true})
				want := c.ko
				if language == "en" {
					d.english()
					want = c.en
				}
				res := d.run()
				said := res.Text
				if c.steps > 0 {
					if len(res.Interrupts) != 1 {
						t.Fatalf("%+v", res)
					}
					said = string(res.Interrupts[0].Payload)
					if n := len(d.lastPlan().Steps); n != c.steps {
						t.Errorf("%d steps", n)
					}
				}
				if !strings.Contains(said, want) {
					t.Errorf("people read %s, want %q", said, want)
				}
				if d.model.Count() > c.calls {
					t.Errorf("%d calls of the model", d.model.Count())
				}
			})
		}
	}
}

// TestBuiltInModelGetsAnHonestPlan runs the agent with the model that needs no
// endpoint and fills no schemas.
func TestBuiltInModelGetsAnHonestPlan(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{"37 * 41은 얼마야?": "1517", "What is 37 * 41?": "1517", "12*34는?": "408", "오늘 며칠이야?": "2026년 11월 21일", "What date is it?": "2026-11-21",
		"거기 담당자가 누구야?": "", "안녕!": "", "Write a novel about the sea and send it to everybody": ""} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, &mind{}, everything)
			tools, _, err := builtin.All(t.Context(), builtin.Config{})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range tools {
				if err := d.tools.registry.Add(one); err != nil && !strings.Contains(err.Error(), "already") {
					t.Fatal(err)
				}
			}
			d.start()
			d.cfg.Model = extractive.New()
			find := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
			find.Add(d.tools.registry.Specs()...)
			d.cfg.Recommend = find // its words are not the calculator's
			d.use()
			d.req.Text = question
			if strings.HasPrefix(question, "W") {
				d.req.Language = "en"
			}
			res := d.run()
			for n := 0; len(res.Interrupts) > 0 && n < 5; n++ {
				res = d.decide(res.Interrupts[0], do("accept")).run()
			}
			if strings.TrimSpace(res.Text) == "" || !strings.Contains(strings.ReplaceAll(res.Text, ",", ""), want) {
				t.Errorf("answer %q, want %q in it", res.Text, want)
			}
		})
	}
}

func TestPlanShowsEffectsBeforeItRuns(t *testing.T) {
	t.Parallel()
	m := &mind{plans: []llmtest.Reply{planOf("찾기@web_search", "쓰기@write_note", "실행@run_code", "생각")}}
	d := newDesk(t, m, agent.Approvals{Plan: true})
	_, a := d.asked("plan")
	if stepsOf(a) != "찾기:sends|쓰기:writes|실행:executes|생각:reads" || a.Effect != agent.EffectExecutes {
		t.Errorf("%s, gravest %s", stepsOf(a), a.Effect)
	}
}

// TestPlansNameToolsThatExist: the schema of a plan lists the tools there are, and none.
func TestPlansNameToolsThatExist(t *testing.T) {
	t.Parallel()
	d := newDesk(t, &mind{plans: []llmtest.Reply{planOf("일@get_weather")}}, agent.Approvals{Plan: true})
	d.run()
	seen := false
	for _, r := range d.model.Requests() {
		if r.Schema == nil || r.Schema.Name != "plan" {
			continue
		}
		seen = true
		var schema struct {
			Properties struct {
				Steps struct {
					Items struct {
						Properties struct {
							Tool struct {
								Enum []string `json:"enum"`
							} `json:"tool"`
						} `json:"properties"`
					} `json:"items"`
				} `json:"steps"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(r.Schema.JSON, &schema); err != nil {
			t.Fatal(err)
		}
		enum := schema.Properties.Steps.Items.Properties.Tool.Enum
		if !slices.Contains(enum, "") || !slices.Contains(enum, "get_weather") || slices.Contains(enum, "launch_rocket") {
			t.Errorf("a step may name %q", enum)
		}
	}
	if !seen {
		t.Error("no plan was asked for")
	}
}

// TestPlansOfSixtyToolsFitASmallContext: with 60 tools of long descriptions no prompt of a task,
// its schema and tools included, comes near 4,096 tokens of four bytes.
func TestPlansOfSixtyToolsFitASmallContext(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
	d := newDesk(t, m, agent.Approvals{Plan: true})
	for i := range 60 {
		one := d.tools.tool(fmt.Sprintf("office_%02d", i), "사무", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`, tool.Policy{ReadOnly: true}).(fakeTool)
		one.spec.Description = strings.Repeat("Does something for the office. ", 30)
		if err := d.tools.registry.Add(one); err != nil {
			t.Fatal(err)
		}
	}
	d.use()
	d.accepted()
	for _, r := range d.model.Requests() {
		size := 0
		for _, msg := range r.Messages {
			size += len(msg.Content)
		}
		for _, one := range r.Tools {
			size += len(one.Name) + len(one.Description) + len(one.Parameters)
		}
		if r.Schema != nil {
			size += len(r.Schema.JSON)
		}
		if size/4 > 2500 {
			t.Errorf("a prompt for %s has about %d tokens: %d tools, %.200s", r.Purpose, size/4, len(r.Tools), r.Messages[0].Content)
		}
	}
}

// TestStepsAreNamedInWords: a small model writes the name of the tool where a step says what it does. People read the
// detail, what is behind the name, or the tool's title.
func TestStepsAreNamedInWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, detail, want string }{
		"name_and_detail": {"get_weather", "서울의 날씨를 알아봅니다.", "서울의 날씨를 알아봅니다."},
		"name_alone":      {"get_weather", "", "날씨 확인"},
		"name_and_words":  {"get_weather - 서울 날씨 확인", "", "서울 날씨 확인"},
		"colon":           {"get_weather: 서울", "", "서울"},
		"in_a_sentence":   {"get_weather로 서울 날씨 보기", "", "get_weather로 서울 날씨 보기"},
		"words":           {"서울 날씨 보기", "오늘", "서울 날씨 보기"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, &mind{plans: []llmtest.Reply{llmtest.JSON(map[string]any{"title": "날씨", "why": "", "steps": []any{
				map[string]string{"text": c.text, "detail": c.detail, "tool": "get_weather"},
			}})}}, agent.Approvals{Plan: true})
			d.run()
			if got := d.lastPlan().Steps[0].Text; got != c.want {
				t.Errorf("the step reads %q, want %q", got, c.want)
			}
		})
	}
}

// TestNumbersThatNobodyToldAreLeftOut: a model that names the number of a ticket which neither the person nor a result has, in its plan
// also after it was told so, or in its report, is not believed. The number is left out.
func TestNumbersThatNobodyToldAreLeftOut(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("OPS-12와 티켓 OPS-4521의 날씨, ISO-14001 확인@get_weather")} // again and again
	m.answer = func(llm.Request) llmtest.Reply {
		return llmtest.Text("OPS-12를 보고 티켓 BUG-881을 만들었어요.")
	}
	d := newDesk(t, m, agent.Approvals{Plan: true})
	d.req.Text = "OPS-12 티켓의 도시 날씨 알려줘"
	d.asked("plan")
	unknown := phrase.Say("ko", "orchestrator.number_unknown")
	if got, want := d.lastPlan().Steps[0].Text, "OPS-12와 티켓 "+unknown+"의 날씨, ISO-14001 확인"; got != want {
		t.Errorf("the plan has %q, want %q", got, want)
	}
	res := d.accepted()
	if !strings.HasPrefix(res.Text, "OPS-12를 보고 티켓 "+unknown+"을 만들었어요.") || !strings.HasPrefix(d.streamed(), "OPS-12를 보고 티켓 "+unknown) {
		t.Errorf("the report is %q, and people saw %q", res.Text, d.streamed())
	}
}
