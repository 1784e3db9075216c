package main

import (
	"net/http"
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
)

// cutOff returns a program whose approved call is cut off by a kill on every try.
func cutOff(t *testing.T) (*office, *llmtest.Server) {
	t.Helper()
	return newOffice(t, "pipe"), llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if r.Messages[len(r.Messages)-1].Role == "tool" {
			return llmtest.Text("네.")
		}
		return llmtest.CallTool("office_send_report", `{}`)
	})
}

// TestDiscordSaysThatACallWasCutOff is TestChatSaysThatACallWasCutOff on Discord.
func TestDiscordSaysThatACallWasCutOff(t *testing.T) {
	t.Parallel()
	for press, ends := range map[string]string{"이미 됐어요": "✅", "건너뛰기": "반영됐는지 알 수 없어요", "다시 실행": ""} {
		if !sampled(t, press) {
			continue
		}
		t.Run(press, func(t *testing.T) {
			t.Parallel()
			o, model := cutOff(t)
			w := newDiscordWorld(t, model, "MARU_AGENT=chat", "MARU_CONFIG="+o.settings())
			w.begin()
			q := w.discord.Say(w.user, w.general, w.discord.Mention()+" 주간 보고를 보내 줘")
			click := func(label, shown string) {
				t.Helper()
				m := w.showing(q.ID, label, shown)
				w.discord.Click(w.user, q.ID, m.ID, buttonID(m.Components, label))
			}
			click("승인", "")
			o.did("began")
			for range 2 {
				w.kill()
				w.begin()
				w.showing(q.ID, "다시 실행", "끊겼어요")
			}
			if n := began(o); n != 1 {
				t.Fatalf("%d executions before anybody decided", n)
			}
			click(press, "끊겼어요")
			if ends == "" {
				for began(o) < 2 {
					o.did("began")
				}
				return // the slow tool goes on for minutes
			}
			w.saw(q.ID, ends)
			if n := began(o); n != 1 {
				t.Errorf("%d executions", n)
			}
		})
	}
}

// TestConsoleSaysThatACallWasCutOff is TestChatSaysThatACallWasCutOff in the console, decided over HTTP.
func TestConsoleSaysThatACallWasCutOff(t *testing.T) {
	t.Parallel()
	for action, ends := range map[string]string{"done": "✅", "skip": "반영됐는지 알 수 없어요", "rerun": ""} {
		if !sampled(t, action) {
			continue
		}
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			o, model := cutOff(t)
			p := newProgram(t, "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test", "MARU_AGENT=chat", "MARU_CONFIG="+o.settings())
			p.start()
			p.tell("t", "주간 보고를 보내 줘")
			run := p.asked("t")
			decide := func(action string) {
				t.Helper()
				if code := p.api("POST", "/api/runs/"+run+"/approve", strings.NewReader(`{"action":"`+action+`"}`), "application/json", nil); code != http.StatusOK {
					t.Fatalf("%s: status %d", action, code)
				}
			}
			decide("approve")
			o.did("began")
			for range 2 {
				p.kill()
				p.start()
				p.follow(run)("HUMAN_INPUT_REQUIRED", "끊겼어요")
			}
			if n := began(o); n != 1 {
				t.Fatalf("%d executions before anybody decided", n)
			}
			decide(action)
			if ends == "" {
				for began(o) < 2 {
					o.did("began")
				}
				return
			}
			p.hears("t", 2, ends)
			if n := began(o); n != 1 {
				t.Errorf("%d executions", n)
			}
		})
	}
}
