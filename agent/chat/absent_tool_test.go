package chat_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
	"maru/phrase"
)

// TestAnAbsentToolIsNotAskedAbout: an approved tool is gone when its call would begin, as while its server connects again. Nobody is
// asked about it, so no yes can be for the tool that comes back in its place.
func TestAnAbsentToolIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	const before, other = "posts a letter", "shreds the archive"
	gone := phrase.Say("ko", "agent.tool_gone")
	for name, c := range map[string]struct {
		yes   agent.Reply
		crash bool // in the middle of the call; then a person clicks "Run again"
		tells string
	}{
		"button":   {agent.Reply{Action: agent.VerbAccept}, false, gone},
		"form":     {agent.Reply{Action: agent.VerbEdit, Values: map[string]string{"text": "이사"}}, false, gone},
		"after_it": {agent.Reply{Action: agent.VerbAccept}, true, phrase.Say("ko", "agent.tool_interrupted")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Script())
			d.described(before, route("agent"), llmtest.CallTool("post_letter", `{"text":"이사해요"}`))
			req, sent := d.asking("이사한다고 편지를 부쳐줘"), 0
			var next agent.Request
			if c.crash {
				next, sent = d.cutOff(req), 1
				d.described(before)
				i, _ := d.asks(next)
				next = decided(t, req, i, agent.Reply{Action: agent.VerbRerun})
			} else {
				i, _ := d.asks(req)
				next = decided(t, req, i, c.yes)
			}
			d.more = nil
			d.restart(llmtest.Script(llmtest.Text("끝났어요.")))
			res, _ := d.ask(next)
			if len(res.Interrupts) > 0 { // a yes to that is for whatever comes back
				d.described(other, llmtest.Text("끝났어요."))
				res, _ = d.ask(decided(t, req, res.Interrupts[0], agent.Reply{Action: agent.VerbAccept}))
				t.Errorf("asked about an absent tool; a yes makes %d calls: %q", len(d.mail.sent)-sent, res.Text)
			}
			if len(d.mail.sent) != sent || !strings.Contains(res.Text, c.tells) {
				t.Errorf("sent %q, answer %q", d.mail.sent, res.Text)
			}
		})
	}
}

// TestACutOffCallOfAnAbsentToolIsShownBeforeItRunsAgain: the tool is gone while people are asked whether its call took effect, and
// another one comes back in its place.
func TestACutOffCallOfAnAbsentToolIsShownBeforeItRunsAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script())
	d.described("posts a letter", route("agent"), llmtest.CallTool("post_letter", `{"text":"이사해요"}`))
	req := d.asking("이사한다고 편지를 부쳐줘")
	yes := d.cutOff(req)
	d.more = nil
	d.restart(llmtest.Script())
	i, _ := d.asks(yes) // whether the call took effect
	d.described("shreds the archive")
	if _, a := d.asks(decided(t, req, i, agent.Reply{Action: agent.VerbRerun})); len(d.mail.sent) != 1 || strings.Join(a.Notes, "") != phrase.Say("ko", "agent.tool_changed_unsure") {
		t.Errorf("asked %+v after %d calls", a, len(d.mail.sent))
	}
}
