package reply

import (
	"cmp"
	"context"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// Tell whispers a card and logs a failure.
func (d *Asides) Tell(ctx context.Context, at Place, u bot.User, c bot.Card) {
	if err := d.whisperAt(ctx, at, u, c); err != nil {
		d.web.Log.WarnContext(ctx, "slack private message was not delivered", "err", err.Error())
	}
}

// Place is the location of an interaction, and the means to answer it there.
type Place struct {
	Thread  bot.Thread
	Message string
	Home    bool // the person's private Home
	Reply   *URL
}

// PlaceOf reads the location of a click.
func (d *Asides) PlaceOf(team string, body payload.Object) Place {
	box, msg := body.Obj("container"), body.Obj("message")
	if body.Obj("view").Str("type") == "home" {
		return Place{Home: true, Thread: bot.Thread{Platform: payload.Platform, Team: team, Direct: true}}
	}
	ts := cmp.Or(msg.Str("ts"), box.Str("message_ts"), body.Str("message_ts"))
	at := payload.Object{"ts": payload.Quote(ts), "thread_ts": payload.Quote(cmp.Or(msg.Str("thread_ts"), box.Str("thread_ts")))}
	channel := cmp.Or(body.Obj("channel").Str("id"), box.Str("channel_id"))
	return Place{
		Thread: payload.Thread(team, channel, at), Message: ts,
		Reply: d.NewReplyURL(body.Str("response_url")),
	}
}
