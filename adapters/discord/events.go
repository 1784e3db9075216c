package discord

import (
	"context"
	"encoding/json"
	"time"

	"maru/bot"
)

// on takes a gateway event from the connection's reader. It only sorts: whatever may
// wait is done elsewhere.
func (a *Adapter) on(ctx context.Context, in bot.Intake, kind string, raw json.RawMessage) {
	defer a.survive(ctx, "gateway event")
	switch kind {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		var m message
		if a.decode(ctx, kind, raw, &m) && idNumber(m.ID) > 0 && idNumber(m.ChannelID) > 0 {
			e := event{kind: eventCreate, channel: m.ChannelID, guild: m.GuildID, id: m.ID, message: &m}
			if kind == "MESSAGE_UPDATE" {
				e.kind = eventUpdate
			}
			a.push(e)
		}
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		a.onDelete(ctx, kind, raw)
	case "INTERACTION_CREATE":
		var i interaction
		if a.decode(ctx, kind, raw, &i) && i.complete() {
			a.spawn(ctx, func(ctx context.Context) { a.interact(ctx, in, &i, &gatewayAnswer{a: a, i: &i}) })
		}
	default:
		a.onRights(kind, raw)
		a.onPlace(ctx, kind, raw)
		a.onGuild(ctx, in, kind, raw)
	}
}

func (a *Adapter) decode(ctx context.Context, kind string, raw json.RawMessage, into any) bool {
	if err := json.Unmarshal(raw, into); err != nil {
		a.log.WarnContext(ctx, "discord event not understood", "event", kind, "err", err)
		return false
	}
	return true
}

func (a *Adapter) onDelete(ctx context.Context, kind string, raw json.RawMessage) {
	var d struct {
		ID        string   `json:"id"`
		IDs       []string `json:"ids"`
		ChannelID string   `json:"channel_id"`
		GuildID   string   `json:"guild_id"`
	}
	if !a.decode(ctx, kind, raw, &d) || idNumber(d.ChannelID) == 0 {
		return
	}
	if d.ID != "" {
		d.IDs = append(d.IDs, d.ID)
	}
	for _, id := range d.IDs {
		if idNumber(id) == 0 {
			continue
		}
		a.push(event{kind: eventDelete, channel: d.ChannelID, guild: d.GuildID, id: id})
	}
}

// onPlace takes over what guilds and channels are.
func (a *Adapter) onPlace(ctx context.Context, kind string, raw json.RawMessage) {
	switch kind {
	case "GUILD_CREATE":
		var g guild
		if a.decode(ctx, kind, raw, &g) {
			a.places.setGuild(g)
			a.catchUpGuild(g)
		}
	case "GUILD_UPDATE":
		var g guild
		if a.decode(ctx, kind, raw, &g) {
			a.places.updateGuild(g)
		}
	case "GUILD_DELETE":
		var g guild
		if a.decode(ctx, kind, raw, &g) && !g.Unavailable {
			a.places.dropGuild(g.ID)
		}
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		var r struct {
			GuildID string `json:"guild_id"`
			RoleID  string `json:"role_id"`
			Role    role   `json:"role"`
		}
		if a.decode(ctx, kind, raw, &r) {
			a.places.setRole(r.GuildID, r.Role)
			if r.RoleID != "" {
				a.places.dropRole(r.GuildID, r.RoleID)
			}
		}
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		var c channel
		if a.decode(ctx, kind, raw, &c) {
			a.places.setChannel(c)
		}
	case "CHANNEL_DELETE", "THREAD_DELETE":
		var c channel
		if a.decode(ctx, kind, raw, &c) {
			a.places.dropChannel(c.ID)
		}
	case "THREAD_LIST_SYNC":
		var l struct {
			GuildID string    `json:"guild_id"`
			Threads []channel `json:"threads"`
		}
		if a.decode(ctx, kind, raw, &l) {
			for _, c := range l.Threads {
				c.GuildID = l.GuildID
				a.places.setChannel(c)
			}
		}
	}
}

// take brings one event to the bot and does not give up before it is committed:
// the gateway does not deliver again.
func (a *Adapter) take(ctx context.Context, in bot.Intake, e event) {
	defer a.survive(ctx, "event of a channel")
	for n := 0; ctx.Err() == nil; n++ {
		err := a.deliver(ctx, in, e)
		if err == nil || ctx.Err() != nil {
			return
		}
		if code := statusOf(err); code >= 400 && code < 500 && code != 429 {
			a.log.WarnContext(ctx, "discord event dropped", "event", e.kind, "channel", e.channel, "err", err)
			return
		}
		a.log.WarnContext(ctx, "discord event not committed yet", "event", e.kind, "channel", e.channel, "tries", n+1, "err", err)
		a.lanes.Aside(func() { err = a.cfg.Wait(ctx, min(100*time.Millisecond<<min(n, 6), 5*time.Second)) })
		if err != nil {
			return
		}
	}
}

func (a *Adapter) deliver(ctx context.Context, in bot.Intake, e event) error {
	switch e.kind {
	case eventCreate:
		msg, ok, err := a.inboundMessage(ctx, e.message)
		if err == nil && ok {
			err = in.Message(ctx, msg)
		}
		if err == nil {
			a.tracks.saw(e, ok && msg.Reach != bot.ReachAmbient, a.cfg.Now())
		}
		return err
	case eventUpdate:
		c, ok, err := a.changed(ctx, e.message)
		if err == nil && ok {
			err = in.Change(ctx, c)
		}
		return err
	case eventDelete:
		c, err := a.removed(ctx, e.id, e.channel, e.guild, a.cfg.Now())
		if err == nil {
			err = in.Change(ctx, c)
		}
		return err
	case eventMissed:
		return a.catchUp(ctx, in, e)
	case eventRecheck:
		return a.recheck(ctx, in, e)
	}
	return nil
}
