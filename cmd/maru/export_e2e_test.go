package main

import (
	"encoding/csv"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
)

// usageRows returns the rows of a CSV file of usage, without their names.
func usageRows(t *testing.T, data []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil || len(rows) == 0 || rows[0][0] != "day" && rows[0][0] != "team" {
		t.Fatalf("no usage: %q, %v", data, err)
	}
	return rows[1:]
}

// TestUsageFileOnSlack: an admin gets the rows of all, a member their own, each in
// their own direct conversation.
func TestUsageFileOnSlack(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newSlackWorld(t, brain(t), "MARU_ADMINS=U2")
	w.start()
	w.slack.AddChannel(slackfake.Channel{ID: "D2", Members: []string{"UBOT", "U2"}})
	w.slack.AddChannel(slackfake.Channel{ID: "D3", Members: []string{"UBOT", "U3"}})
	root := w.slack.Say("U3", "C1", "<@UBOT> hello", "")
	w.await("C1", root, 1, "You said: hello")
	w.lessonsTaken() // what the answer used is counted with its end
	for _, c := range []struct {
		user, direct, said string
		rows               int
	}{{"U2", "D2", "Only you can see this file", 1}, {"U3", "D3", "CSV", 1}} {
		w.slack.Slash(c.user, "C1", "/maru", "usage csv")
		if err := w.slack.Wait(within(t, atMost), func() bool {
			return len(w.slack.Whispers(c.user)) > 0 && strings.Contains(w.slack.Whispers(c.user)[0].Shown(), c.said)
		}); err != nil {
			t.Fatalf("%s is told %+v", c.user, w.slack.Whispers(c.user))
		}
		found := false
		for _, m := range w.slack.Messages(c.direct, "") {
			for _, f := range w.slack.Uploaded(m) {
				rows := usageRows(t, f.Data)
				found = true
				if len(rows) != c.rows || rows[0][3] != "U3" {
					t.Errorf("%s gets %v", c.user, rows)
				}
			}
		}
		if !found {
			t.Errorf("%s finds no file in %s: %+v", c.user, c.direct, w.slack.Messages(c.direct, ""))
		}
	}
	for _, m := range w.slack.Messages("C1", "") {
		if len(m.Files) > 0 {
			t.Errorf("a file for one person stands in the channel: %+v", m)
		}
	}
}

// TestUsageFileOnDiscord does the same where the file is part of a private answer.
func TestUsageFileOnDiscord(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newDiscordWorld(t, brain(t))
	stranger := w.discord.AddUser("영희")
	w.discord.SetLocale(stranger, "ko")
	w.env = append(w.env, "MARU_ADMINS="+w.user)
	w.begin()
	m := w.discord.Say(w.user, w.general, w.discord.Mention()+" hello")
	w.await(m.ID, 1, "You said: hello")
	w.lessonsTaken() // as above
	token := w.discord.Slash(w.user, w.general, "maru", "usage", map[string]string{"days": "30", "form": "csv"})
	if err := w.discord.Await(within(t, atMost), func() bool { return len(w.discord.Interaction(token).FollowUps) == 1 }); err != nil {
		t.Fatalf("no file: %+v", w.discord.Interaction(token))
	}
	f := w.discord.Interaction(token).FollowUps[0]
	if rows := usageRows(t, w.discord.FileData(f.Files[0].ID)); !f.Ephemeral || len(rows) != 1 || rows[0][3] != w.user {
		t.Errorf("%+v: %v", f, rows)
	}
	token = w.discord.Slash(stranger, w.general, "maru", "usage", map[string]string{"form": "csv"})
	if err := w.discord.Await(within(t, atMost), func() bool {
		i := w.discord.Interaction(token)
		return i.Original != nil && i.Original.Edits > 0
	}); err != nil {
		t.Fatal("no answer")
	}
	if i := w.discord.Interaction(token); len(i.FollowUps) != 0 {
		t.Errorf("who has used nothing gets a file: %+v", i.FollowUps)
	}
}
