package discord_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/adapters/discord/rest"
	"maru/bot"
	"maru/logtest"
)

// eventually waits for a condition.
func (w *world) eventually(what string, done func() bool) {
	w.t.Helper()
	for !done() {
		if w.ctx.Err() != nil {
			w.t.Fatalf("%s: never", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestARefusedBotIsTriedAgain: a bot whose session Discord ends with 4004 says so in Ready and the log, tries again with
// growing pauses, and serves once it is let in.
func TestARefusedBotIsTriedAgain(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	cfg := hurried(100)
	cfg.Logger = log.Logger()
	w := newWorld(t, discordfake.Config{Turn: 5 * time.Second / 100}, cfg)
	w.ask("one")
	w.fake.RefuseIdentify(4004)
	w.fake.CloseGateway(4004)
	w.eventually("two tries in the log", func() bool {
		s := log.String()
		return strings.Contains(s, "refuses the bot") && strings.Contains(s, "10s") && strings.Contains(s, "20s")
	})
	if err := w.a.Ready(w.ctx); err == nil || !strings.Contains(err.Error(), "4004") {
		t.Errorf("Ready says %v, want the close code", err)
	}
	w.fake.RefuseIdentify(0)
	w.eventually("ready again", func() bool { return w.a.Ready(w.ctx) == nil })
	if m := w.ask("two"); !strings.Contains(m.Text, "two") {
		t.Errorf("it hears %q", m.Text)
	}
}

// TestARefusedCallIsTriedAgain: a call that is refused for the token ends all calls until Discord takes it again.
func TestARefusedCallIsTriedAgain(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	cfg := hurried(100)
	cfg.Logger = log.Logger()
	w := newWorld(t, discordfake.Config{Turn: 5 * time.Second / 100}, cfg)
	m := w.ask("one")
	w.fake.Fail(discordfake.Fault{Method: http.MethodPost, Path: "/messages", Status: http.StatusUnauthorized})
	target := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}
	if _, err := w.a.Post(w.ctx, target, text("answer"), "k"); err == nil {
		t.Fatal("a refused call succeeds")
	}
	w.eventually("the log", func() bool { return strings.Contains(log.String(), "discord refuses the token") })
	w.eventually("ready again", func() bool { return !errors.Is(w.a.Ready(w.ctx), rest.ErrToken) })
	w.eventually("the answer", func() bool {
		_, err := w.a.Post(w.ctx, target, text("answer"), "k")
		return err == nil
	})
}
