package inbound

import (
	"cmp"
	"context"
	"time"

	"maru/adapters/slack/file"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// messages read new, edited and deleted messages.
type messages struct {
	web     *web.Client
	door    door
	users   persons
	members prover
	files   attacher
	speech  *speech
	signs   titles
	replied replied
	apps    func(id string) bool // whose mentions are answered
}

// handleMessage converts a message event to a message, an edit or a deletion.
func (ms *messages) handleMessage(ctx context.Context, in bot.Intake, team string, body, ev payload.Object) error {
	switch ev.Str("subtype") {
	case "", "file_share", "thread_broadcast", "me_message", "bot_message":
		m, ok := ms.message(ctx, team, ev)
		if !ok {
			return nil
		}
		m.Delivery = body.Str("event_id")
		m.User.Watched = body.Flag("is_ext_shared_channel")
		return ms.door.Entrust(ctx, func(ctx context.Context) error { return in.Message(ctx, m) })
	case "message_changed", "message_deleted":
		c, ok := ms.change(ctx, team, ev)
		if !ok {
			return nil
		}
		return ms.door.Entrust(ctx, func(ctx context.Context) error { return in.Change(ctx, c) })
	}
	return nil // joins, topics, pins
}

// youth is the time in which a thread's second message may overtake the first: over HTTP each
// is its own request, which may reach another replica or be retried.
const youth = 10 * time.Second

// message reads a message of a person, or of an app that may mention the bot. It arrives both as app_mention and as message, in any
// order: both must read the same, so the mention is searched in the text of either.
func (ms *messages) message(ctx context.Context, team string, ev payload.Object) (bot.Message, bool) {
	id := ms.web.Whoami()
	channel, ts, user := ev.Str("channel"), ev.Str("ts"), ev.Str("user")
	app := id != nil && byBot(ev, id)
	if id == nil || channel == "" || ts == "" || user == "" && !app || app && !ms.hears(ev, id) {
		return bot.Message{}, false
	}
	th := payload.Thread(team, channel, ev)
	if app {
		return ms.byApp(ctx, team, th, ev), true
	}
	if th.Direct && th.ID == ts {
		ms.signs.NoteNew(th)
	}
	if th.ID != ts {
		ms.replied.NoteReply(channel, th.ID)
	}
	ms.members.Prove(th, user, payload.Time(ts))
	said := ms.speech.read(ctx, team, ev)
	m := bot.Message{
		ID: ts, Order: ts, Thread: th, Top: !th.Direct && th.ID == ts, At: payload.Time(ts),
		Reach: reach(ev, th, payload.Mentions(said.raw, id.User)),
		Text:  said.text,
		Files: append(ms.files.Attached(ctx, team, ev), said.files...), Quoted: said.quoted,
		User:  ms.users.Get(ctx, user, ms.web.NameWait()),
		Grant: grant(ev), Channels: channelsIn(said.raw),
	}
	m.Young = m.Reach == bot.ReachFollow && !ms.door.SocketMode() && m.At.Sub(payload.Time(th.ID)) < youth
	if ut := cmp.Or(ev.Str("user_team"), ev.Str("source_team")); ut != "" && ut != id.Team && !id.Org && ut != id.Enterprise {
		m.User.External = true
	}
	return m, true
}

// byBot reports whether a message was written by this bot or another.
func byBot(ev payload.Object, id *web.Identity) bool {
	return ev.Str("user") == id.User || ev.Str("bot_id") != "" || ev.Str("subtype") == "bot_message" || ev.Str("user") == "USLACKBOT"
}

// hears reports whether a message of an app is answered: the operator named the app, and it mentions the bot in a channel.
func (ms *messages) hears(ev payload.Object, id *web.Identity) bool {
	user, app := ev.Str("user"), ev.Str("bot_id")
	if user == id.User || user == "USLACKBOT" || app == "" || app == id.Bot || payload.Thread("", ev.Str("channel"), ev).Direct {
		return false
	}
	raw := cmp.Or(ev.Str("text"), richTexts(ev.List("blocks")))
	return (ms.apps(app) || ms.apps(ev.Str("app_id"))) && payload.Mentions(raw, id.User)
}

// byApp reads a message of an app that mentions the bot.
func (ms *messages) byApp(ctx context.Context, team string, th bot.Thread, ev payload.Object) bot.Message {
	ts, said := ev.Str("ts"), ms.speech.read(ctx, team, ev)
	if th.ID != ts {
		ms.replied.NoteReply(th.Channel, th.ID)
	}
	return bot.Message{
		ID: ts, Order: ts, Thread: th, Top: th.ID == ts, At: payload.Time(ts), Reach: bot.ReachMention, Text: said.text,
		Files: append(ms.files.Attached(ctx, team, ev), said.files...), Quoted: said.quoted,
		User: bot.User{ID: ev.Str("bot_id"), Name: appName(ev), Bot: true},
	}
}

// reach returns why a message reaches the bot.
func reach(ev payload.Object, th bot.Thread, named bool) bot.Reach {
	switch {
	case th.Direct:
		return bot.ReachDirect
	case named || ev.Str("type") == "app_mention":
		return bot.ReachMention
	case ev.Str("thread_ts") != "" && ev.Str("thread_ts") != ev.Str("ts"):
		return bot.ReachFollow
	}
	return bot.ReachAmbient
}

// change reads an edit or a deletion. It ignores edits that only add a preview, and the bot's
// own messages.
func (ms *messages) change(ctx context.Context, team string, ev payload.Object) (bot.Change, bool) {
	id := ms.web.Whoami()
	channel := ev.Str("channel")
	now, was := ev.Obj("message"), ev.Obj("previous_message")
	deleted := ev.Str("subtype") == "message_deleted" || now.Str("subtype") == "tombstone"
	if deleted {
		now = was
	}
	ts := cmp.Or(now.Str("ts"), ev.Str("deleted_ts"), was.Str("ts"))
	if id == nil || channel == "" || ts == "" || byBot(now, id) || byBot(was, id) {
		return bot.Change{}, false
	}
	said := ms.speech.read(ctx, team, now)
	if !deleted && said.text == ms.speech.read(ctx, team, was).text && len(now.List("files")) == len(was.List("files")) {
		return bot.Change{}, false
	}
	at := payload.Object{"ts": payload.Quote(ts), "thread_ts": payload.Quote(cmp.Or(now.Str("thread_ts"), was.Str("thread_ts"))), "channel_type": ev["channel_type"]}
	c := bot.Change{
		Thread: payload.Thread(team, channel, at), Message: ts, Deleted: deleted,
		User: ms.users.Get(ctx, cmp.Or(now.Str("user"), was.Str("user")), ms.web.NameWait()),
		At:   payload.Time(cmp.Or(ev.Str("ts"), ev.Str("event_ts"), ts)),
	}
	if !deleted {
		c.Text, c.Quoted, c.Channels = said.text, said.quoted, channelsIn(said.raw)
		c.Files = append(file.ListOf(team, now), said.files...)
	}
	return c, true
}
