package slack

import (
	"context"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase/fit"
)

// handleMessage turns the delivery of a message event into a message, an edit or
// a deletion.
func (a *Adapter) handleMessage(ctx context.Context, in bot.Intake, team string, body object) error {
	ev := body.obj("event")
	switch ev.str("subtype") {
	case "", "file_share", "thread_broadcast", "me_message":
		m, ok := a.message(ctx, team, ev)
		if !ok {
			return nil
		}
		m.Delivery = body.str("event_id")
		m.User.Watched = body.flag("is_ext_shared_channel")
		return a.entrust(ctx, func(ctx context.Context) error { return in.Message(ctx, m) })
	case "message_changed", "message_deleted":
		c, ok := a.change(ctx, team, ev)
		if !ok {
			return nil
		}
		return a.entrust(ctx, func(ctx context.Context) error { return in.Change(ctx, c) })
	}
	return nil // joins, topics, pins, other bots: nothing anybody said to anybody
}

// youth is how long after a thread's first message the second may overtake it: over HTTP
// each is a request of its own, which may go to another replica or be repeated.
const youth = 10 * time.Second

// message reads a message that a person wrote. One message arrives as
// app_mention and as message, in any order: both must read the same, so the
// mention is looked for in the text of either.
func (a *Adapter) message(ctx context.Context, team string, ev object) (bot.Message, bool) {
	id := a.whoami()
	channel, ts, user := ev.str("channel"), ev.str("ts"), ev.str("user")
	if id == nil || channel == "" || ts == "" || user == "" || byBot(ev, id) {
		return bot.Message{}, false
	}
	th := threadOf(team, channel, ev)
	if th.Direct && th.ID == ts {
		a.noteNew(th)
	}
	if th.ID != ts {
		a.noteReply(channel, th.ID)
	}
	a.prove(th, user, tsTime(ts))
	raw := a.said(ev)
	m := bot.Message{
		ID: ts, Order: ts, Thread: th, Top: !th.Direct && th.ID == ts, At: tsTime(ts),
		Reach: reach(ev, th, mentions(raw, id.user)),
		Text:  a.decode(ctx, raw),
		Files: a.attached(ctx, team, ev), Quoted: a.quoted(ctx, team, ev),
		User: a.users.get(ctx, user, a.cfg.nameWait()),
	}
	m.Young = m.Reach == bot.ReachFollow && !a.socketMode() && m.At.Sub(tsTime(th.ID)) < youth
	if ut := first(ev.str("user_team"), ev.str("source_team")); ut != "" && ut != id.team && !id.org && ut != id.enterprise {
		m.User.External = true
	}
	return m, true
}

// byBot reports whether a message was written by this bot or another.
func byBot(ev object, id *identity) bool {
	return ev.str("user") == id.user || ev.str("bot_id") != "" || ev.str("subtype") == "bot_message" || ev.str("user") == "USLACKBOT"
}

// reach says why a message reaches the bot.
func reach(ev object, th bot.Thread, named bool) bot.Reach {
	switch {
	case th.Direct:
		return bot.ReachDirect
	case named || ev.str("type") == "app_mention":
		return bot.ReachMention
	case ev.str("thread_ts") != "" && ev.str("thread_ts") != ev.str("ts"):
		return bot.ReachFollow
	}
	return bot.ReachAmbient
}

// threadOf returns the conversation a message belongs to: its thread, made by
// itself if it starts one. That holds for direct messages as well: in Slack's
// agent experience each of them begins a conversation.
func threadOf(team, channel string, m object) bot.Thread {
	th := bot.Thread{Platform: Platform, Team: team, Channel: channel, ID: m.str("thread_ts")}
	th.Direct = strings.HasPrefix(channel, "D") || m.str("channel_type") == "im"
	if th.ID == "" {
		th.ID = m.str("ts")
	}
	return th
}

// said returns a message's text in Slack's own coding, from its blocks or from
// what it forwards when the text itself is empty.
func (a *Adapter) said(ev object) string {
	if t := ev.str("text"); strings.TrimSpace(t) != "" {
		return t
	}
	if t := blocksText(ev.list("blocks")); t != "" {
		return t
	}
	var b strings.Builder
	for _, at := range ev.list("attachments") {
		if t := first(at.str("text"), blocksText(at.list("blocks")), at.str("fallback")); t != "" {
			b.WriteString(t + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// maxQuote bounds what is read of a forwarded message, in letters: each mention in it is a
// name to look up.
const maxQuote = 4000

// quoted returns the messages that somebody forwarded with words of their own. A preview of
// a link is none.
func (a *Adapter) quoted(ctx context.Context, team string, ev object) []bot.Quote {
	if strings.TrimSpace(ev.str("text")) == "" && blocksText(ev.list("blocks")) == "" {
		return nil // what is forwarded is what is said
	}
	var out []bot.Quote
	for _, at := range ev.list("attachments") {
		if !at.flag("is_share") && !at.flag("is_msg_unfurl") {
			continue
		}
		q := bot.Quote{
			Author: first(at.str("author_name"), at.str("author_subname")), At: tsTime(at.str("ts")), Files: filesOf(team, at),
			Text: a.decode(ctx, fit.Clip(first(at.str("text"), blocksText(at.list("blocks")), at.str("fallback")), maxQuote)),
		}
		if q.Text != "" || len(q.Files) > 0 {
			out = append(out, q)
		}
	}
	return out
}

// change reads an edit or a deletion. An "edit" that only adds a preview, and
// any of the bot's own messages, is none.
func (a *Adapter) change(ctx context.Context, team string, ev object) (bot.Change, bool) {
	id := a.whoami()
	channel := ev.str("channel")
	now, was := ev.obj("message"), ev.obj("previous_message")
	deleted := ev.str("subtype") == "message_deleted" || now.str("subtype") == "tombstone"
	if deleted {
		now = was
	}
	ts := first(now.str("ts"), ev.str("deleted_ts"), was.str("ts"))
	if id == nil || channel == "" || ts == "" || byBot(now, id) || byBot(was, id) {
		return bot.Change{}, false
	}
	if !deleted && a.said(now) == a.said(was) && len(now.list("files")) == len(was.list("files")) {
		return bot.Change{}, false
	}
	at := object{"ts": quoted(ts), "thread_ts": quoted(first(now.str("thread_ts"), was.str("thread_ts"))), "channel_type": ev["channel_type"]}
	c := bot.Change{
		Thread: threadOf(team, channel, at), Message: ts, Deleted: deleted,
		User: a.users.get(ctx, first(now.str("user"), was.str("user")), a.cfg.nameWait()),
		At:   tsTime(first(ev.str("ts"), ev.str("event_ts"), ts)),
	}
	if !deleted {
		c.Text = a.decode(ctx, a.said(now))
	}
	return c, true
}
