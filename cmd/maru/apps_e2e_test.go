package main

import (
	"testing"
)

// TestAppsMentionMaru: a workflow of Slack and an app of Discord that mention Maru are answered where MARU_APPS names them,
// and stay unanswered without.
func TestAppsMentionMaru(t *testing.T) {
	t.Parallel()
	unraced(t)
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		w := newSlackWorld(t, linkReader(t), "MARU_APPS=B0WF")
		w.start()
		for _, app := range []string{"B0XX", "B0WF"} {
			said := map[string]any{"subtype": "bot_message", "bot_id": app, "username": "Weekly workflow", "text": "<@UBOT> weekly report please"}
			ts := w.slack.SayByApp("C1", "", said)
			ev := map[string]any{"type": "message", "channel": "C1", "channel_type": "channel", "ts": ts, "event_ts": ts}
			for k, v := range said {
				ev[k] = v
			}
			w.slack.Emit(ev)
			if app == "B0WF" {
				w.await("C1", ts, 1, "I was given nothing")
				continue
			}
			person := w.slack.Say("U1", "C1", "<@UBOT> hello there", "")
			w.await("C1", person, 1, "")
			if n := len(w.slack.Replies("C1", ts)); n > 1 {
				t.Errorf("an app without leave has %d replies", n-1)
			}
		}
	})
	t.Run("discord", func(t *testing.T) {
		t.Parallel()
		w := newDiscordWorld(t, linkReader(t), "MARU_APPS=all")
		w.begin()
		app := w.discord.AddBot("Monitor")
		w.await(w.discord.Say(app, w.general, w.discord.Mention()+" who owns n-31?").ID, 1, "I was given nothing")
	})
}
