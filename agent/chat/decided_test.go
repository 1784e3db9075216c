package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
)

func TestWhatIsDecidedAboutACall(t *testing.T) {
	t.Parallel()
	const wished = `{"text":"요약","to":"lee@example.com"}`
	cases := map[string]struct {
		reply agent.Reply
		read  string // by the model
		sent  string
		tells string // the answer, whatever the model says
	}{
		"no":               {agent.Reply{Action: agent.VerbReject}, "error (refused)", "", "⚠️ **Send mail** — 거절돼서"},
		"no_with_a_reason": {agent.Reply{Action: agent.VerbReject, Text: "아직 초안이에요"}, `Their reason: "아직 초안이에요"`, "", "거절돼서"},
		"values_of_a_form": {agent.Reply{Action: agent.VerbEdit, Values: map[string]string{"to": "lee@example.com", "text": "요약", "copies": ""}}, marked, wished, "lee@example.com"},
		"words":            {agent.Reply{Action: agent.VerbEdit, Text: "lee에게 보내줘"}, `a person said: "lee에게 보내줘"`, "", "알겠어요."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(route("agent"), llmtest.CallTool("send_mail", toKim), llmtest.Text("알겠어요."))
			d := newDesk(t, m)
			req := d.asking("김 씨에게 요약을 메일로 보내줘")
			i, _ := d.asks(req)
			res, _ := d.ask(decided(t, req, i, c.reply))
			if strings.Join(d.mail.sent, "") != c.sent || !strings.Contains(lastRead(m), c.read) || !strings.Contains(res.Text, c.tells) {
				t.Errorf("sent %v; the model read %q; answer %q", d.mail.sent, lastRead(m), res.Text)
			}
		})
	}
}

// TestAYesToACallIsForThatCallAlone: the same tool with other values, and the same call in the next turn, wait for a yes
// of their own, although "always" was said.
func TestAYesToACallIsForThatCallAlone(t *testing.T) {
	t.Parallel()
	const toLee = `{"to":"lee@example.com","text":"요약"}`
	d := newDesk(t, llmtest.Script(route("agent"), llmtest.CallTool("send_mail", toKim), llmtest.CallTool("send_mail", toLee),
		llmtest.Text("알겠어요."), route("agent"), llmtest.CallTool("send_mail", toKim)))
	req := d.asking("김 씨에게 요약을 메일로 보내줘. 앞으로 메일은 항상 허용할게")
	i, _ := d.asks(req)
	req = decided(t, req, i, agent.Reply{Action: agent.VerbAccept, Text: "항상 허용"})
	i, a := d.asks(req)
	if len(d.mail.sent) != 1 || !strings.Contains(a.Detail, "lee@example.com") {
		t.Fatalf("sent %v, asked %q", d.mail.sent, a.Detail)
	}
	if res, _ := d.ask(decided(t, req, i, agent.Reply{Action: agent.VerbReject})); len(res.Interrupts) > 0 || len(d.mail.sent) != 1 {
		t.Fatalf("sent %v, %+v", d.mail.sent, res)
	}
	next := d.asking("그 메일 한 번 더 보내줘")
	next.Run, next.Message = req.Run+"-next", req.Message+"-next"
	if _, a := d.asks(next); len(d.mail.sent) != 1 || !strings.Contains(a.Detail, "kim@example.com") {
		t.Errorf("sent %v, asked %q", d.mail.sent, a.Detail)
	}
}

func TestNobodyDecidesAboutACall(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.CallTool("send_mail", toKim), llmtest.Text("보냈어요."))
	d := newDesk(t, m)
	req := d.asking("보내줘")
	i, _ := d.asks(req)
	req.Decisions = []agent.Decision{{Interrupt: i.ID, Expired: true}}
	if res, _ := d.ask(req); len(d.mail.sent) > 0 || !strings.Contains(res.Text, "제때 결정한 사람이 없어서") {
		t.Errorf("sent %v, answer %q", d.mail.sent, res.Text)
	}
}

// TestAChangeInWordsIsShownBeforeItRuns: the model changes the call by what a person said
// about it, and the new one waits for a yes of its own.
func TestAChangeInWordsIsShownBeforeItRuns(t *testing.T) {
	t.Parallel()
	const toLee = `{"to":"lee@example.com","text":"요약"}`
	m := llmtest.Script(route("agent"), llmtest.CallTool("send_mail", toKim), llmtest.CallTool("send_mail", toLee), llmtest.Text("보냈어요."))
	d := newDesk(t, m)
	req := d.asking("보내줘")
	first, _ := d.asks(req)
	second, a := d.asks(decided(t, req, first, agent.Reply{Action: agent.VerbEdit, Text: "아니 lee한테"}))
	if first.ID == second.ID || !strings.Contains(a.Detail, "lee@example.com") || len(d.mail.sent) > 0 {
		t.Fatalf("asked %+v, sent %v", a, d.mail.sent)
	}
	d.ask(decided(t, req, second, agent.Reply{Action: agent.VerbAccept}))
	if fmt.Sprint(d.mail.sent) != "["+toLee+"]" {
		t.Errorf("sent %v", d.mail.sent)
	}
}

// TestUnfitValuesOfAFormAreAskedAboutAgain: a form takes texts, and the tool's schema
// knows more; what it would refuse is said, and nothing runs.
func TestUnfitValuesOfAFormAreAskedAboutAgain(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.CallTool("send_mail", toKim), llmtest.Text("보냈어요."))
	d := newDesk(t, m)
	req := d.asking("보내줘")
	i, _ := d.asks(req)
	again, a := d.asks(decided(t, req, i, agent.Reply{Action: agent.VerbEdit, Values: map[string]string{"to": "kim@example.com", "text": "요약", "copies": "many"}}))
	if again.ID == i.ID || !strings.Contains(strings.Join(a.Notes, "\n"), "아직 실행하지 않았어요.") || len(d.mail.sent) > 0 {
		t.Fatalf("asked %+v, sent %v", a, d.mail.sent)
	}
	d.ask(decided(t, req, again, agent.Reply{Action: agent.VerbAccept}))
	if fmt.Sprint(d.mail.sent) != "["+toKim+"]" {
		t.Errorf("sent %v", d.mail.sent)
	}
}
