package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"maru/adapters/discord/account"
	"maru/adapters/discord/event"
	"maru/adapters/discord/interact"
	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/task"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// pusher queues the events of channels.
type pusher interface {
	Push(e event.Event)
	CatchUpGuild(g wire.Guild)
	BeginCatchUp(shard int)
	Divide(shards int)
	Adopt(ctx context.Context, shard int) error
	Regain(ctx context.Context, shard int)
}

// dispatcher routes gateway events: messages to their channel's queue, interactions to the
// handler, everything else to the cached state of guilds and channels.
type dispatcher struct {
	in       bot.Intake
	api      *rest.Client
	me       *account.Account
	dir      *place.Directory
	queue    pusher
	handler  *interact.Handler
	commands *interact.Registrar
	tenants  *tenants
	tasks    *task.Group
	log      *slog.Logger
}

// Divide sets the number of shards.
func (ds *dispatcher) Divide(shards int) { ds.queue.Divide(shards) }

// Adopt loads the progress stored by a shard's earlier owner.
func (ds *dispatcher) Adopt(ctx context.Context, shard int) error { return ds.queue.Adopt(ctx, shard) }

// Missed recovers from lost events of a session.
func (ds *dispatcher) Missed(ctx context.Context, shard int) { ds.queue.Regain(ctx, shard) }

// onRights handles an event of changed permissions of the bot in a guild or channel.
func (ds *dispatcher) onRights(kind string, raw []byte) {
	var e struct {
		ID      string    `json:"id"`
		GuildID string    `json:"guild_id"`
		User    wire.User `json:"user"`
	}
	switch kind {
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_UPDATE", "GUILD_CREATE", "GUILD_UPDATE",
		"GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_UPDATE":
	default:
		return
	}
	if json.Unmarshal(raw, &e) != nil || kind == "GUILD_MEMBER_UPDATE" && e.User.ID != ds.me.ID() {
		return
	}
	ds.api.Forget(func(place string) bool {
		c, _ := ds.dir.Known(place)
		if strings.HasPrefix(kind, "GUILD_") {
			guild := cmp.Or(e.GuildID, e.ID)
			return place == guild || c.GuildID == guild
		}
		return place == e.ID || c.ParentID == e.ID
	})
}

// Dispatch routes a gateway event on the connection's reader goroutine. It must not block.
func (ds *dispatcher) Dispatch(ctx context.Context, kind string, raw json.RawMessage) {
	defer ds.tasks.Recover(ctx, "gateway event")
	switch kind {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		var m wire.Message
		if decode(ctx, ds.log, kind, raw, &m) && wire.IDNumber(m.ID) > 0 && wire.IDNumber(m.ChannelID) > 0 {
			e := event.Event{Kind: event.Create, Channel: m.ChannelID, Guild: m.GuildID, ID: m.ID, Message: &m}
			if kind == "MESSAGE_UPDATE" {
				e.Kind = event.Update
			}
			ds.queue.Push(e)
		}
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		ds.onDelete(ctx, kind, raw)
	case "INTERACTION_CREATE":
		var i wire.Interaction
		if decode(ctx, ds.log, kind, raw, &i) && i.Complete() {
			ds.handler.Gateway(ctx, ds.in, &i)
		}
	default:
		ds.onRights(kind, raw)
		ds.onPlace(ctx, kind, raw)
		ds.tenants.onGuild(ctx, ds.in, kind, raw)
	}
}

// decode decodes an event and logs a malformed one.
func decode(ctx context.Context, log *slog.Logger, kind string, raw json.RawMessage, into any) bool {
	if err := json.Unmarshal(raw, into); err != nil {
		log.WarnContext(ctx, "discord event not understood", "event", kind, "err", err)
		return false
	}
	return true
}

func (ds *dispatcher) onDelete(ctx context.Context, kind string, raw json.RawMessage) {
	var d struct {
		ID        string   `json:"id"`
		IDs       []string `json:"ids"`
		ChannelID string   `json:"channel_id"`
		GuildID   string   `json:"guild_id"`
	}
	if !decode(ctx, ds.log, kind, raw, &d) || wire.IDNumber(d.ChannelID) == 0 {
		return
	}
	if d.ID != "" {
		d.IDs = append(d.IDs, d.ID)
	}
	for _, id := range d.IDs {
		if wire.IDNumber(id) == 0 {
			continue
		}
		ds.queue.Push(event.Event{Kind: event.Delete, Channel: d.ChannelID, Guild: d.GuildID, ID: id})
	}
}

// onPlace updates the cached guilds and channels.
func (ds *dispatcher) onPlace(ctx context.Context, kind string, raw json.RawMessage) {
	switch kind {
	case "GUILD_CREATE":
		var g wire.Guild
		if decode(ctx, ds.log, kind, raw, &g) {
			ds.dir.SetGuild(g)
			ds.queue.CatchUpGuild(g)
		}
	case "GUILD_UPDATE":
		var g wire.Guild
		if decode(ctx, ds.log, kind, raw, &g) {
			ds.dir.UpdateGuild(g)
		}
	case "GUILD_DELETE":
		var g wire.Guild
		if decode(ctx, ds.log, kind, raw, &g) && !g.Unavailable {
			ds.dir.DropGuild(g.ID)
		}
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE":
		var r struct {
			GuildID string    `json:"guild_id"`
			RoleID  string    `json:"role_id"`
			Role    wire.Role `json:"role"`
		}
		if decode(ctx, ds.log, kind, raw, &r) {
			ds.dir.SetRole(r.GuildID, r.Role)
			if r.RoleID != "" {
				ds.dir.DropRole(r.GuildID, r.RoleID)
			}
		}
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		var c wire.Channel
		if decode(ctx, ds.log, kind, raw, &c) {
			ds.dir.SetChannel(c)
		}
	case "CHANNEL_DELETE", "THREAD_DELETE":
		var c wire.Channel
		if decode(ctx, ds.log, kind, raw, &c) {
			ds.dir.DropChannel(c.ID)
		}
	case "THREAD_LIST_SYNC":
		var l struct {
			GuildID string         `json:"guild_id"`
			Threads []wire.Channel `json:"threads"`
		}
		if decode(ctx, ds.log, kind, raw, &l) {
			for _, c := range l.Threads {
				c.GuildID = l.GuildID
				ds.dir.SetChannel(c)
			}
		}
	}
}

// Ready handles a new session: the bot's identity, missed events, its commands.
func (ds *dispatcher) Ready(ctx context.Context, shard, shards int, raw json.RawMessage) {
	var r wire.Ready
	if !decode(ctx, ds.log, "READY", raw, &r) {
		return
	}
	ds.me.Learn(r.User.ID, r.User.Name(), r.Application.ID)
	ds.tenants.noteGuilds(ctx, ds.in, r, shard, shards)
	ds.queue.BeginCatchUp(shard)
	ds.log.InfoContext(ctx, "discord gateway ready", "bot", r.User.ID, "shard", shard, "reads_all_messages", !ds.me.Limited())
	if shard == 0 {
		ds.tasks.Spawn(ctx, func(ctx context.Context) { ds.commands.Register(ctx, ds.in.Commands()) })
	}
}
