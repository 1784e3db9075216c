package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
)

// answers waits until the answer to an interaction has text, and returns the message that has it.
func (w *discordWorld) answers(token, text string) (m discordfake.Message) {
	w.t.Helper()
	if err := w.discord.Await(within(w.t, atMost), func() bool {
		i := w.discord.Interaction(token)
		all := i.FollowUps
		if i.Original != nil {
			all = append(all, *i.Original)
		}
		at := slices.IndexFunc(all, func(m discordfake.Message) bool { return strings.Contains(bare(m.Content+raw(w.t, m)), text) })
		if at >= 0 {
			m = all[at]
		}
		return at >= 0
	}); err != nil {
		i := w.discord.Interaction(token)
		w.t.Fatalf("no answer has %q: %s", text, mustJSON(w.t, []any{i.Data, i.Original, i.FollowUps}))
	}
	return m
}

// labelled returns the custom ID of a message's button.
func labelled(t *testing.T, m discordfake.Message, label string) string {
	t.Helper()
	for id, l := range buttons(t, m.Components) {
		if l == label {
			return id
		}
	}
	t.Fatalf("no button %q: %s", label, mustJSON(t, m.Components))
	return ""
}

// TestDiscordGapIsAnswered answers a gap by the form behind the button of a private list, after a kill: the answer is a
// note of the channel. Others than admins see no list.
func TestDiscordGapIsAnswered(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, reciter(t))
	w.discord.SetLocale(w.user, "ko")
	other := w.discord.AddUser("영희")
	w.env = append(w.env, "MARU_ADMINS="+w.user)
	w.begin()
	note := w.discord.Say(w.user, w.general, w.discord.Mention()+" remember for this channel: the canteen opens at 8")
	w.await(note.ID, 1, "everybody in this channel")
	asked := w.discord.Say(other, w.general, w.discord.Mention()+" when is the stand-up?")
	w.await(asked.ID, 1, "don't say")
	w.settles()
	w.answers(w.discord.Slash(other, w.general, "maru", "gaps", nil), "Ask an admin")
	list := w.answers(w.discord.Slash(w.user, w.general, "maru", "gaps", nil), "when is the stand-up?")
	w.kill()
	w.begin()
	form := w.opened(w.user, list.ID, labelled(t, list, "1번 답하기"))
	w.answers(w.discord.Submit(w.user, w.general, form.CustomID, map[string]string{"answer": " "}), "적어 주세요")
	w.answers(w.discord.Submit(w.user, w.general, form.CustomID, map[string]string{"answer": "The stand-up is at 10."}), "stand-up is at 10")
	again := w.discord.Say(other, w.general, w.discord.Mention()+" when is the stand-up?")
	w.await(again.ID, 1, "at 10")
	w.answers(w.discord.Slash(w.user, w.general, "maru", "gaps", nil), "없어요")
}

// TestDiscordWeeklyGaps sends the report in a direct message when it is due, after a kill, takes an answer there, and
// sends none to somebody who is an admin no more.
func TestDiscordWeeklyGaps(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, reciter(t))
	w.discord.SetLocale(w.user, "ko")
	other := w.discord.AddUser("영희")
	env := w.env
	w.env = append(slices.Clone(env), "MARU_ADMINS="+w.user)
	w.begin()
	note := w.discord.Say(w.user, w.general, w.discord.Mention()+" remember for this channel: the canteen opens at 8")
	w.await(note.ID, 1, "everybody in this channel")
	asked := w.discord.Say(other, w.general, w.discord.Mention()+" when is the stand-up?")
	w.await(asked.ID, 1, "don't say")
	w.answers(w.discord.Slash(w.user, w.general, "maru", "gaps", map[string]string{"action": "weekly"}), "매주 월요일 9시에")
	w.settles()
	w.kill()
	if n := w.overdue(); n != 1 {
		t.Fatalf("%d reports are scheduled", n)
	}
	w.begin()
	w.saw(w.discord.DM(w.user), "when is the stand-up?")
	report := w.discord.BotMessages(w.discord.DM(w.user))[0]
	token := w.discord.Click(w.user, w.discord.DM(w.user), report.ID, labelled(t, report, "1번 답하기"))
	var form control
	awaits(t, "no form", func() bool { return w.discord.Interaction(token).Kind == 9 })
	decoded(t, w.discord.Interaction(token).Data, &form)
	w.answers(w.discord.SubmitOn(w.user, w.discord.DM(w.user), form.CustomID, report.ID, map[string]string{"answer": "The stand-up is at 10."}), "stand-up is at 10")
	again := w.discord.Say(other, w.general, w.discord.Mention()+" when is the stand-up?")
	w.await(again.ID, 1, "at 10")
	w.settles()
	w.kill()
	w.env = env
	w.overdue()
	w.begin()
	w.await(w.discord.DM(w.user), 2, "관리자가 아니어서 보고를 멈췄어요")
	list := w.answers(w.discord.Slash(w.user, w.discord.DM(w.user), "maru", "schedule", nil), "관리자가 아니에요")
	id := regexp.MustCompile("`([0-9a-f]+)`").FindStringSubmatch(list.Content)[1]
	w.answers(w.discord.Slash(w.user, w.discord.DM(w.user), "maru", "schedule", map[string]string{"action": "run", "what": id}), "관리자가 아니어서 보고를 멈췄어요")
}

// TestSlackWeeklyGaps does the same on Slack, in English, and ends the reports by a command.
func TestSlackWeeklyGaps(t *testing.T) {
	t.Parallel()
	const direct = "D2"
	w := newSlackWorld(t, reciter(t), "MARU_ADMINS=U2")
	w.slack.AddChannel(slackfake.Channel{ID: direct, Members: []string{"U2", "UBOT"}})
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> remember for this channel: the canteen opens at 8", "")
	w.await("C1", root, 1, "everybody in this channel")
	asked := w.slack.Say("U3", "C1", "<@UBOT> when is the stand-up?", "")
	w.await("C1", asked, 1, "don't say")
	w.whispered("U2", "C1", "gaps weekly", "Every Monday at 9")
	w.settles()
	w.kill()
	if n := w.overdue(); n != 1 {
		t.Fatalf("%d reports are scheduled", n)
	}
	w.start()
	var report slackfake.Message
	awaits(t, "no report", func() bool {
		for _, m := range w.slack.Messages(direct, "") {
			if strings.Contains(m.Text+string(m.Blocks), "when is the stand-up?") && slices.Contains(m.Buttons(), "Answer 1") {
				report = m
			}
		}
		return report.TS != ""
	})
	if _, err := w.slack.Click("U2", direct, report.TS, "Answer 1"); err != nil {
		t.Fatal(err)
	}
	var form slackfake.View
	awaits(t, "no form", func() bool {
		v, ok := w.slack.LastView()
		form = v
		return ok && v.Open
	})
	if _, err := w.slack.Submit("U2", form.ID, map[string]string{"answer": "The stand-up is at 10."}); err != nil {
		t.Fatal(err)
	}
	w.reads("U2", "stand-up is at 10")
	again := w.slack.Say("U3", "C1", "<@UBOT> when is the stand-up?", "")
	w.await("C1", again, 1, "at 10")
	w.whispered("U2", "C1", "gaps off", "no longer")
	w.settles()
	w.kill()
	if n := w.overdue(); n != 0 {
		t.Errorf("%d reports are scheduled after they were ended", n)
	}
}
