package main

import (
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/agent/llm/llmtest"
)

// TestSlackAdminAllowsATool: an admin allows a tool that only reads for a week by the button of a question about it, over SIGKILL before the
// click and after it; a member may not; the permission is listed, and ends by the command.
func TestSlackAdminAllowsATool(t *testing.T) {
	t.Parallel()
	unraced(t)
	model := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		switch {
		case r.ResponseFormat != nil:
			return llmtest.JSON(map[string]string{"route": "agent", "reason": "test"})
		case last.Role == "tool":
			return llmtest.Text("The result: " + last.Text())
		case strings.Contains(lastSaid(r), "계산"):
			return llmtest.CallTool("calculator", `{"expression":"20+22"}`)
		}
		return llmtest.Text("hello")
	})
	w := newSlackWorld(t, model)
	w.start()
	say := func(words string) string {
		t.Helper()
		before := len(w.slack.Whispers("U1"))
		w.slack.Slash("U1", "C1", "/maru", words)
		awaits(t, "no private answer", func() bool { return len(w.slack.Whispers("U1")) > before })
		one := w.slack.Whispers("U1")[before]
		return bare(one.Shown()) + string(one.Blocks)
	}
	say("settings set channel tools_ask calculator")
	card := func(user, root, label string) string {
		t.Helper()
		ts := ""
		awaits(t, "no question with "+label, func() bool {
			for _, m := range w.slack.Messages("C1", root) {
				if slices.Contains(m.Buttons(), label) {
					ts = m.TS
				}
			}
			return ts != ""
		})
		return ts
	}
	answered := func(root string) {
		t.Helper()
		awaits(t, "no answer", func() bool {
			return slices.ContainsFunc(w.slack.Messages("C1", root), func(m slackfake.Message) bool {
				return strings.Contains(m.Text+string(m.Blocks), "The result:") && strings.Contains(m.Text+string(m.Blocks), "42")
			})
		})
	}
	root := w.slack.Say("U2", "C1", "<@UBOT> 계산해 줘: 20+22", "")
	ts := card("U2", root, "항상 허용…")
	before := len(w.slack.Whispers("U2"))
	_, err := w.slack.Click("U2", "C1", ts, "항상 허용…")
	must(t, "click", err)
	awaits(t, "a member is not refused", func() bool { return len(w.slack.Whispers("U2")) > before })

	root = w.slack.Say("U1", "C1", "<@UBOT> 계산해 줘: 20+22", "")
	ts = card("U1", root, "항상 허용…")
	w.kill()
	w.start()
	_, err = w.slack.Click("U1", "C1", ts, "항상 허용…")
	must(t, "click", err)
	var view slackfake.View
	awaits(t, "no form", func() bool {
		v, ok := w.slack.LastView()
		if ok && v.Open {
			view = v
		}
		return view.ID != ""
	})
	_, err = w.slack.Submit("U1", view.ID, map[string]string{"days": "7"})
	must(t, "submit", err)
	answered(root)
	w.kill()
	w.start()
	root = w.slack.Say("U2", "C1", "<@UBOT> 다시 계산해 줘: 20+22", "")
	answered(root)
	if got := say("tools allowed"); !strings.Contains(got, "calculator") {
		t.Errorf("the list: %s", got)
	}
	if got := say("tools disallow calculator"); !strings.Contains(got, "다시 물어요") {
		t.Errorf("the end: %s", got)
	}
	root = w.slack.Say("U1", "C1", "<@UBOT> 또 계산해 줘: 20+22", "")
	card("U1", root, "승인")
}
