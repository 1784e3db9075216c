package bot_test

import (
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/bottest"
)

// TestReminderEndsWithItsQuestion: a reminder no longer sends people to buttons
// that are gone, however its question ended and whoever ends it.
func TestReminderEndsWithItsQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(w *world, forward func(time.Duration), m bot.Message, old bot.Action)
		want string
	}{
		"decided": {func(w *world, _ func(time.Duration), _ bot.Message, old bot.Action) { w.act(old) }, "This was decided: "},
		"decided_after_a_restart": {func(w *world, _ func(time.Duration), _ bot.Message, old bot.Action) {
			w.stop()
			w.start()
			w.act(old)
		}, "This was decided: "},
		"expired": {func(_ *world, forward func(time.Duration), _ bot.Message, _ bot.Action) { forward(24 * time.Hour) }, "Nobody decided this in time: "},
		"deleted": {func(w *world, _ func(time.Duration), m bot.Message, _ bot.Action) {
			if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, User: m.User, At: w.now()}); err != nil {
				w.t.Fatal(err)
			}
		}, "This question was withdrawn: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asking)
			forward := clockOf(w)
			w.set("approval_reminder", "24h0m0s")
			w.set("approval_expires", "48h0m0s")
			m := w.say("send a mail", w.platform.Thread("C1", ""))
			old := click(m, waitingCard(w, m).Buttons[0], "U1")
			forward(25 * time.Hour)
			reminder := func(p bottest.Post) bool { return p.Key == "remind-"+old.ID }
			if _, err := w.platform.AwaitPost(w.ctx, m.Thread, reminder); err != nil {
				t.Fatal(err)
			}
			w.settled()
			c.end(w, forward, m, old)
			if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool {
				return reminder(p) && strings.Contains(p.Card.Text, c.want)
			}); err != nil {
				t.Fatal(err)
			}
			w.settled()
			for _, p := range w.platform.Posts(m.Thread) {
				if reminder(p) && (p.Edits != 1 || strings.Contains(p.Card.Text, "buttons above")) {
					t.Errorf("after %d edits the reminder says %q", p.Edits, p.Card.Text)
				}
			}
		})
	}
}
