package bot_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/service"
)

// latePlatform takes the first post only when it is landed, after whoever sent it has gone.
type latePlatform struct {
	*fakePlatform
	first atomic.Bool
	sent  chan struct{}
	land  func()
}

func (l *latePlatform) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if !l.first.CompareAndSwap(false, true) {
		return l.fakePlatform.Post(ctx, to, c, key)
	}
	l.land = func() { _, _ = l.fakePlatform.Post(context.WithoutCancel(ctx), to, c, key) }
	close(l.sent)
	<-ctx.Done()
	return bot.Ref{}, ctx.Err()
}

// TestAPostThatTakesEffectLate lets a process end while its first post is under way. The next one finds no message and
// posts its own; when the late one appears it is removed, and the answer stays.
func TestAPostThatTakesEffectLate(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := newWorld(t, echo)
	late := &latePlatform{fakePlatform: w.platform, sent: make(chan struct{})}
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.change = func(cfg *service.Config) { cfg.Adapters = []bot.Adapter{late} }
	w.start()
	m := w.say("hello", w.platform.Thread("C1", ""))
	<-late.sent
	w.stop()
	w.start()
	own := w.replies(m.Thread, 1)
	w.settled()
	late.land()
	if n := len(w.platform.Posts(m.Thread)); n != 2 {
		t.Fatalf("%d messages, want two for a moment", n)
	}
	ahead.Store(int64(2 * time.Minute))
	w.until("the second copy is removed", func() bool { return len(w.platform.Posts(m.Thread)) == 1 })
	if got := w.platform.Posts(m.Thread)[0]; got.ID != own[0].ID || got.Card.Text != "echo: hello" {
		t.Errorf("what stays is %+v, want %s", got, own[0].ID)
	}
}
