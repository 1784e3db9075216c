package bot_test

import (
	"context"
	"sync/atomic"
	"testing"

	"maru/bot"
	"maru/bot/service"
)

// late is a record in which what began a thread arrives while it is asked for it.
type late struct {
	bot.Record
	asked  atomic.Int32
	arrive func()
}

func (l *late) Known(ctx context.Context, thread string) (bool, error) {
	known, err := l.Record.Known(ctx, thread)
	if l.asked.Add(1) == 1 && l.arrive != nil {
		l.arrive() // too late for this answer
	}
	return known, err
}

// TestAFollowUpThatOvertakesItsMention: over HTTP the second message of a thread may
// come before the first. Said in a thread of other people it is theirs all the same,
// and nobody waits where messages come in order.
func TestAFollowUpThatOvertakesItsMention(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		young, begins bool
		asked         int32 // how often the record is, at least
		want          int   // answers
	}{
		"overtaken":       {young: true, begins: true, asked: 2, want: 2},
		"others_thread":   {young: true, asked: 2},
		"comes_in_order":  {asked: 1},
		"an_older_thread": {begins: true, asked: 1, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var record *late
			w := newWorldWith(t, func(c *service.Config) {
				record = &late{Record: c.Record}
				c.Record = record
			})
			mention := w.platform.Message("U1", "how are you", w.platform.Thread("C1", ""))
			mention.Reach = bot.ReachMention
			follow := w.platform.Message("U1", "and tomorrow", mention.Thread)
			follow.Reach, follow.Young = bot.ReachFollow, c.young
			if c.begins {
				record.arrive = func() {
					if err := w.bot.Message(w.ctx, mention); err != nil {
						t.Error(err)
					}
				}
			}
			if err := w.bot.Message(w.ctx, follow); err != nil {
				t.Fatal(err)
			}
			if n := record.asked.Load(); n < c.asked || !c.young && n > 3 {
				t.Errorf("the record was asked %d times", n)
			}
			if c.want > 0 {
				w.replies(mention.Thread, c.want)
			}
			w.settled()
			if got := len(w.platform.Posts(mention.Thread)); got != c.want {
				t.Errorf("%d answers, want %d", got, c.want)
			}
		})
	}
}
