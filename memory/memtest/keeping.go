package memtest

import (
	"slices"
	"testing"
	"time"

	"maru/bot"
)

var ratingCases = map[string]func(*testing.T, bot.Record){
	"one_vote_a_person_the_newest": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		for _, c := range []struct {
			who      string
			vote     int
			up, down int
		}{{"a", 1, 1, 0}, {"b", -1, 1, 1}, {"a", -1, 0, 2}, {"a", -1, 0, 2}, {"b", 0, 0, 1}, {"c", 7, 1, 1}} {
			up, down, err := r.Rate(ctx, threadA.Key(), "run1", c.who, c.vote)
			if err != nil || up != c.up || down != c.down {
				t.Errorf("%+v: %d up, %d down, %v", c, up, down, err)
			}
		}
		put(t, r, message(t, threadA, "100", "x"))
		noErr(t, "forget", r.Forget(ctx, threadA.Key()))
		if up, down, err := r.Rate(ctx, threadA.Key(), "run1", "d", 1); err != nil || up != 1 || down != 0 {
			t.Errorf("after the thread was forgotten: %d up, %d down, %v", up, down, err)
		}
	},
}

var keepingCases = map[string]func(*testing.T, bot.Record){
	"a_thread_rests_once": func(t *testing.T, r bot.Record) {
		ctx := t.Context()
		rested := func(before time.Duration) []string {
			list, err := r.Rested(ctx, time.Now().Add(-before), 10)
			noErr(t, "rested", err)
			return list
		}
		l, it := working(t, r)
		if got := rested(-time.Hour); len(got) != 0 {
			t.Errorf("a thread with work rests: %q", got)
		}
		finish(t, r, l, it.ID, bot.Outcome{})
		if got := rested(time.Hour); len(got) != 0 {
			t.Errorf("a thread that was used just now rests: %q", got)
		}
		if got := rested(-time.Hour); !slices.Equal(got, []string{threadA.Key()}) {
			t.Errorf("rested %q", got)
		}
		noErr(t, "kept", r.Kept(ctx, threadA.Key()))
		if got := rested(-time.Hour); len(got) != 0 {
			t.Errorf("kept twice: %q", got)
		}
	},
}
