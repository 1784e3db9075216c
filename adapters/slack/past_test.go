package slack_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/slack/slackfake"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	root := w.Say("U2", "C1", "root", "")
	for i := range 250 {
		w.Say("U3", "C1", fmt.Sprint("m", i), root)
	}
	if _, err := w.adapter.Post(t.Context(), target("C1", root), text("bot said"), "k"); err != nil {
		t.Fatal(err)
	}
	now := w.Say("U1", "C1", "<@UBOT> summarise", root)
	w.Say("U1", "C1", "later", root)
	got, err := w.adapter.History(t.Context(), thread("C1", root), now, 5)
	if err != nil || len(got) != 5 {
		t.Fatalf("%d messages, %v", len(got), err)
	}
	if last := got[4]; last.Text != "bot said" || !last.User.Bot || !last.Own {
		t.Errorf("last: %+v", last)
	}
	if got[0].Text != "m246" || got[0].User.Name != "bob" || got[0].ID >= got[1].ID {
		t.Errorf("first: %+v", got[0])
	}
}

// TestHistoryOfALongThread: what was said last is read, however long ago and how fast
// the rest was, with few requests.
func TestHistoryOfALongThread(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("of thousands of messages, one after another")
	}
	const newest = 50
	for name, c := range map[string]struct {
		n    int
		gap  func(i int) time.Duration // before message i
		asks int
	}{
		"all_at_once":              {2500, func(int) time.Duration { return time.Millisecond }, 4},
		"one_an_hour":              {2500, func(int) time.Duration { return time.Hour }, 5},
		"a_talk_and_then_nothing":  {2500, pauseAt(2450, 200*24*time.Hour), 7},
		"nothing_and_then_a_talk":  {2300, pauseAt(250, 200*24*time.Hour), 4},
		"a_word_after_a_long_time": {2200, pauseAt(2199, 3*24*time.Hour), 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var at atomic.Int64 // in microseconds
			at.Store(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
			w := start(t, slackfake.Options{Now: func() time.Time { return time.UnixMicro(at.Load()) }})
			root := w.Say("U2", "C1", "root", "")
			for i := range c.n {
				at.Add(c.gap(i).Microseconds())
				w.Say("U3", "C1", fmt.Sprint("m", i), root)
			}
			at.Add(time.Second.Microseconds())
			now := w.Say("U1", "C1", "<@UBOT> summarise", root)
			got, err := w.adapter.History(t.Context(), thread("C1", root), now, newest)
			if err != nil || len(got) != newest {
				t.Fatalf("%d messages, %v", len(got), err)
			}
			for i, m := range got {
				if want := fmt.Sprint("m", c.n-newest+i); m.Text != want {
					t.Fatalf("message %d of the last ones is %q, want %q", i, m.Text, want)
				}
			}
			if n := len(w.Calls("conversations.replies")); n > c.asks {
				t.Errorf("%d requests, want at most %d", n, c.asks)
			}
		})
	}
}

// pauseAt says something every second, but for one pause before message n.
func pauseAt(n int, pause time.Duration) func(int) time.Duration {
	return func(i int) time.Duration {
		if i == n {
			return pause
		}
		return time.Second
	}
}
