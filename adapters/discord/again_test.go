package discord_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// numbered returns a card of n messages whose lines are counted.
func numbered(n int) bot.Card {
	var s strings.Builder
	for i := range 18*n - 6 {
		fmt.Fprintf(&s, "line %d %s\n\n", i, strings.Repeat("x", 90))
	}
	return text(s.String())
}

// TestARefusedPartRepeatsNone: when a later part of a long reply is refused, the try that
// follows, minutes later, goes on behind the earlier ones; and where its words are
// blocked, none of them stays.
func TestARefusedPartRepeatsNone(t *testing.T) {
	t.Parallel()
	refused := discordfake.Fault{Method: "POST", Path: "/messages", Status: 403, Code: 160005, Later: 2, Times: 9}
	words := discordfake.Fault{Method: "POST", Path: "/messages", Status: 400, Code: 200000, Later: 2}
	t.Run("posted", func(t *testing.T) {
		t.Parallel()
		w, m := opened(t)
		w.fake.Fail(refused)
		to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}
		if _, err := w.a.Post(w.ctx, to, numbered(3), "k"); !errors.Is(err, bot.ErrForbidden) {
			t.Fatalf("posted: %v", err)
		}
		w.later()
		w.post(m, numbered(3), "k")
		w.once(m, 3)
	})
	t.Run("found", func(t *testing.T) {
		t.Parallel()
		w, m := opened(t)
		w.fake.Fail(refused)
		to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}
		if _, err := w.a.Post(w.ctx, to, numbered(3), "k"); !errors.Is(err, bot.ErrForbidden) {
			t.Fatalf("posted: %v", err)
		}
		w.later()
		ref, ok, err := w.a.Find(w.ctx, to, "k")
		if err != nil || !ok || len(ref.Messages) != 2 {
			t.Fatalf("found %+v, %v, %v", ref, ok, err)
		}
		if _, err := w.a.Edit(w.ctx, ref, numbered(3)); err != nil {
			t.Fatal(err)
		}
		w.once(m, 3)
	})
	t.Run("edited", func(t *testing.T) {
		t.Parallel()
		w, m := opened(t)
		ref := w.post(m, text("a draft"), "k")
		w.fake.Fail(refused)
		got, err := w.a.Edit(w.ctx, ref, numbered(4))
		if !errors.Is(err, bot.ErrForbidden) || len(got.Messages) != 3 {
			t.Fatalf("%d messages, %v", len(got.Messages), err)
		}
		w.later()
		if _, err := w.a.Edit(w.ctx, got, numbered(4)); err != nil {
			t.Fatal(err)
		}
		w.once(m, 4)
	})
	t.Run("words_of_a_post", func(t *testing.T) {
		t.Parallel()
		w, m := opened(t)
		w.fake.Fail(words)
		w.post(m, numbered(3), "k")
		w.told(m)
	})
	t.Run("words_of_a_post_whose_notice_fails", func(t *testing.T) {
		t.Parallel()
		w, m := opened(t)
		w.fake.Fail(words, discordfake.Fault{Method: "PATCH", Path: "/messages", Status: 403, Code: 160005})
		if _, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}, numbered(3), "k"); err == nil {
			t.Fatal("it was posted")
		}
		w.later()
		w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/messages", Status: 400, Code: 200000})
		w.post(m, numbered(3), "k")
		w.told(m)
	})
	t.Run("words_of_an_edit", func(t *testing.T) {
		t.Parallel()
		w, m := opened(t)
		ref := w.post(m, text("a draft"), "k")
		w.fake.Fail(words)
		if _, err := w.a.Edit(w.ctx, ref, numbered(4)); err != nil {
			t.Fatal(err)
		}
		w.told(m)
	})
}

// opened returns a world whose thread has one message of the bot.
func opened(t *testing.T) (*world, bot.Message) {
	t.Helper()
	w := newWorld(t, discordfake.Config{}, discord.Config{})
	m := w.ask("hello")
	w.post(m, text("one"), "k0")
	return w, m
}

// later is when Discord knows no nonce any more, and refuses nothing.
func (w *world) later() {
	w.fake.ForgetNonces()
	w.fake.Heal()
}

// once checks that the thread shows n messages behind its first one, with every line once.
func (w *world) once(m bot.Message, n int) {
	w.t.Helper()
	got := w.fake.BotMessages(m.ID)
	var all strings.Builder
	for _, x := range got[1:] {
		all.WriteString(x.Content + "\n")
	}
	if lines := strings.Count(all.String(), "line "); len(got) != n+1 || lines != 18*n-6 {
		w.t.Fatalf("%d messages with %d lines stand there, want %d with %d", len(got)-1, lines, n, 18*n-6)
	}
}

// told checks that nothing but a word about blocked ones is there.
func (w *world) told(m bot.Message) {
	w.t.Helper()
	if got := w.fake.BotMessages(m.ID); len(got) != 2 || !strings.Contains(got[1].Content, "막았어요") {
		w.t.Errorf("%d messages stand there, the last says %.60q", len(got)-1, got[len(got)-1].Content)
	}
}
