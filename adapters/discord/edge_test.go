package discord_test

import (
	"errors"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// TestAnEdgeThatForbidsIsTemporary: a 403 that is not the API's says nothing about the bot's rights, and a 404 nothing
// about the channel. Where a thread is not found by a page, the answer need not wait for it.
func TestAnEdgeThatForbidsIsTemporary(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordfake.Fault{"page": {HTML: true}, "words": {Code: 40333}, "not found": {HTML: true, Status: 404}} {
		for _, path := range []string{"/threads", "/messages"} {
			if fault.Status == 404 && path == "/threads" {
				continue
			}
			t.Run(name+path, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, discordfake.Config{}, discord.Config{})
				m := w.ask("hello")
				fault := fault
				fault.Method, fault.Path, fault.Status = "POST", path, max(fault.Status, 403)
				if path == "/messages" {
					fault.Path = "/" + m.ID + path
				}
				w.fake.Fail(fault)
				to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, User: m.User}
				if _, err := w.a.Post(w.ctx, to, text("one"), "k"); !errors.Is(err, bot.ErrUnavailable) {
					t.Errorf("error is %v, want a temporary one", err)
				}
				w.post(m, text("one"), "k")
				if got := w.fake.BotMessages(m.ID); len(got) != 1 || len(w.fake.BotMessages(w.fake.General)) != 0 {
					t.Errorf("shown: %+v", got)
				}
			})
		}
	}
}

// TestALimitOfThreadsLeavesTheChannel: a channel takes only so many new threads, and then none for minutes.
func TestALimitOfThreadsLeavesTheChannel(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]float64{"for a moment": 0.3, "for minutes": 100, "for many minutes": 280} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, discordfake.Config{}, discord.Config{})
			m := w.ask("hello")
			w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/threads", Status: 429, After: after})
			ref := w.post(m, text("one"), "k")
			waits, place := after < 10, w.fake.General
			if waits {
				place = m.ID
			}
			if got := w.fake.BotMessages(place); len(got) != 1 || ref.Channel != place || !waits && got[0].Reference != m.ID {
				t.Fatalf("in %s: %+v", place, got)
			}
			if waits {
				return
			}
			from := w.fake.Count("POST", "/threads")
			w.post(w.ask("more"), text("two"), "k2")
			if n := w.fake.Count("POST", "/threads") - from; n != 0 {
				t.Errorf("%d threads are tried while the channel takes none", n)
			}
		})
	}
}
