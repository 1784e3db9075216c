package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"maru/adapters/discord/account"
	"maru/adapters/discord/outbound"
	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/task"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
	"maru/bot"
)

// tenants reports guilds that add or remove the bot.
type tenants struct {
	api           *rest.Client
	me            *account.Account
	out           *outbound.Sender
	notes         bot.Notes
	tasks         *task.Group
	installations bot.Installations // nil: guilds are not tracked
	greet         bool
	log           *slog.Logger
	now           func() time.Time
	wait          func(context.Context, time.Duration) error

	listed *cache.Cache[string, bool] // guilds that READY named

	mu    sync.Mutex
	turns map[string]chan struct{} // by guild: closed when its last event is handled
}

func newTenants(api *rest.Client, me *account.Account, out *outbound.Sender, notes bot.Notes, tasks *task.Group, cfg Config) *tenants {
	return &tenants{
		api: api, me: me, out: out, notes: notes, tasks: tasks, installations: cfg.Installations, greet: cfg.Greet,
		log: cfg.Logger, now: cfg.Now, wait: cfg.Wait, listed: cache.New[string, bool](1 << 14), turns: map[string]chan struct{}{},
	}
}

// onGuild reports guilds that add or remove the bot. Discord announces every guild after each
// READY and lists them in it; an unavailable guild has an outage and has not removed the bot.
func (ts *tenants) onGuild(ctx context.Context, in bot.Intake, kind string, raw json.RawMessage) {
	tenants, ok := in.(bot.Tenants)
	if !ok || ts.installations == nil || kind != "GUILD_CREATE" && kind != "GUILD_DELETE" {
		return
	}
	var g wire.Guild
	if !decode(ctx, ts.log, kind, raw, &g) || wire.IDNumber(g.ID) == 0 || g.Unavailable {
		return
	}
	ts.mu.Lock()
	_, listed := ts.listed.Get(g.ID)
	if kind == "GUILD_DELETE" {
		ts.listed.Remove(g.ID) // a readded guild is greeted again
	}
	before, done := ts.turns[g.ID], make(chan struct{})
	ts.turns[g.ID] = done
	ts.mu.Unlock()
	started := ts.tasks.Spawn(ctx, func(ctx context.Context) {
		defer ts.endGuildTurn(g.ID, done)
		defer ts.tasks.Recover(ctx, "guild")
		if before != nil { // removed and readded at once: serialise the events
			select {
			case <-before:
			case <-ctx.Done():
				return
			}
		}
		if kind == "GUILD_DELETE" {
			ts.leftGuild(ctx, tenants, g.ID, "guild_delete")
			return
		}
		ts.enteredGuild(ctx, tenants, g, listed)
	})
	if !started {
		ts.endGuildTurn(g.ID, done)
	}
}

// endGuildTurn releases a guild's next event.
func (ts *tenants) endGuildTurn(id string, done chan struct{}) {
	close(done)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.turns[id] == done {
		delete(ts.turns, id)
	}
}

// sinceNote holds the start of tracking: guilds that had the bot before it are not greeted.
const sinceNote = "guilds-since"

// lookedSince returns the start of tracking, which is now if it is unset.
func (ts *tenants) lookedSince(ctx context.Context) (time.Time, error) {
	text, err := ts.notes.Note(ctx, sinceNote)
	if err != nil {
		return time.Time{}, err
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	now := ts.now().UTC()
	return now, ts.notes.SetNote(ctx, sinceNote, now.Format(time.RFC3339))
}

// enteredGuild stores a new guild and greets it, unless it had the bot before tracking
// started. A new guild listed in READY added the bot during downtime.
func (ts *tenants) enteredGuild(ctx context.Context, tenants bot.Tenants, g wire.Guild, listed bool) {
	fresh, used := false, false
	err := ts.retry(ctx, "store guild", func(ctx context.Context) error {
		row, err := ts.installations.Installation(ctx, place.Platform, g.ID)
		if err == nil && row.State == bot.InstallActive {
			return nil
		}
		if err != nil && !errors.Is(err, bot.ErrNotFound) {
			return err
		}
		if listed {
			since, err := ts.lookedSince(ctx)
			if err != nil {
				return err
			}
			joined, err := time.Parse(time.RFC3339, g.JoinedAt)
			used = err != nil || !joined.After(since)
		}
		_, err = tenants.Join(ctx, bot.Installation{Platform: place.Platform, Team: g.ID, Name: g.Name, BotUser: ts.me.ID()})
		fresh = err == nil
		return err
	})
	if err != nil || !fresh || used || !ts.greet {
		return
	}
	card := tenants.Welcome(g.PreferredLocale)
	t := bot.Thread{Platform: place.Platform, Team: g.ID, Channel: g.SystemChannelID}
	if t.Channel != "" {
		if _, err = ts.out.Post(ctx, bot.Target{Thread: t}, card, "welcome-"+g.ID); err == nil {
			return
		}
	}
	if wire.IDNumber(g.OwnerID) > 0 {
		err = ts.out.Direct(ctx, t, bot.User{ID: g.OwnerID}, card)
	}
	if err != nil {
		ts.log.InfoContext(ctx, "discord guild was not greeted: neither its system channel nor its owner takes messages", "team", g.ID, "err", err)
	}
}

// retry retries f: the gateway reports a guild once. After a permanent failure the next
// READY finds it.
func (ts *tenants) retry(ctx context.Context, what string, f func(context.Context) error) error {
	for n := 0; ; n++ {
		err := f(ctx)
		if err == nil || ctx.Err() != nil || n == 12 {
			return err
		}
		ts.log.WarnContext(ctx, "discord guild not committed yet", "step", what, "tries", n+1, "err", err)
		if ts.wait(ctx, min(100*time.Millisecond<<n, 10*time.Second)) != nil {
			return err
		}
	}
}

// leftGuild reports that a guild removed the bot. The gateway says so once.
func (ts *tenants) leftGuild(ctx context.Context, tenants bot.Tenants, id, why string) {
	err := ts.retry(ctx, "leave guild", func(ctx context.Context) error {
		return tenants.Leave(ctx, bot.Departure{Platform: place.Platform, Team: id, Why: why})
	})
	if err == nil {
		ts.log.InfoContext(ctx, "discord guild left", "team", id, "why", why)
	}
}

// noteGuilds records READY's guilds and finds those that removed the bot during downtime.
// Only the API's denial counts: a guild may be missing in READY for many reasons.
func (ts *tenants) noteGuilds(ctx context.Context, in bot.Intake, r wire.Ready, shard, shards int) {
	named := map[string]bool{}
	ts.mu.Lock()
	for _, g := range r.Guilds {
		named[g.ID] = true
		ts.listed.Add(g.ID, true)
	}
	ts.mu.Unlock()
	tenants, ok := in.(bot.Tenants)
	if !ok || ts.installations == nil {
		return
	}
	ts.tasks.Spawn(ctx, func(ctx context.Context) {
		defer ts.tasks.Recover(ctx, "guilds")
		if _, err := ts.lookedSince(ctx); err != nil {
			ts.log.WarnContext(ctx, "discord guilds: the time of the first look was not stored", "err", err)
		}
		rows, err := ts.installations.Installations(ctx, place.Platform)
		if err != nil {
			ts.log.WarnContext(ctx, "discord guilds cannot be read", "err", err)
			return
		}
		for _, row := range rows {
			mine := wire.IDNumber(row.Team)>>22%uint64(shards) == uint64(shard) //nolint:gosec // both are small and not negative
			if row.State == bot.InstallActive && mine && !named[row.Team] && ts.denied(ctx, row.Team) {
				ts.leftGuild(ctx, tenants, row.Team, "left_while_away")
			}
		}
	})
}

// denied reports whether the API says that the bot is not in a guild.
func (ts *tenants) denied(ctx context.Context, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err := ts.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/guilds/" + id, Bucket: "guild/" + id, Again: true})
	return rest.CodeOf(err) == rest.CodeUnknownGuild || rest.CodeOf(err) == rest.CodeNoAccess
}

// GiveBack removes the bot from a guild.
func (ts *tenants) GiveBack(ctx context.Context, in bot.Installation) error {
	err := ts.api.Do(ctx, rest.Call{Method: http.MethodDelete, Path: "/users/@me/guilds/" + in.Team, Bucket: "guilds", Again: true, Urgent: true})
	if err != nil && rest.CodeOf(err) != rest.CodeUnknownGuild {
		return fmt.Errorf("leave the guild: %w", err)
	}
	return nil
}
