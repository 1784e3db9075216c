package bot_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/agent"
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
		"decided": {func(w *world, _ func(time.Duration), _ bot.Message, old bot.Action) { w.act(old) }, "Decided: "},
		"decided_after_a_restart": {func(w *world, _ func(time.Duration), _ bot.Message, old bot.Action) {
			w.stop()
			w.start()
			w.act(old)
		}, "Decided: "},
		"expired": {func(_ *world, forward func(time.Duration), _ bot.Message, _ bot.Action) { forward(24 * time.Hour) }, "No one decided in time: "},
		"deleted": {func(w *world, _ func(time.Duration), m bot.Message, _ bot.Action) {
			if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, User: m.User, At: w.now()}); err != nil {
				w.t.Fatal(err)
			}
		}, "This request was withdrawn: "},
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

// TestAPointerEndsWithItsQuestion: what was said below somebody's words, that the
// card above waits for a decision, is not said any more once it does not.
func TestAPointerEndsWithItsQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(w *world, forward func(time.Duration), m bot.Message, old bot.Action)
		want string
	}{
		"decided": {func(w *world, _ func(time.Duration), _ bot.Message, old bot.Action) { w.act(old) }, "☑️ Decided: "},
		"decided_after_a_restart": {func(w *world, _ func(time.Duration), _ bot.Message, old bot.Action) {
			w.stop()
			w.start()
			w.act(old)
		}, "☑️ Decided: "},
		"answered_in_words": {func(w *world, _ func(time.Duration), m bot.Message, _ bot.Action) {
			w.follow("U1", "and drop step 1", m.Thread)
		}, "☑️ Decided: "},
		"expired": {func(_ *world, forward func(time.Duration), _ bot.Message, _ bot.Action) { forward(49 * time.Hour) }, "⌛ No one decided in time: "},
		"deleted": {func(w *world, _ func(time.Duration), m bot.Message, _ bot.Action) {
			if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, User: m.User, At: w.now()}); err != nil {
				w.t.Fatal(err)
			}
		}, "↩️ This request was withdrawn: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, insisting)
			forward := clockOf(w)
			w.set("approval_expires", "48h0m0s")
			m, pointer, old := pointed(w)
			c.end(w, forward, m, old)
			if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool {
				return p.ID == pointer.ID && strings.Contains(p.Card.Text, c.want) && strings.HasPrefix(p.Card.Text, "I did not understand that.")
			}); err != nil {
				t.Fatal(err)
			}
			w.settled()
			for _, p := range w.platform.Posts(m.Thread) {
				if p.ID == pointer.ID && (p.Edits != 1 || strings.Contains(p.Card.Text, "⬆️")) {
					t.Errorf("after %d edits it says %q", p.Edits, p.Card.Text)
				}
			}
		})
	}
}

// TestAPointerThatMayNotBeEditedStays, and the run goes on as if it had been.
func TestAPointerThatMayNotBeEditedStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, insisting)
	m, pointer, old := pointed(w)
	w.platform.Delete(pointer.ID) // its edit is refused
	w.act(old)
	if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return p.Card.Final && p.Card.Text == "done" }); err != nil {
		t.Fatal(err)
	}
	w.settled()
	if posts := w.platform.Posts(m.Thread); len(posts) != 1 {
		t.Errorf("%d messages: %+v", len(posts), posts)
	}
}

// insisting proposes a plan, and again for every words that are no yes.
func insisting(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
	ask, before := planAsk(), ""
	if len(req.Decisions) > 0 {
		before = req.Decisions[0].Interrupt // tells the questions apart
		if d := req.Decisions[0]; d.Expired || strings.Contains(string(d.Value), `"accept"`) {
			return agent.Result{Text: "done"}, nil
		}
		ask.Notes = []string{"I did not understand that."}
	}
	raw, err := json.Marshal(ask)
	return agent.Result{Interrupts: []agent.Interrupt{{ID: "i" + before, Kind: "plan", Payload: raw}}}, err
}

// pointed returns a plan that waits again after words that it did not take: with what
// points at its card, and the click that approves it.
func pointed(w *world) (m bot.Message, pointer bottest.Post, approve bot.Action) {
	w.t.Helper()
	m = w.say("mail the team", w.platform.Thread("C1", ""))
	waitingCard(w, m)
	w.settled()
	w.follow("U1", "can you drop step 2?", m.Thread)
	pointer, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return strings.Contains(p.Card.Text, "⬆️") })
	if err != nil {
		w.t.Fatal(err)
	}
	w.settled()
	return m, pointer, click(m, waitingCard(w, m).Buttons[1], "U1") // the first is a suggestion
}
