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

// tenants tell the bot of the guilds that take it in and send it away.
type tenants struct {
	api           *rest.Client
	me            *account.Account
	out           *outbound.Sender
	notes         bot.Notes
	tasks         *task.Group
	installations bot.Installations // nil: nobody is told
	greet         bool
	log           *slog.Logger
	now           func() time.Time
	wait          func(context.Context, time.Duration) error

	listed *cache.Cache[string, bool] // guilds that READY named

	mu    sync.Mutex
	turns map[string]chan struct{} // by guild: ends with the last of what happened to it
}

func newTenants(api *rest.Client, me *account.Account, out *outbound.Sender, notes bot.Notes, tasks *task.Group, cfg Config) *tenants {
	return &tenants{
		api: api, me: me, out: out, notes: notes, tasks: tasks, installations: cfg.Installations, greet: cfg.Greet,
		log: cfg.Logger, now: cfg.Now, wait: cfg.Wait, listed: cache.New[string, bool](1 << 14), turns: map[string]chan struct{}{},
	}
}

// onGuild tells the bot of guilds that take it in and send it away. Discord
// announces every guild after each READY, and names those that READY announces
// in it; a guild that is unavailable has an outage, and nobody has left it.
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
		ts.listed.Remove(g.ID) // taken in again, it is greeted again
	}
	before, done := ts.turns[g.ID], make(chan struct{})
	ts.turns[g.ID] = done
	ts.mu.Unlock()
	started := ts.tasks.Spawn(ctx, func(ctx context.Context) {
		defer ts.endGuildTurn(g.ID, done)
		defer ts.tasks.Recover(ctx, "guild")
		if before != nil { // sent away and taken in again at once: one after the other
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

// endGuildTurn lets what happened to a guild next be carried out.
func (ts *tenants) endGuildTurn(id string, done chan struct{}) {
	close(done)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.turns[id] == done {
		delete(ts.turns, id)
	}
}

// sinceNote holds when guilds were first looked at: the bot was in all that took
// it in before, and they were used to it.
const sinceNote = "guilds-since"

// lookedSince returns when guilds were first looked at, which is now if nobody
// has yet.
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

// enteredGuild stores a guild that is new, and greets it unless the bot has been
// there since before guilds were looked at: one that READY names took the bot in
// while it was not connected.
func (ts *tenants) enteredGuild(ctx context.Context, tenants bot.Tenants, g wire.Guild, listed bool) {
	fresh, used := false, false
	err := ts.insist(ctx, "store guild", func(ctx context.Context) error {
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

// insist repeats f until it works: the gateway tells of a guild once. What fails
// for too long is found with the next READY.
func (ts *tenants) insist(ctx context.Context, what string, f func(context.Context) error) error {
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

// leftGuild tells the bot that it was sent away. The gateway says it once.
func (ts *tenants) leftGuild(ctx context.Context, tenants bot.Tenants, id, why string) {
	err := ts.insist(ctx, "leave guild", func(ctx context.Context) error {
		return tenants.Leave(ctx, bot.Departure{Platform: place.Platform, Team: id, Why: why})
	})
	if err == nil {
		ts.log.InfoContext(ctx, "discord guild left", "team", id, "why", why)
	}
}

// noteGuilds notes which guilds READY names, and looks for those that the bot was
// sent away from while it was not connected. Only what the API denies counts: a
// guild may be missing in READY for many reasons.
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
			ts.log.WarnContext(ctx, "discord guilds: when they were first looked at cannot be noted", "err", err)
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

// denied reports whether Discord says that the bot is not in a guild.
func (ts *tenants) denied(ctx context.Context, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err := ts.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/guilds/" + id, Bucket: "guild/" + id, Again: true})
	return rest.CodeOf(err) == rest.CodeUnknownGuild || rest.CodeOf(err) == rest.CodeNoAccess
}

// GiveBack takes the bot out of a guild.
func (ts *tenants) GiveBack(ctx context.Context, in bot.Installation) error {
	err := ts.api.Do(ctx, rest.Call{Method: http.MethodDelete, Path: "/users/@me/guilds/" + in.Team, Bucket: "guilds", Again: true, Urgent: true})
	if err != nil && rest.CodeOf(err) != rest.CodeUnknownGuild {
		return fmt.Errorf("leave the guild: %w", err)
	}
	return nil
}
