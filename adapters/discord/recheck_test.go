package discord_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// remembering is an intake that tells what it holds, as the bot does.
type remembering struct {
	*intake
	held []bot.Message
}

func (r *remembering) Remembered(_ context.Context, place bot.Thread, _ time.Time, _ int) ([]bot.Message, error) {
	var out []bot.Message
	for _, m := range r.held {
		if m.Thread.Channel == place.Channel && (place.ID == "" || place.ID == m.Thread.ID) {
			out = append(out, m)
		}
	}
	return out, nil
}

// away runs a bot that three people's messages reach, then lets change happen
// while it is away, and returns the changes that the next one hears of.
func away(t *testing.T, change func(*world, []bot.Message)) (asked []bot.Message, heard []bot.Change) {
	t.Helper()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	for _, s := range []string{"one", "two", "three"} {
		asked = append(asked, w.ask(s))
	}
	ref := w.post(asked[2], text("answer"), "k")
	w.fake.Say(w.fake.Alice, asked[2].Thread.ID, "four, in the thread")
	asked = append(asked, w.in.message(w.ctx, t, 3))
	if err := w.stop(); err != nil || ref.IsZero() {
		t.Fatal(err)
	}
	change(w, asked)
	next := &remembering{intake: w.in.heir(), held: asked}
	sessions := len(w.fake.Identifies())
	a, ended, cancel := run(w.ctx, t, w.fake, next, discord.Config{})
	if err := w.fake.Await(w.ctx, func() bool { return w.fake.Connected() && len(w.fake.Identifies()) > sessions }); err != nil {
		t.Fatal(err)
	}
	w.fake.Say(w.fake.Bob, w.fake.General, w.fake.Mention()+" the end")
	next.await(w.ctx, t, "what was said afterwards", func() bool {
		return slices.ContainsFunc(next.messages, func(m bot.Message) bool { return m.Text == "the end" })
	})
	w.until("the lanes are empty", a.Idle)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return asked, next.changes
}

func (w *world) until(what string, cond func() bool) {
	w.t.Helper()
	for !cond() {
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("waiting for %s", what)
		case <-time.After(time.Millisecond):
		}
	}
}

// What people edited and deleted while the bot was away is heard when it is back,
// in channels and in threads, and nothing else is.
func TestChangesWhileAway(t *testing.T) {
	t.Parallel()
	asked, heard := away(t, func(w *world, asked []bot.Message) {
		w.fake.EditMessage(asked[0].ID, w.fake.Mention()+" one, but other")
		w.fake.DeleteMessage(asked[1].ID)
		w.fake.DeleteMessage(asked[3].ID)
	})
	got := map[string]bot.Change{}
	for _, c := range heard {
		got[c.Message] = c
	}
	if len(got) != 3 || got[asked[0].ID].Text != "one, but other" || got[asked[0].ID].Deleted || got[asked[0].ID].Thread != asked[0].Thread {
		t.Errorf("changes %+v", heard)
	}
	for _, n := range []int{1, 3} {
		if c := got[asked[n].ID]; !c.Deleted || c.Thread.Key() != asked[n].Thread.Key() {
			t.Errorf("deletion of %d: %+v", n, c)
		}
	}
}

// Who may not read a channel any more is shown it empty: that is no deletion.
func TestUnreadableIsNotDeleted(t *testing.T) {
	t.Parallel()
	_, heard := away(t, func(w *world, _ []bot.Message) { w.fake.HideHistory(w.fake.General) })
	if len(heard) != 0 {
		t.Errorf("changes %+v", heard)
	}
}
