package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
)

// reads waits until a person reads a text that only they see.
func (w *slackWorld) reads(user, text string) {
	w.t.Helper()
	if err := w.slack.Wait(within(w.t, atMost), func() bool {
		return slices.ContainsFunc(w.slack.Whispers(user), func(x slackfake.Whisper) bool { return strings.Contains(bare(x.Shown()), text) })
	}); err != nil {
		w.t.Fatalf("%s reads no %q: %+v", user, text, w.slack.Whispers(user))
	}
}

// TestSlackScheduleForm opens the form by a command and sends it with a wrong cron expression, a time that is over and a
// good one: what was typed stays, and the good one is kept.
func TestSlackScheduleForm(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t))
	w.start()
	w.slack.Slash("U1", "C1", "/maru", "schedule add")
	var view slackfake.View
	opened := func(ok func() bool) {
		t.Helper()
		if err := w.slack.Wait(within(t, atMost), func() bool {
			var there bool
			view, there = w.slack.LastView()
			return there && ok()
		}); err != nil {
			t.Fatalf("the form is %+v", view)
		}
	}
	opened(func() bool { return strings.Contains(string(view.Body), `"when"`) })
	for when, says := range map[string]string{"61 9 * * 1": "cron 식", "2020-01-01": "지난"} {
		if _, err := w.slack.Submit("U1", view.ID, map[string]string{"when": when, "text": "점심 메뉴", "kind": "remind"}); err != nil {
			t.Fatal(err)
		}
		opened(func() bool { return view.Open && strings.Contains(view.Errors["when"], says) })
	}
	if _, err := w.slack.Submit("U1", view.ID, map[string]string{"when": "0 12 * * 2", "text": "점심 메뉴", "kind": "remind"}); err != nil {
		t.Fatal(err)
	}
	w.reads("U1", "매주 화요일 오후 12:00")
	w.kill()
	if n := w.overdue(); n != 1 {
		t.Fatalf("%d schedules after the form", n)
	}
	w.start()
	if err := w.slack.Wait(within(t, atMost), func() bool {
		return slices.ContainsFunc(w.slack.Messages("C1", ""), func(m slackfake.Message) bool { return strings.Contains(m.Text+string(m.Blocks), "⏰ 점심 메뉴") })
	}); err != nil {
		t.Errorf("no reminder: %q", w.bots("C1", ""))
	}
}

// TestDiscordScheduleForm does the same in Discord.
func TestDiscordScheduleForm(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, brain(t))
	w.discord.SetLocale(w.user, "en-US")
	w.begin()
	token := w.discord.Slash(w.user, w.general, "maru", "schedule", map[string]string{"action": "add"})
	list := w.answers(token, "Fill in a form")
	form := w.opened(w.user, list.ID, labelled(t, list, "Fill in a form"))
	for _, step := range []struct{ when, says string }{
		{"61 9 * * 1", "isn't a cron expression"}, {"2020-01-01", "already over"}, {"every Tuesday at noon", "every Tuesday at 12:00 pm"},
	} {
		token := w.discord.Submit(w.user, w.general, form.CustomID, map[string]string{"when": step.when, "text": "the menu", "kind": "remind"})
		said := func() string {
			i := w.discord.Interaction(token)
			raw, err := json.Marshal([]any{i.Data, i.Original, i.FollowUps})
			if err != nil {
				t.Fatal(err)
			}
			return bare(string(raw))
		}
		if err := w.discord.Await(within(t, atMost), func() bool { return strings.Contains(said(), step.says) }); err != nil {
			t.Fatalf("%q is answered with %s", step.when, said())
		}
	}
	w.kill()
	if n := w.overdue(); n != 1 {
		t.Fatalf("%d schedules after the form", n)
	}
	w.begin()
	w.await(w.general, 1, "⏰ the menu")
}

// TestSlackWorkflowTrigger enables the schedule of a team's workflow in a channel and kills the program before it is due.
func TestSlackWorkflowTrigger(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t))
	dir := filepath.Join(w.dir, "data", "workflows")
	must(t, "make the folder", os.MkdirAll(dir, 0o700))
	must(t, "write a workflow", os.WriteFile(filepath.Join(dir, "digest.json"), []byte(`{"id": "digest", "name": "Digest",
		"triggers": [{"id": "monday", "type": "schedule", "when": "매주 월요일 9시", "time_zone": "Asia/Seoul", "input": "last week"}],
		"nodes": [{"id": "start", "node_type": "start"}, {"id": "say", "node_type": "set_state", "config": {"set": {"final_answer": "Digest of {{input}}"}}}, {"id": "end", "node_type": "end"}],
		"edges": [{"source": "start", "target": "say"}, {"source": "say", "target": "end"}]}`), 0o600))
	w.start()
	w.slack.Slash("U2", "C1", "/maru", "schedule enable digest") // no admin
	w.reads("U2", "Only an admin of this channel or the owner of the workflow Digest")
	w.slack.Slash("U1", "C1", "/maru", "schedule enable digest")
	w.reads("U1", "매주 월요일 오전 9:00")
	w.kill()
	if n := w.overdue(); n != 1 {
		t.Fatalf("%d schedules after a kill", n)
	}
	w.start()
	results := func() (n int) {
		for _, m := range w.slack.Messages("C1", "") {
			if strings.Contains(m.Text+string(m.Blocks), "Digest of last week") {
				n++
			}
		}
		return n
	}
	if err := w.slack.Wait(within(t, atMost), func() bool { return results() == 1 }); err != nil {
		t.Fatalf("no result in the channel: %q", w.bots("C1", ""))
	}
	w.kill()
	w.start()
	w.slack.Say("U1", "C1", "<@UBOT> hello there", "")
	w.slack.Slash("U1", "C1", "/maru", "schedule disable digest")
	w.reads("U1", "last week")
	if n := results(); n != 1 {
		t.Errorf("%d results", n)
	}
}
