package main

import (
	"strings"
	"testing"
)

// TestMoneyIsCounted: what the price table says a model costs is in the sums, and
// the daily budget of money warns and stops.
func TestMoneyIsCounted(t *testing.T) {
	t.Parallel()
	unraced(t)
	w := newSlackWorld(t, brain(t), "MARU_ADMINS=slack/T1/U2", "MODEL_PRICES=test=1000/1000")
	w.start()
	ctx := within(t, atMost)
	told := func(text string) string { // what the next whisper says
		before := len(w.slack.Whispers("U2"))
		w.slack.Slash("U2", "C1", "/maru", text)
		if err := w.slack.Wait(ctx, func() bool { return len(w.slack.Whispers("U2")) > before }); err != nil {
			t.Fatalf("/maru %s says nothing", text)
		}
		return bare(w.slack.Whispers("U2")[before].Shown())
	}
	order := func(text, want string) {
		t.Helper()
		said := told(text)
		for ; ctx.Err() == nil && !strings.Contains(said, want); said = told(text) { // what an answer cost is counted a moment after it is seen
		}
		if !strings.Contains(said, want) {
			t.Errorf("/maru %s says %q, want %q", text, said, want)
		}
	}
	order("settings set channel daily_cost 0.01", "daily_cost = 0.01 (channel)")
	w.await("C1", w.slack.Say("U3", "C1", "<@UBOT> hello", ""), 1, "You said: hello")
	order("usage", "cost 0.")
	w.await("C1", w.slack.Say("U3", "C1", "<@UBOT> hello again", ""), 1, "This channel's daily budget is used up")
	order("status", "/ 0.01")
}
