package memtest

import (
	"slices"
	"testing"

	"maru/bot"
)

// stopCases hold for records that several replicas share.
var stopCases = map[string]func(*testing.T, bot.Record){
	"the_owner_is_told_until_it_has_heard_and_for_this_lease": func(t *testing.T, r bot.Record) {
		s, ok := r.(bot.Stopper)
		if !ok {
			t.Skip("this record has one replica")
		}
		ctx := t.Context()
		ask := func(want bool) {
			t.Helper()
			found, err := s.AskStop(ctx, threadA.Key(), "stop")
			working, err2 := s.Working(ctx, threadA.Key())
			if err != nil || err2 != nil || found != want || working != want {
				t.Errorf("asked %v, working %v, want %v: %v, %v", found, working, want, err, err2)
			}
		}
		told := func(owner string, want int) []bot.Stop {
			t.Helper()
			got, err := s.Stops(ctx, owner)
			if err != nil || len(got) != want || want > 0 && (got[0].Thread != threadA.Key() || got[0].Why != "stop") {
				t.Errorf("stops of %s: %v, %v, want %d", owner, got, err, want)
			}
			return got
		}
		put(t, r, message(t, threadA, "100", "x"))
		ask(false)
		l := claim(t, r, threadA.Key())
		ask(true)
		told("somebody else", 0)
		first := told("worker", 1)
		if again := told("worker", 1); !slices.Equal(again, first) {
			t.Errorf("told %v and then %v", first, again)
		}
		ask(true) // before it was heard
		second := told("worker", 1)
		noErr(t, "heard the first", s.HeardStops(ctx, first))
		if left := told("worker", 1); slices.Equal(first, second) || !slices.Equal(left, second) {
			t.Errorf("after %v was heard: %v, want %v", first, left, second)
		}
		for range 2 {
			noErr(t, "heard the second", s.HeardStops(ctx, second))
			told("worker", 0)
		}
		ask(true)
		noErr(t, "release", r.Release(ctx, l))
		ask(false)
		claim(t, r, threadA.Key())
		told("worker", 0) // requests to the previous lease
	},
}
