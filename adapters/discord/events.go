package discord

import (
	"context"
	"time"

	"maru/adapters/discord/rest"
	"maru/bot"
)

// take brings one event to the bot and does not give up before it is committed:
// the gateway does not deliver again.
func (q *queue) take(ctx context.Context, in bot.Intake, e event) {
	defer q.tasks.Recover(ctx, "event of a channel")
	for n := 0; ctx.Err() == nil; n++ {
		err := q.deliver(ctx, in, e)
		if err == nil || ctx.Err() != nil {
			return
		}
		if code := rest.StatusOf(err); code >= 400 && code < 500 && code != 429 {
			q.log.WarnContext(ctx, "discord event dropped", "event", e.kind, "channel", e.channel, "err", err)
			return
		}
		q.log.WarnContext(ctx, "discord event not committed yet", "event", e.kind, "channel", e.channel, "tries", n+1, "err", err)
		q.lanes.Aside(func() { err = q.wait(ctx, min(100*time.Millisecond<<min(n, 6), 5*time.Second)) })
		if err != nil {
			return
		}
	}
}

func (q *queue) deliver(ctx context.Context, in bot.Intake, e event) error {
	switch e.kind {
	case eventCreate:
		msg, ok, err := q.reader.Message(ctx, e.message)
		if err == nil && ok {
			err = in.Message(ctx, msg)
		}
		if err == nil {
			q.tracks.saw(e, ok && msg.Reach != bot.ReachAmbient, q.now())
		}
		return err
	case eventUpdate:
		c, ok, err := q.reader.Edit(ctx, e.message)
		if err == nil && ok {
			err = in.Change(ctx, c)
		}
		return err
	case eventDelete:
		c, err := q.reader.Deletion(ctx, e.id, e.channel, e.guild, q.now())
		if err == nil {
			err = in.Change(ctx, c)
		}
		return err
	case eventMissed:
		return q.catchUp(ctx, in, e)
	case eventRecheck:
		return q.recheck(ctx, in, e)
	}
	return nil
}
