package bot_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// offers returns the cards of a thread that offer to remember something.
func (w *world) offers(in bot.Thread) (out []bot.Button) {
	w.t.Helper()
	w.settled()
	for _, p := range w.platform.Posts(in) {
		for _, b := range p.Card.Buttons {
			if b.Verb == "keep" {
				out = append(out, b)
			}
		}
	}
	return out
}

// rivalNotes is a record in which another process changes a note right after this one read it.
type rivalNotes struct {
	*sqlitestore.Store

	key   string // prefix
	value func(was string) string
	once  sync.Once
}

func (r *rivalNotes) Note(ctx context.Context, key string) (string, error) {
	was, err := r.Store.Note(ctx, key)
	if strings.HasPrefix(key, r.key) {
		r.once.Do(func() { err = errors.Join(err, r.SetNote(ctx, key, r.value(was))) })
	}
	return was, err
}

// TestOffersOfOtherReplicasCount: another replica makes the day's offers while this one is about to make one.
func TestOffersOfOtherReplicasCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	var rival *rivalNotes
	w.change = func(cfg *service.Config) {
		rival = &rivalNotes{Store: w.store, key: "note-offers/", value: func(string) string { return time.Now().UTC().Format("2006-01-02") + " m1 m2" }}
		cfg.Record = rival
	}
	w.start()
	in := w.platform.Thread("C1", "t1")
	if err := w.store.SetSetting(w.ctx, bot.Setting{Place: "fake/T1/C1", Key: "note_offers", Value: []byte(`true`), By: "U1"}); err != nil {
		t.Fatal(err)
	}
	m := w.platform.Message("U2", "배포는 목요일에 하기로 했어요", in)
	m.At = time.Now().UTC()
	w.deliver(m)
	w.replies(in, 1)
	kept, err := w.store.Note(w.ctx, "note-offers/"+in.ChannelScope())
	if err != nil || !strings.HasSuffix(kept, " m1 m2") || len(w.offers(in)) != 0 {
		t.Errorf("%d offers beside the two of another replica: %q, %v", len(w.offers(in)), kept, err)
	}
}

// TestNotesAreOffered: where a channel wants it, decisions in threads that the bot takes part in are offered as notes, two a
// day; a member's click keeps one with the author, and nothing is kept without.
func TestNotesAreOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	w.stop()
	w.change = func(cfg *service.Config) {
		cfg.Addressed = func(context.Context, string, []agent.Turn, agent.Turn) (bool, error) { return false, nil }
	}
	w.start()
	in := w.platform.Thread("C1", "t1")
	if err := w.store.SetSetting(w.ctx, bot.Setting{Place: "fake/T1/C1", Key: "note_offers", Value: []byte(`true`), By: "U1"}); err != nil {
		t.Fatal(err)
	}
	n := 0
	hear := func(who, text string, reach bot.Reach) bot.Message {
		m := w.platform.Message(who, text, in)
		m.Reach, m.User = reach, bot.User{ID: who, Name: who}
		w.deliver(m)
		w.settled()
		return m
	}
	hear("U1", "hello", bot.ReachMention)
	hear("U2", "hi there", bot.ReachMention)
	w.replies(in, 2)
	for _, c := range []struct {
		text  string
		reach bot.Reach
		more  int
	}{
		{"did we decide to move the retro?", bot.ReachFollow, 0},
		{"we deployed this morning", bot.ReachFollow, 0},
		{"from now on the wifi password is hunter2!", bot.ReachFollow, 0},
		{"@kim from now on the stand-up is at 11", bot.ReachFollow, 0},
		{"from now on the stand-up is at 11", bot.ReachFollow, 1},
		{"배포는 목요일에 하기로 했어요", bot.ReachMention, 1},
		{"we decided to release every two weeks", bot.ReachFollow, 0}, // the third of the day
	} {
		hear("U2", c.text, c.reach)
		if n += c.more; len(w.offers(in)) != n {
			t.Errorf("%q: %d offers, want %d", c.text, len(w.offers(in)), n)
		}
	}
	in = w.platform.Thread("C2", "t2")
	hear("U1", "hello", bot.ReachMention)
	if hear("U1", "from now on the stand-up is at 11", bot.ReachFollow); len(w.offers(in)) > 0 {
		t.Error("offered where nobody wants it")
	}
	in = w.platform.Thread("C1", "t1")
	if notes := w.noted(); len(notes) > 0 {
		t.Errorf("kept unasked: %q", notes)
	}
	click := func(b bot.Button, verb string) string {
		t.Helper()
		a, err := w.bot.Action(w.ctx, bot.Action{ID: b.ID, Verb: verb, Thread: in, User: bot.User{ID: "U1", Name: "U1"}})
		if err != nil || a.Card == nil {
			t.Fatal(a, err)
		}
		return a.Card.Text
	}
	offers := w.offers(in)
	if text := click(offers[1], "no"); !strings.Contains(text, "don't keep") {
		t.Errorf("a no: %q", text)
	}
	for range 2 {
		if text := click(offers[0], "keep"); !strings.Contains(text, "stand-up is at 11") {
			t.Errorf("a yes: %q", text)
		}
	}
	if notes := w.noted(); len(notes) != 1 || !strings.Contains(notes[0], "noted by U2") {
		t.Errorf("notes %q", notes)
	}
	if a, err := w.bot.Action(w.ctx, bot.Action{ID: "note/said/none", Verb: "keep", Thread: in, User: bot.User{ID: "U1"}}); err != nil || !strings.Contains(a.Card.Text, "gone") {
		t.Errorf("a message that is gone: %v, %v", a.Card, err)
	}
}
