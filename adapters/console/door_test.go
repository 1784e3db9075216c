package console_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"maru/adapters/console"
	"maru/bot"
)

// TestDoorGivesAnswersToWhoAsked: of several who ask a running program each gets their own answer; what comes where nobody waits is
// taken, and people are away there.
func TestDoorGivesAnswersToWhoAsked(t *testing.T) {
	t.Parallel()
	d, e := console.NewDoor(), newEcho()
	e.adapter = d
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	asks := func(name, question string) {
		all.Go(func() {
			var out strings.Builder
			if code := d.Ask(ctx, console.Config{Out: &out, Thread: name}, false, question); code != console.ExitAnswered || out.String() != "You wrote "+question+"\n\n" {
				t.Errorf("%s in %s: code %d, %q", question, name, code, out.String())
			}
		})
	}
	for _, q := range []string{"one", "two", "three"} {
		asks("same", q)
		asks(q, q)
	}
	var running sync.WaitGroup
	running.Go(func() { _ = d.Run(ctx, e) }) // who asks before waits for it
	all.Wait()
	e.work.Wait()
	left := bot.Thread{Platform: "console", Team: "local", Channel: "home", ID: "left", Direct: true}
	if ref, err := d.Post(t.Context(), bot.Target{Thread: left}, bot.Card{Kind: bot.CardText, Text: "late", Final: true}, "k"); err != nil || ref.IsZero() {
		t.Errorf("an answer that nobody waits for: %+v, %v", ref, err)
	}
	if !d.Away(left) {
		t.Error("somebody is there")
	}
	cancel()
	running.Wait()
	if code := d.Ask(ctx, console.Config{Out: &strings.Builder{}}, false, "q"); code != console.ExitFailed {
		t.Errorf("code %d", code)
	}
}
