package privacy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
)

var _ bot.Tenants = (*Tenants)(nil)

// saveTries limits the retries of an optimistic write.
const saveTries = 8

// TeamRecord is the part of the record that [Tenants] need.
type TeamRecord interface {
	bot.Installations
	Scrub(ctx context.Context) error
	Forget(ctx context.Context, thread string) error
}

// Tenants keeps the list of workspaces and cleans up after those that removed the bot. It
// implements [bot.Tenants] and is safe for concurrent use.
type Tenants struct {
	leaving sync.Mutex // one clean-up after a workspace at a time

	record    TeamRecord
	agents    Agents
	rules     *place.Rules
	runs      Runs
	documents Purger
	chores    *chore.Chores
	log       *slog.Logger
	now       func() time.Time
}

// Join implements [bot.Tenants].
func (tn *Tenants) Join(ctx context.Context, in bot.Installation) (bot.Installation, error) {
	in.State, in.Why, in.OnLeave = bot.InstallActive, "", ""
	for range saveTries {
		row, err := tn.record.Installation(ctx, in.Platform, in.Team)
		switch {
		case errors.Is(err, bot.ErrNotFound):
		case err != nil:
			return bot.Installation{}, err
		case row.State == bot.InstallLeaving: // old data must not be mixed with new data
			if err := tn.cleanUp(ctx, row); err != nil {
				return bot.Installation{}, err
			}
			continue
		case row.Covered() && in.Enterprise == row.Enterprise && len(in.Secret) == 0:
			return row, nil
		}
		in.Version = row.Version
		if in.Installed.IsZero() {
			in.Installed = tn.now()
		}
		stored, err := tn.record.SaveInstallation(ctx, in)
		if errors.Is(err, bot.ErrStale) {
			continue
		}
		if err == nil {
			tn.rules.Audit(ctx, bot.Thread{Platform: in.Platform, Team: in.Team}, bot.User{ID: in.By}, "installation.add",
				map[string]any{"name": in.Name, "enterprise": in.Enterprise, "scopes": in.Scopes})
		}
		return stored, err
	}
	return bot.Installation{}, fmt.Errorf("join %s: %w", in.TeamKey(), bot.ErrStale)
}

// Welcome implements [bot.Tenants].
func (tn *Tenants) Welcome(locale string) bot.Card {
	lang := tn.rules.Defaults().Language
	if lang == config.LanguageAuto {
		lang, _ = phrase.Match(locale)
	}
	return bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang, "welcome.guild")}
}

// Leave implements [bot.Tenants].
func (tn *Tenants) Leave(ctx context.Context, d bot.Departure) error {
	left, err := tn.markLeaving(ctx, d)
	if left {
		tn.chores.Start(ctx, func(ctx context.Context) {
			if err := tn.EndDepartures(ctx); err != nil && ctx.Err() == nil {
				tn.log.WarnContext(ctx, "clean up after a workspace", "err", err)
			}
		})
	}
	return err
}

// Evict is Leave with the clean-up, for which it waits.
func (tn *Tenants) Evict(ctx context.Context, d bot.Departure) error {
	if _, err := tn.markLeaving(ctx, d); err != nil {
		return err
	}
	return tn.EndDepartures(ctx)
}

// markLeaving commits a departure, and reports whether it changed anything.
func (tn *Tenants) markLeaving(ctx context.Context, d bot.Departure) (bool, error) {
	for range saveTries {
		row, err := tn.record.Installation(ctx, d.Platform, d.Team)
		if err != nil && !errors.Is(err, bot.ErrNotFound) {
			return false, err
		}
		if !endsInstallation(d, row) {
			return false, nil
		}
		if row.Org { // before its own row, so that a repeated event finds the rest
			if err := tn.markCoveredLeaving(ctx, d); err != nil {
				return false, err
			}
		}
		row.Platform, row.Team = d.Platform, d.Team
		row.State, row.Why, row.By = bot.InstallLeaving, d.Why, d.By
		row.Secret, row.Expires = nil, time.Time{}
		if d.Enterprise != "" {
			row.Enterprise = d.Enterprise
		}
		row, err = tn.saveOnLeave(ctx, row)
		if errors.Is(err, bot.ErrStale) {
			continue
		}
		if err != nil {
			return false, err
		}
		tn.stopRuns(ctx, row)
		return true, nil
	}
	return false, fmt.Errorf("leave %s/%s: %w", d.Platform, d.Team, bot.ErrStale)
}

// endsInstallation reports whether a departure ends an installation; a row without a
// version means there is none. An organisation's departure covers the workspaces that its
// own installation serves, with or without a row.
func endsInstallation(d bot.Departure, row bot.Installation) bool {
	switch {
	case row.State == bot.InstallLeaving:
		return false
	case d.Enterprise == "":
		return row.Version > 0 && row.State != bot.InstallRemoved
	case row.State == bot.InstallRemoved:
		return row.Why != d.Why
	}
	return row.Version == 0 || row.Covered() && row.Enterprise == d.Enterprise
}

// markCoveredLeaving commits the departure of every workspace that an organisation's
// installation serves.
func (tn *Tenants) markCoveredLeaving(ctx context.Context, org bot.Departure) error {
	rows, err := tn.record.Installations(ctx, org.Platform)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !row.Covered() || row.Enterprise != org.Team {
			continue
		}
		if _, err := tn.markLeaving(ctx, bot.Departure{Platform: row.Platform, Team: row.Team, Why: org.Why, By: org.By}); err != nil {
			return err
		}
	}
	return nil
}

// saveOnLeave copies the workspace's on_leave setting into the row, because a purge
// deletes the setting before the clean-up is finished.
func (tn *Tenants) saveOnLeave(ctx context.Context, row bot.Installation) (bot.Installation, error) {
	set, err := tn.rules.SettingsNow(ctx, bot.Thread{Platform: row.Platform, Team: row.Team}, bot.User{})
	if err != nil {
		return row, err
	}
	row.OnLeave = set.OnLeave
	return tn.record.SaveInstallation(ctx, row)
}

// stopRuns cancels the runs of a workspace on every replica. The sweep repeats it after
// a failure.
func (tn *Tenants) stopRuns(ctx context.Context, row bot.Installation) {
	n, err := tn.record.Vacate(ctx, row.Platform, row.Team, row.Why)
	if err != nil {
		tn.log.WarnContext(ctx, "stop runs of a removed workspace", "team", row.TeamKey(), "err", err)
		return
	}
	tn.runs.FenceTeam(row.TeamKey())
	tn.log.DebugContext(ctx, "workspace vacated", "team", row.TeamKey(), "why", row.Why, "threads_stopped", n)
}

// EndDepartures finishes the clean-up of all workspaces that removed the bot.
func (tn *Tenants) EndDepartures(ctx context.Context) error {
	rows, err := tn.record.Installations(ctx, "")
	if err != nil {
		return err
	}
	var errs []error
	for _, row := range rows {
		if row.State == bot.InstallLeaving {
			errs = append(errs, tn.cleanUp(ctx, row))
		}
	}
	return errors.Join(errs...)
}

// cleanUp applies on_leave to a workspace that removed the bot, and marks it removed. It
// is idempotent and safe on several replicas: one of them writes the audit entry.
func (tn *Tenants) cleanUp(ctx context.Context, row bot.Installation) error {
	tn.leaving.Lock() // one at a time
	defer tn.leaving.Unlock()
	row, err := tn.record.Installation(ctx, row.Platform, row.Team)
	if err != nil || row.State != bot.InstallLeaving {
		return err
	}
	t := bot.Thread{Platform: row.Platform, Team: row.Team}
	tn.stopRuns(ctx, row)
	if row.OnLeave == "" { // from a program that did not store the setting
		if row, err = tn.saveOnLeave(ctx, row); errors.Is(err, bot.ErrStale) {
			return nil
		} else if err != nil {
			return err
		}
	}
	data := row.OnLeave
	if data == config.LeavePurge {
		if err := tn.purge(ctx, t); err != nil {
			return err
		}
	}
	ctx, cancel := chore.AtTheEnd(ctx) // what was done is recorded and audited even during shutdown
	defer cancel()
	row.State, row.OnLeave = bot.InstallRemoved, ""
	if _, err := tn.record.SaveInstallation(ctx, row); errors.Is(err, bot.ErrStale) {
		return nil // another replica did it, or the bot is back
	} else if err != nil {
		return err
	}
	tn.rules.Audit(ctx, t, bot.User{ID: row.By}, "installation.remove", map[string]any{"name": row.Name, "why": row.Why, "data": data})
	return nil
}

// purgeStep is the page size of the list of threads.
const purgeStep = 200

// purge deletes all data of a workspace. Agents forget each thread before its row goes,
// because the row is the only index to their logs.
func (tn *Tenants) purge(ctx context.Context, t bot.Thread) error {
	if p := tn.documents; p != nil {
		if err := p.PurgeTeam(ctx, t.TeamKey()); err != nil {
			return fmt.Errorf("remove the documents of %s: %w", t.TeamKey(), err)
		}
	}
	for {
		keys, err := tn.record.TeamThreads(ctx, t.Platform, t.Team, purgeStep)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			if err := tn.record.Purge(ctx, t.Platform, t.Team); err != nil {
				return err
			}
			return tn.record.Scrub(ctx)
		}
		for _, key := range keys {
			if err := tn.agents.Forget(ctx, key); err != nil {
				return fmt.Errorf("forget in memory: %w", err)
			}
			if err := tn.record.Forget(ctx, key); err != nil {
				return err
			}
		}
	}
}

// Purger is a [bot.Library] that can remove all documents of a workspace, named as by [bot.Thread.TeamKey], and
// those added by a person, which CountBy counts.
type Purger interface {
	PurgeTeam(ctx context.Context, team string) error
	PurgeBy(ctx context.Context, team, by string) (int, error)
	CountBy(ctx context.Context, team, by string) (int, error)
}
