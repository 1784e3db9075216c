package memtest

import (
	"testing"

	"maru/bot"
)

// stopCases hold for records that several replicas share.
var stopCases = map[string]func(*testing.T, bot.Record){
	"the_owner_is_told_once_and_for_this_lease": func(t *testing.T, r bot.Record) {
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
		take := func(owner string, want int) {
			t.Helper()
			got, err := s.TakeStops(ctx, owner)
			if err != nil || len(got) != want || want > 0 && got[threadA.Key()] != "stop" {
				t.Errorf("stops of %s: %v, %v, want %d", owner, got, err, want)
			}
		}
		put(t, r, message(t, threadA, "100", "x"))
		ask(false)
		l := claim(t, r, threadA.Key())
		ask(true)
		take("somebody else", 0)
		take("worker", 1)
		take("worker", 0)
		ask(true)
		noErr(t, "release", r.Release(ctx, l))
		ask(false)
		claim(t, r, threadA.Key())
		take("worker", 0) // what was asked of the lease before
	},
}
