package discord_test

import (
	"errors"
	"net/http"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
	"maru/bot"
)

// What the reference of Discord's API says, and what becomes of it.

// Every code of the reference with which posting or editing can be refused has a
// decided meaning, so that nothing is tried again in vain.
func TestDocumentedErrorsHaveAMeaning(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]error{
		10003: bot.ErrGone, 10004: bot.ErrGone, 10008: bot.ErrGone, 10013: bot.ErrGone, 10015: bot.ErrGone, 50027: bot.ErrGone,
		20009: bot.ErrForbidden, 40001: bot.ErrForbidden, 40005: bot.ErrForbidden, 50001: bot.ErrForbidden, 50007: bot.ErrForbidden,
		50008: bot.ErrForbidden, 50009: bot.ErrForbidden, 50013: bot.ErrForbidden, 50024: bot.ErrForbidden, 50278: bot.ErrForbidden,
		160005: bot.ErrForbidden, 200000: bot.ErrForbidden, 200001: bot.ErrForbidden, 240000: bot.ErrForbidden, 400001: bot.ErrForbidden,
		30046: bot.ErrTooOld,
		40003: bot.ErrUnavailable, 40004: bot.ErrUnavailable, 40006: bot.ErrUnavailable, 130000: bot.ErrUnavailable,
	} {
		w := newWorld(t, discordfake.Config{}, discord.Config{})
		m := w.ask("question")
		ref, err := w.a.Post(w.ctx, bot.Target{Thread: m.Thread, Title: "t"}, text("answer"), "k")
		if err != nil {
			t.Fatal(err)
		}
		w.fake.Fail(discordfake.Fault{Method: "PATCH", Path: "/messages/", Status: http.StatusBadRequest, Code: code, Times: 2}) // and a notice in its place
		if _, err := w.a.Edit(w.ctx, ref, text("other")); !errors.Is(err, want) {
			t.Errorf("edit refused with %d: %v", code, err)
		}
	}
}

// A reply that may not name what it answers is posted without.
func TestReplyWithoutReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, discordfake.Config{}, discord.Config{ChannelAnswers: true})
	m := w.ask("question")
	w.fake.Fail(discordfake.Fault{Method: "POST", Path: "/messages", Status: http.StatusBadRequest, Code: 160002, Times: 1})
	to := bot.Target{Thread: m.Thread, ReplyTo: m.ID, Title: "t"}
	if _, err := w.a.Post(w.ctx, to, text("answer"), "k"); err != nil {
		t.Fatal(err)
	}
}
