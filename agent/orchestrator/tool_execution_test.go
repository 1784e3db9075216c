package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/phrase"
)

// TestEndlessWorkIsBounded lets the model call tools for ever.
func TestEndlessWorkIsBounded(t *testing.T) {
	t.Parallel()
	calling := func(args func(n int) string) *mind {
		n := 0
		return &mind{plans: []llmtest.Reply{planOf("찾기")}, steps: func(llm.Request) llmtest.Reply {
			n++
			return llmtest.CallTool("get_weather", args(n))
		}}
	}
	for name, c := range map[string]struct {
		args  func(n int) string
		set   func(d *desk)
		calls int // of the tool at most
		asked int // calls of the model for the step at most
	}{
		"rounds":    {func(n int) string { return fmt.Sprintf(`{"city":"%d"}`, n) }, nil, 5, 6},
		"unknown":   {nil, nil, 0, 4},
		"tokens":    {func(n int) string { return fmt.Sprintf(`{"city":"%d"}`, n) }, func(d *desk) { d.cfg.Limits.Tokens = 1 }, 1, 2},
		"not_valid": {func(n int) string { return fmt.Sprintf(`{"town":%d}`, n) }, nil, 0, 6},
	} {
		for _, language := range []string{"ko", "en"} {
			t.Run(name+"_"+language, func(t *testing.T) {
				t.Parallel()
				var m *mind
				if c.args == nil {
					m = &mind{plans: []llmtest.Reply{planOf("찾기")}, steps: func(llm.Request) llmtest.Reply { return llmtest.CallTool("launch_rocket", `{}`) }}
				} else {
					m = calling(c.args)
				}
				d := newDesk(t, m, agent.Approvals{})
				want := "정해진 횟수"
				if language == "en" {
					d.english()
					want = "tool-call limit"
				}
				d.cfg.Limits.Tries, d.cfg.Limits.Replans = 1, 1
				if c.set != nil {
					c.set(d)
				}
				d.start()
				res := d.run()
				steps := 0
				for _, r := range d.model.Requests() {
					if strings.HasPrefix(r.Messages[0].Content, "You carry out one step") {
						steps++
					}
				}
				if made := strings.Count(d.tools.made(), "get_weather"); made > c.calls || steps > c.asked {
					t.Errorf("%d calls of the tool, %d of the model", made, steps)
				}
				if !strings.Contains(res.Text, want) || states(d.lastPlan()) != "failed" {
					t.Errorf("answer %q, plan %s", res.Text, states(d.lastPlan()))
				}
			})
		}
	}
}

// TestRepeatedGoodCallIsTheResult: a model that asks for one call again and again has
// its result; one whose call never gave anything has none.
func TestRepeatedGoodCallIsTheResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails       bool
		plan, shown string
		want        string
	}{
		"good":           {false, "찾기", "done", "result of get_weather"},
		"good_and_meant": {false, "찾기@get_weather", "done", "result of get_weather"},
		"bad":            {true, "찾기", "failed", "정해진 횟수"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, &mind{plans: []llmtest.Reply{planOf(c.plan)}, steps: func(llm.Request) llmtest.Reply {
				return llmtest.CallTool("get_weather", `{"city":"부산"}`)
			}}, agent.Approvals{})
			d.cfg.Limits.Tries, d.cfg.Limits.Replans = 1, 1
			if c.fails {
				d.tools.result["get_weather"] = func(context.Context, tool.Call) (tool.Result, error) {
					return tool.Result{}, &tool.Error{Code: "unavailable", Model: "the service sleeps"}
				}
			}
			d.start()
			res := d.run()
			steps := 0
			for _, r := range d.model.Requests() {
				if strings.HasPrefix(r.Messages[0].Content, "You carry out one step") {
					steps++
				}
			}
			if made := strings.Count(d.tools.made(), "get_weather"); made != 1 || steps > 4 {
				t.Errorf("%d calls of the tool, %d of the model", made, steps)
			}
			last := d.model.Requests()[len(d.model.Requests())-1].Messages // the synthesis tells of it
			var read string
			for _, m := range last {
				read += m.Content
			}
			if states(d.lastPlan()) != c.shown || !strings.Contains(res.Text+read, c.want) {
				t.Errorf("answer %q after %q, plan %s", res.Text, read, states(d.lastPlan()))
			}
		})
	}
}

func TestStepTakesNoLongerThanAllowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, weatherMind(), agent.Approvals{})
		d.mind.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
		d.cfg.Limits.StepTime = time.Second
		d.tools.result["get_weather"] = func(ctx context.Context, _ tool.Call) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}
		d.start()
		res := d.run()
		if states(d.lastPlan()) != "failed" || !strings.Contains(res.Text, "1초 안에 끝나지 않아") {
			t.Errorf("%q, plan %s", res.Text, states(d.lastPlan()))
		}
	})
}

func TestStopIsLookedForBeforeEveryCall(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
	m.steps = func(llm.Request) llmtest.Reply {
		stop() // the person presses stop while the model thinks
		return llmtest.CallTool("get_weather", `{"city":"부산"}`)
	}
	d := newDesk(t, m, agent.Approvals{})
	if _, err := d.agent.Run(ctx, d.req, d.sink); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if d.tools.made() != "" {
		t.Errorf("calls %s", d.tools.made())
	}
}

func TestFailedCallIsMadeGoodByReading(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
	m.steps = func(req llm.Request) llmtest.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
			return llmtest.Text("해운대는 맑아요")
		}
		return llmtest.CallTool("get_weather", `{"city":"해운대"}`)
	}
	d := newDesk(t, m, agent.Approvals{Step: true})
	d.tools.result["get_weather"] = func(_ context.Context, c tool.Call) (tool.Result, error) {
		if strings.Contains(string(c.Arguments), "부산") {
			return tool.Result{}, &tool.Error{Code: "not_found", Model: "no such city", People: phrase.Of("builtin.service.nothing", "City")}
		}
		return tool.Result{Text: "맑음"}, nil
	}
	i, _ := d.asked("step")
	d.decide(i, do("accept")).run()
	if states(d.lastPlan()) != "done" || d.tools.made() != `get_weather{"city":"부산"}; get_weather{"city":"해운대"}` {
		t.Errorf("plan %s, calls %s", states(d.lastPlan()), d.tools.made())
	}
}

// What a model says after all its calls failed is no result, however sure it is;
// a step without a tool of its own may do without.
func TestWordsAfterFailedCallsAreNoResult(t *testing.T) {
	t.Parallel()
	for plan, want := range map[string]string{"날씨 확인@get_weather": "failed", "날씨 확인": "done"} {
		t.Run(plan, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf(plan)}
			m.steps = func(req llm.Request) llmtest.Reply {
				if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
					return llmtest.Text("부산은 맑아요")
				}
				return llmtest.CallTool("get_weather", `{"city":"부산"}`)
			}
			d := newDesk(t, m, agent.Approvals{})
			d.tools.result["get_weather"] = func(context.Context, tool.Call) (tool.Result, error) {
				return tool.Result{}, &tool.Error{Code: "unavailable", Model: "away", People: phrase.Of("builtin.service.nothing", "City")}
			}
			res := d.run()
			if got := states(d.lastPlan()); got != want || d.tools.made() == "" {
				t.Errorf("%s, want %s; calls %s, answer %q", got, want, d.tools.made(), res.Text)
			}
		})
	}
}

// A step whose tool was never called is not done, however sure the words are: the
// model is reminded once, and one that calls then has its result.
func TestWordsWithoutTheToolAreNoResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan  string
		calls bool // once it is reminded
		args  bool // it gives values when it is asked for them
		say   string
		want  string
		why   string
	}{
		"never_called":      {plan: "날씨 확인@get_weather", say: "부산은 맑아요", want: "failed", why: "get_weather 도구를 쓰지 않은"},
		"gives_values":      {plan: "날씨 확인@get_weather", say: "부산은 맑아요", args: true, want: "done"},
		"called_at_last":    {plan: "날씨 확인@get_weather", say: "부산은 맑아요", calls: true, want: "done"},
		"says_why_not":      {plan: "날씨 확인@get_weather", say: "[BLOCKED: 도시를 몰라요]", want: "failed", why: "도시를 몰라요"},
		"needs_no_tool":     {plan: "날씨 확인", say: "부산은 맑아요", want: "done"},
		"nothing_but_space": {plan: "날씨 확인@get_weather", say: " ", want: "failed", why: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf(c.plan)}
			var forced []string
			m.args = nil
			if c.args {
				m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("get_weather", `{"city":"부산"}`) }
			}
			m.steps = func(req llm.Request) llmtest.Reply {
				last := req.Messages[len(req.Messages)-1]
				reminded := strings.Contains(last.Content, "was not called")
				if reminded {
					forced = append(forced, req.ToolChoice)
				}
				if reminded && c.calls {
					return llmtest.CallTool("get_weather", `{"city":"부산"}`)
				}
				return llmtest.Text(c.say)
			}
			d := newDesk(t, m, agent.Approvals{})
			d.cfg.Limits.Tries, d.cfg.Limits.Replans = 1, 1
			d.start()
			res := d.run()
			if got := states(d.lastPlan()); got != c.want || !strings.Contains(res.Text, c.why) {
				t.Errorf("%s, want %s; calls %s, answer %q", got, c.want, d.tools.made(), res.Text)
			}
			if c.args != (d.tools.made() == `get_weather{"city":"부산"}`) && !c.calls {
				t.Errorf("the program called %s", d.tools.made())
			}
			if reminded := c.plan != "날씨 확인" && name != "says_why_not"; reminded != (len(forced) == 1) || reminded && forced[0] != "get_weather" {
				t.Errorf("reminded by %q", forced)
			}
		})
	}
}

// TestWriteBrokenOffIsNotRepeated kills the process while a tool writes, or sends a mail: the next one says that it may
// have taken effect and offers three ways on, of which only one runs it again.
func TestWriteBrokenOffIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"write_note", "send_mail"} {
		for kind, approvals := range map[string]agent.Approvals{"step": {Step: true}, "plan": {Plan: true}} {
			for verb, want := range map[string]struct {
				calls int
				state agent.StepState
			}{
				agent.VerbDone: {1, agent.StepDone}, agent.VerbRerun: {2, agent.StepDone}, agent.VerbSkip: {1, agent.StepSkipped},
			} {
				t.Run(name+"/"+kind+"/"+verb, func(t *testing.T) {
					t.Parallel()
					m := weatherMind()
					m.plans = []llmtest.Reply{planOf("메모 남기기@" + name)}
					m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool(name, `{"text":"맑음"}`) }
					m.steps = func(r llm.Request) llmtest.Reply {
						if r.Messages[len(r.Messages)-1].Role == llm.ToolRole {
							return llmtest.Text("했어요.")
						}
						return m.args(r)
					}
					d := newDesk(t, m, approvals)
					ctx, die := context.WithCancel(t.Context())
					d.tools.result[name] = func(context.Context, tool.Call) (tool.Result, error) {
						die()
						return tool.Result{}, ctx.Err()
					}
					for i, _ := d.asked(kind); ; i, _ = d.asked("step") { // a plan's call is asked about, too, where it must be
						d.decide(i, do("accept"))
						if _, err := d.agent.Run(ctx, d.req, d.sink); err != nil {
							break
						}
					}
					delete(d.tools.result, name)
					d.start()
					i, ask := d.asked("step")
					if verbs(ask) != "done rerun skip" || !strings.Contains(strings.Join(ask.Notes, " "), "이미 반영됐을 수 있어요") ||
						!strings.Contains(ask.Detail, "맑음") {
						t.Fatalf("asked %+v", ask)
					}
					d.decide(i, do(verb)).run()
					if n := strings.Count(d.tools.made(), name); n != want.calls || d.lastPlan().Steps[0].State != want.state {
						t.Errorf("%d calls, step %s; want %d and %s", n, d.lastPlan().Steps[0].State, want.calls, want.state)
					}
				})
			}
		}
	}
}

// TestUnseenEndOfAMailIsAskedAbout has a mail whose sending nobody saw the end of, and one that was not begun.
func TestUnseenEndOfAMailIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, unsure := range []bool{true, false} {
		m := weatherMind()
		m.plans = []llmtest.Reply{planOf("메일 보내기@send_mail")}
		m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("send_mail", `{"text":"맑음"}`) }
		m.failure = func(llm.Request) llmtest.Reply { return onFailure("go_on") }
		d := newDesk(t, m, agent.Approvals{Step: true})
		d.tools.result["send_mail"] = func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, &tool.Error{Code: "unavailable", Model: "gone", People: phrase.Raw("끊겼어요."), Unsure: unsure}
		}
		i, _ := d.asked("step")
		if res := d.decide(i, do("accept")).run(); len(res.Interrupts) == 1 != unsure || strings.Contains(res.Text, "끊겼어요.") == unsure {
			t.Errorf("unsure %v: %d questions, %q", unsure, len(res.Interrupts), res.Text)
		}
	}
}

// TestMailIsNotSentUnasked plans a mail where nobody wants to be asked.
func TestMailIsNotSentUnasked(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("메일 보내기@send_mail")}
	m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("send_mail", `{"text":"맑음"}`) }
	m.steps = m.args
	d := newDesk(t, m, agent.Approvals{})
	if _ = d.run(); strings.Contains(d.tools.made(), "send_mail") {
		t.Errorf("calls %s", d.tools.made())
	}
}

// TestToolThatChangedSinceIsNotRun changes what the tool is between decision and run.
func TestToolThatChangedSinceIsNotRun(t *testing.T) {
	t.Parallel()
	d := newDesk(t, weatherMind(), agent.Approvals{Plan: true})
	d.mind.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
	i, _ := d.asked("plan")
	d.tools.registry.Remove("get_weather")
	graver := d.tools.tool("get_weather", "날씨", `{"type":"object"}`, tool.Policy{Executes: true})
	if err := d.tools.registry.Add(graver); err != nil {
		t.Fatal(err)
	}
	_, a := d.decide(i, do("accept")).asked("step")
	if a.Effect != agent.EffectExecutes || d.tools.made() != "" {
		t.Errorf("%+v, calls %s", a, d.tools.made())
	}
}
