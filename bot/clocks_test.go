package bot_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/service"
)

// held is a platform that takes posts when it is let go on.
type held struct {
	*platform
	goOn chan struct{}
}

func (h held) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	<-h.goOn
	return h.platform.Post(ctx, to, c, key)
}

// swept counts how often was looked for what is due.
type swept struct {
	bot.Record
	times *atomic.Int32
}

func (s swept) DueApprovals(ctx context.Context, limit int) ([]bot.Approval, error) {
	defer s.times.Add(1)
	return s.Record.DueApprovals(ctx, limit)
}

// TestACardUnderWayIsNotOverdue: a record whose clock is ahead of the bot's calls it
// overdue at once. It is posted once all the same, and not rendered again.
func TestACardUnderWayIsNotOverdue(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]time.Duration{"same": 0, "behind": -5 * time.Minute, "ahead": 5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asking)
			w.stop()
			goOn, times := make(chan struct{}), new(atomic.Int32)
			w.change = func(c *service.Config) {
				c.Now = func() time.Time { return time.Now().Add(off) }
				c.Adapters = []bot.Adapter{held{w.platform, goOn}}
				c.Record = swept{c.Record, times}
			}
			w.start()
			m := w.say("send a mail", w.platform.Thread("C1", ""))
			w.until("the approval is committed", func() bool {
				rows, err := w.store.PendingApprovals(w.ctx, m.Thread.Key(), 9)
				return err == nil && len(rows) == 1
			})
			before := times.Load()
			w.until("what is due was looked for", func() bool { return times.Load() >= before+3 })
			close(goOn)
			waitingCard(w, m)
			w.settled()
			posts := w.platform.Posts(m.Thread)
			asked := 0 // a sign of life may be there before
			for _, c := range posts[0].Seen {
				if len(c.Buttons) > 0 {
					asked++
				}
			}
			if len(posts) != 1 || asked != 1 {
				t.Errorf("%d posts, the first asks %d times: %+v", len(posts), asked, posts[0].Seen)
			}
		})
	}
}
