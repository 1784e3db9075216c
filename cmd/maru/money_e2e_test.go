package main

import (
	"strings"
	"testing"
)

// TestMoneyIsCounted: what the price table says a model costs is in the sums, and
// the daily budget of money warns and stops.
func TestMoneyIsCounted(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), "MARU_ADMINS=slack/T1/U2", "MODEL_PRICES=test=1000/1000")
	w.start()
	order := func(text, want string) {
		t.Helper()
		before := len(w.slack.Whispers("U2"))
		w.slack.Slash("U2", "C1", "/maru", text)
		said := func() string {
			var s strings.Builder
			for _, x := range w.slack.Whispers("U2")[before:] {
				s.WriteString(bare(x.Shown()))
			}
			return s.String()
		}
		if err := w.slack.Wait(within(t, atMost), func() bool { return strings.Contains(said(), want) }); err != nil {
			t.Errorf("/maru %s says %q, want %q", text, said(), want)
		}
	}
	order("settings set channel daily_cost 0.01", "daily_cost = 0.01 (channel)")
	w.await("C1", w.slack.Say("U3", "C1", "<@UBOT> hello", ""), 1, "You said: hello")
	w.await("C1", w.slack.Say("U3", "C1", "<@UBOT> hello again", ""), 1, "Today's budget of this place is used up")
	order("usage", "cost 0.")
	order("status", "/ 0.01")
}
