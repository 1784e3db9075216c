package event

import (
	"context"
	"time"

	"maru/adapters/discord/rest"
	"maru/bot"
)

// take delivers one event and retries until it is committed: the gateway does not redeliver.
func (q *Queue) take(ctx context.Context, in bot.Intake, e Event) {
	defer q.tasks.Recover(ctx, "event of a channel")
	for n := 0; ctx.Err() == nil; n++ {
		err := q.deliver(ctx, in, e)
		if err == nil || ctx.Err() != nil {
			return
		}
		if code := rest.StatusOf(err); code >= 400 && code < 500 && code != 429 {
			q.log.WarnContext(ctx, "discord event dropped", "event", e.Kind, "channel", e.Channel, "err", err)
			return
		}
		q.log.WarnContext(ctx, "discord event not committed yet", "event", e.Kind, "channel", e.Channel, "tries", n+1, "err", err)
		q.lanes.Aside(func() { err = q.wait(ctx, min(100*time.Millisecond<<min(n, 6), 5*time.Second)) })
		if err != nil {
			return
		}
	}
}

func (q *Queue) deliver(ctx context.Context, in bot.Intake, e Event) error {
	switch e.Kind {
	case Create:
		msg, ok, err := q.reader.Message(ctx, e.Message)
		if err == nil && ok {
			err = in.Message(ctx, msg)
		}
		if err == nil {
			q.tracks.saw(e, ok && msg.Reach != bot.ReachAmbient, q.now())
		}
		return err
	case Update:
		c, ok, err := q.reader.Edit(ctx, e.Message)
		if err == nil && ok {
			err = in.Change(ctx, c)
		}
		return err
	case Delete:
		c, err := q.reader.Deletion(ctx, e.ID, e.Channel, e.Guild, q.now())
		if err == nil {
			err = in.Change(ctx, c)
		}
		return err
	case Missed:
		return q.catchUp(ctx, in, e)
	case Recheck:
		return q.recheck(ctx, in, e)
	}
	return nil
}
