package main

import (
	"slices"
	"strings"
	"testing"
)

// TestRedoOnSlack lets a task end, has it redone from its second step by words and
// by a command, and is asked again for what was approved before, also after a
// kill -9. Somebody else may not.
func TestRedoOnSlack(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, planner(t), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "ENABLE_PLAN_APPROVAL=false")
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 숫자들을 계산해 줘", "")
	pressed := map[string]bool{}
	press := func(shown string) {
		t.Helper()
		ts := ""
		err := w.slack.Wait(within(t, atMost), func() bool {
			for _, r := range w.slack.Replies("C1", root) {
				if slices.Contains(r.Buttons(), "승인") && !pressed[r.TS+shown] && strings.Contains(string(mustJSON(t, r.Blocks))+r.Text, shown) {
					ts = r.TS
				}
			}
			return ts != ""
		})
		if err != nil {
			t.Fatalf("no new card shows %q; the bot said %q", shown, w.bots("C1", root))
		}
		pressed[ts+shown] = true
		if _, err := w.slack.Click("U1", "C1", ts, "승인"); err != nil {
			t.Fatal(err)
		}
	}
	says := func(text string, times int) {
		t.Helper()
		if err := w.slack.Wait(within(t, atMost), func() bool {
			return strings.Count(strings.Join(w.bots("C1", root), "\n"), text) == times
		}); err != nil {
			t.Fatalf("the bot does not say %q %d times but %q", text, times, w.bots("C1", root))
		}
	}
	press("2+3")
	press("6*7")
	says("2단계 중 2단계 성공", 1)

	w.slack.Say("U2", "C1", "<@UBOT> 2단계부터 다시 해 줘", root)
	says("이곳의 승인자만", 1)

	w.slack.Say("U1", "C1", "2단계부터 다시 해 줘", root)
	w.kill()
	w.start()
	press("6*7")
	says("2단계부터 다시 했어요", 1)

	answer := func(command string) string {
		t.Helper()
		before := len(w.slack.Whispers("U1"))
		w.slack.Slash("U1", "C1", "/maru", command)
		if err := w.slack.Wait(within(t, atMost), func() bool { return len(w.slack.Whispers("U1")) > before }); err != nil {
			t.Fatalf("/maru %s is not answered", command)
		}
		return w.slack.Whispers("U1")[before].Shown()
	}
	if said := answer("redo"); !strings.Contains(said, "2. ✅ 곱 구하기") {
		t.Errorf("the command says %s", said)
	}
	if said := answer("redo 1"); !strings.Contains(said, "답을 준비하고 있어요") {
		t.Errorf("the command says %s", said)
	}
	press("2+3")
	press("6*7")
	says("1단계부터 다시 했어요", 1)
}

// TestRedoOnDiscord does it in English, in a thread, by command.
func TestRedoOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, planner(t), "MARU_AGENT=orchestrator", "ENABLE_CLARIFICATION_APPROVAL=false", "ENABLE_STEP_APPROVAL=false", "MARU_LANGUAGE=en")
	w.begin()
	q := w.discord.Say(w.user, w.general, w.discord.Mention()+" calculate the numbers please")
	pressed := "" // is closed after its answer was posted
	press := func(times int) {
		t.Helper()
		message, id := "", ""
		err := w.discord.Await(within(t, atMost), func() bool {
			for _, m := range w.discord.BotMessages(q.ID) {
				if found := buttonID(m.Components, "Approve"); found != "" && m.ID != pressed {
					message, id = m.ID, found
				}
			}
			return id != ""
		})
		if err != nil {
			for _, m := range w.discord.BotMessages(q.ID) {
				t.Logf("%s %s", m.Text(), mustJSON(t, m.Components))
			}
			t.Fatal("no card with a button")
		}
		w.discord.Click(w.user, q.ID, message, id)
		pressed = message
		if err := w.discord.Await(within(t, atMost), func() bool {
			said := 0
			for _, m := range w.discord.BotMessages(q.ID) {
				said += strings.Count(m.Text(), "steps successful")
			}
			return said == times
		}); err != nil {
			t.Fatalf("run %d does not end", times)
		}
	}
	press(1)
	w.discord.Slash(w.user, q.ID, "maru", "redo", map[string]string{"step": "2"})
	press(2)
	found := false
	for _, m := range w.discord.BotMessages(q.ID) {
		found = found || strings.Contains(m.Text(), "Redone from step 2")
	}
	if !found {
		t.Error("the answer does not say from where the task was redone")
	}
}
