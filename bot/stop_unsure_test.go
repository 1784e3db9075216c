package bot_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"maru/bot"
	"maru/bot/service"
	"maru/memory/sqlitestore"
	"maru/phrase"
)

// unstoppable is a record that takes no stop while it is down.
type unstoppable struct {
	*sqlitestore.Store

	down atomic.Bool
}

var errUnreached = errors.New("dial tcp: connection refused")

func (u *unstoppable) fails() error {
	if u.down.Load() {
		return errUnreached
	}
	return nil
}

func (u *unstoppable) StopPending(ctx context.Context, s bot.PendingStop) ([]string, error) {
	if err := u.fails(); err != nil {
		return nil, err
	}
	return u.Store.StopPending(ctx, s)
}

func (u *unstoppable) SetNote(ctx context.Context, key, value string) error {
	if err := u.fails(); err != nil && strings.HasPrefix(key, "halt/") {
		return err
	}
	return u.Store.SetNote(ctx, key, value)
}

func (u *unstoppable) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	if err := u.fails(); err != nil {
		return err
	}
	return u.Store.Finish(ctx, l, item, out)
}

func newUnstoppable(t *testing.T, begun chan<- string, let <-chan struct{}) (*world, *unstoppable) {
	t.Helper()
	w := newWorld(t, holding(begun, let))
	w.stop()
	var u *unstoppable
	w.change = func(c *service.Config) {
		u = &unstoppable{Store: w.store}
		c.Record = u
	}
	w.start()
	return w, u
}

// TestAStopThatIsNotSavedIsSaid: while the record takes no stop, people hear that the work may go on; what runs here ends all the
// same.
func TestAStopThatIsNotSavedIsSaid(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "ko"} {
		begun, let := make(chan string, 8), make(chan struct{})
		w, u := newUnstoppable(t, begun, let)
		m := w.say("one", w.platform.Thread("C1", ""))
		<-begun
		u.down.Store(true)
		asker := m.User
		asker.Locale = lang
		if got := w.order(bot.Invocation{Name: "stop", Thread: m.Thread, User: asker}); !strings.Contains(got, phrase.Say(lang, "bot.stop.unsure")) {
			t.Errorf("said %q", got)
		}
		late := w.platform.Message("U1", "stop", m.Thread)
		if err := w.bot.Message(w.ctx, late); !errors.Is(err, errUnreached) {
			t.Errorf("a word that stopped nothing: %v", err)
		}
		u.down.Store(false)
		close(let)
		if text := w.replies(m.Thread, 1)[0].Card.Text; text != "half" {
			t.Errorf("said %q", text)
		}
		w.settled()
	}
}

// TestAStopThatIsNotSavedIsDoneByItsRedelivery: a word that ended a run while the record took no stop is delivered again, here or to a
// replica that knows nothing of it, and is not answered with "Nothing is running".
func TestAStopThatIsNotSavedIsDoneByItsRedelivery(t *testing.T) {
	t.Parallel()
	for _, restarted := range []bool{false, true} {
		begun, let := make(chan string, 8), make(chan struct{})
		w, u := newUnstoppable(t, begun, let)
		m := w.say("one", w.platform.Thread("C1", ""))
		<-begun
		u.down.Store(true)
		word := w.platform.Message("U1", "그만", m.Thread)
		if err := w.bot.Message(w.ctx, word); !errors.Is(err, errUnreached) {
			t.Errorf("a word that is not saved: %v", err)
		}
		u.down.Store(false)
		close(let)
		w.replies(m.Thread, 1)
		w.settled()
		if restarted {
			w.stop()
			w.start()
		}
		for range 2 {
			if err := w.bot.Message(w.ctx, word); err != nil {
				t.Error(err)
			}
		}
		w.settled()
		if posts := w.replies(m.Thread, 1); len(posts) != 1 || posts[0].Card.Text != "half" {
			t.Errorf("%+v", posts)
		}
	}
}

// TestACommandStopsNoLaterQuestion: a stop that is late ends what was asked before it alone.
func TestACommandStopsNoLaterQuestion(t *testing.T) {
	t.Parallel()
	begun, let := make(chan string, 8), make(chan struct{})
	w := newWorld(t, holding(begun, let))
	first := w.say("one", w.platform.Thread("C1", ""))
	<-begun
	second := w.say("two", first.Thread)
	stop := func(m bot.Message) string {
		return w.order(bot.Invocation{Name: "stop", Thread: m.Thread, User: m.User, Before: bot.Bound{Order: first.Position(), At: first.At}})
	}
	if got := stop(first); !strings.Contains(got, phrase.Say("en", "bot.stop.done")) {
		t.Errorf("said %q", got)
	}
	<-begun // the second has its turn
	if got := stop(first); !strings.Contains(got, phrase.Say("en", "bot.stop.nothing")) {
		t.Errorf("of the second only: %q", got)
	}
	close(let)
	posts := w.replies(second.Thread, 2)
	if posts[0].Card.Text != "half" || posts[1].Card.Text != "echo: two" {
		t.Errorf("%+v", posts)
	}
	w.settled()
}
