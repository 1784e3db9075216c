package bot_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// sluggish is a record whose settings take long to say, by the bot's clock, or
// are not said at all.
type sluggish struct {
	bot.Record
	clock *atomic.Int64 // of the bot, Unix nanoseconds
	takes time.Duration
	mute  atomic.Bool
}

func (r *sluggish) SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error) {
	if r.mute.Load() {
		return nil, errors.New("the record says nothing")
	}
	rows, err := r.Record.SettingsOf(ctx, places)
	r.clock.Add(int64(r.takes))
	return rows, err
}

// TestASlowRecordIsAskedOnce: while the record is slow, what was known of a place is
// enough to take a message: only its commit is waited for. What was known long ago,
// or of other people, is not.
func TestASlowRecordIsAskedOnce(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64
	clock.Store(time.Now().UnixNano())
	var r *sluggish
	w := newWorld(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		return agent.Result{Text: "answer to " + req.Text}, nil
	})
	w.stop()
	w.change = func(c *service.Config) {
		c.Now = func() time.Time { return time.Unix(0, clock.Load()) }
		r = &sluggish{Record: c.Record, clock: &clock, takes: time.Second}
		c.Record = r
	}
	w.start()
	w.replies(w.say("first", w.platform.Thread("C1", "")).Thread, 1)
	w.settled()
	r.mute.Store(true)
	in := w.platform.Thread("C1", "")
	in.ID = "m2"
	m := bot.Message{ID: "m2", Order: "m2", Thread: in, User: bot.User{ID: "U1", Name: "U1"}, Reach: bot.ReachMention, Text: "second"}
	if err := w.bot.Message(w.ctx, m); err != nil {
		t.Errorf("a message of a known place waits for its settings: %v", err)
	}
	m.ID, m.Order, m.Thread.ID, m.User.ID = "m3", "m3", "m3", "U9"
	if err := w.bot.Message(w.ctx, m); err == nil {
		t.Error("a person's own settings are not known, yet their message was taken")
	}
	clock.Add(int64(2 * time.Minute))
	m.ID, m.Order, m.Thread.ID, m.User.ID = "m4", "m4", "m4", "U1"
	if err := w.bot.Message(w.ctx, m); err == nil {
		t.Error("what was known two minutes ago was enough")
	}
	r.mute.Store(false)
	w.replies(in, 1) // when the record speaks again
}
