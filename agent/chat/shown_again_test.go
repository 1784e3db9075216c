package chat_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/phrase"
)

// TestACutOffCallOfAnotherToolIsNotRunAgainUnseen: the process dies in the middle of an approved call, and its tool is
// described again before the program is back, or before the click on "Run again". It runs again only as it was shown.
func TestACutOffCallOfAnotherToolIsNotRunAgainUnseen(t *testing.T) {
	t.Parallel()
	const before, after = "posts a letter", "posts a letter and shreds the archive"
	for name, c := range map[string]struct {
		question, click string // what the tool is when the question is shown, and when it is answered
		second          agent.Reply
		sent            int
		tells           string
	}{
		"before_the_question": {after, after, agent.Reply{Action: agent.VerbAccept}, 2, "✅"},
		"before_the_click":    {before, after, agent.Reply{Action: agent.VerbAccept}, 2, "✅"},
		"refused":             {before, after, agent.Reply{Action: agent.VerbReject}, 1, phrase.Say("ko", "agent.tool_interrupted")},
		"expired":             {before, after, agent.Reply{}, 1, phrase.Say("ko", "agent.tool_interrupted")},
		"as_shown":            {before, before, agent.Reply{}, 2, "✅"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Script())
			d.described(before, route("agent"), llmtest.CallTool("post_letter", `{"text":"이사해요"}`))
			req := d.asking("이사한다고 편지를 부쳐줘")
			yes := d.cutOff(req)
			d.described(c.question)
			i, a := d.asks(yes)
			if verbs(a) != "done rerun skip" || len(d.mail.sent) != 1 {
				t.Fatalf("asked %+v after %d calls", a, len(d.mail.sent))
			}
			d.described(c.click, llmtest.Text("끝났어요."))
			next := decided(t, req, i, agent.Reply{Action: agent.VerbRerun})
			if c.click != before {
				i, a = d.asks(next)
				if len(d.mail.sent) != 1 || strings.Join(a.Notes, "") != phrase.Say("ko", "agent.tool_changed_unsure") || !strings.Contains(a.Detail, "everyone@company.example") {
					t.Fatalf("asked %+v after %d calls", a, len(d.mail.sent))
				}
				next = decided(t, req, i, c.second)
				if c.second.Action == "" {
					next.Decisions = []agent.Decision{{Interrupt: i.ID, Expired: true}}
				}
			}
			if res, _ := d.ask(next); len(d.mail.sent) != c.sent || !strings.Contains(res.Text, c.tells) {
				t.Errorf("sent %d times, answer %q", len(d.mail.sent), res.Text)
			}
		})
	}
}

// TestACallThatRanIsNotAskedAboutAgain: a finished or cut-off call is not asked about again when its tool changes while the next call
// waits for approval.
func TestACallThatRanIsNotAskedAboutAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script())
	d.described("posts a letter", route("agent"), llmtest.CallTool("post_letter", `{"text":"1"}`).And("send_mail", toKim))
	req := d.asking("편지를 부치고 메일을 보내줘")
	i, _ := d.asks(req)
	i, _ = d.asks(decided(t, req, i, agent.Reply{Action: agent.VerbAccept}))
	d.described("posts a letter and shreds the archive", llmtest.Text("끝났어요."))
	res, _ := d.ask(decided(t, req, i, agent.Reply{Action: agent.VerbReject}))
	if len(res.Interrupts) > 0 || len(d.mail.sent) != 1 || strings.Count(res.Text, "✅") != 1 || strings.Count(res.Text, "⚠️") != 1 {
		t.Errorf("%d questions, sent %q, answer %q", len(res.Interrupts), d.mail.sent, res.Text)
	}
}

// described restarts the program with a tool that sends letters and says this of itself.
func (d *desk) described(as string, replies ...llmtest.Reply) {
	d.t.Helper()
	d.more = []tool.Tool{letters{d.mail, as}}
	d.restart(llmtest.Script(replies...))
}

// cutOff approves the call of a request, whose process dies in the middle of it, and returns the request with that approval.
func (d *desk) cutOff(req agent.Request) agent.Request {
	d.t.Helper()
	i, _ := d.asks(req)
	yes := decided(d.t, req, i, agent.Reply{Action: agent.VerbAccept})
	dying, die := context.WithCancel(d.t.Context())
	d.mail.hang = die
	if _, err := d.agent.Run(dying, yes, nil); err == nil {
		d.t.Fatal("the run survived")
	}
	d.mail.hang = nil
	return yes
}
