package bot_test

import (
	"testing"
	"time"

	"maru/bot"
)

func TestRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	started := time.Now().Add(-time.Minute)
	said := func(channel, thread, text string) bot.Message {
		m := w.platform.Message("U1", text, w.platform.Thread(channel, thread))
		m.At = time.Now()
		w.deliver(m)
		w.replies(m.Thread, 1)
		w.settled()
		return m
	}
	one, two, far := said("C1", "", "one"), said("C1", "", "two"), said("C2", "", "elsewhere")
	if err := w.bot.Change(w.ctx, bot.Change{Thread: two.Thread, Message: two.ID, Deleted: true, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		place bot.Thread
		since time.Time
		limit int
		want  []bot.Message
	}{
		"of_a_channel":  {w.platform.Thread("C1", ""), started, 10, []bot.Message{one}}, // neither what was deleted nor the bot's own words
		"of_a_thread":   {far.Thread, started, 10, []bot.Message{far}},
		"older":         {far.Thread, time.Now().Add(time.Minute), 10, nil},
		"no_more_than":  {far.Thread, started, 0, nil},
		"other_channel": {w.platform.Thread("C9", ""), started, 10, nil},
	} {
		got, err := w.bot.Remembered(w.ctx, c.place, c.since, c.limit)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		for i, m := range got {
			if m.ID != c.want[i].ID || m.Thread.Key() != c.want[i].Thread.Key() || m.Text != c.want[i].Text {
				t.Errorf("%s: %+v, want %+v", name, m, c.want[i])
			}
		}
	}
}
