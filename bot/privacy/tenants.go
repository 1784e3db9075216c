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

// saveTries is how often a row that others write too is tried to be written.
const saveTries = 8

// TeamRecord is what [Tenants] need of the record.
type TeamRecord interface {
	bot.Installations
	Scrub(ctx context.Context) error
	Forget(ctx context.Context, thread string) error
}

// Tenants keeps the list of workspaces, and cleans up after those that were left. It
// implements [bot.Tenants] and is safe for concurrent use.
type Tenants struct {
	leaving sync.Mutex // one clean-up after a workspace at a time

	record    TeamRecord
	agents    Agents
	rules     *place.Rules
	runs      Runs
	documents bot.Purger
	chores    *chore.Chores
	log       *slog.Logger
	now       func() time.Time
}

// Join implements Tenants.
func (tn *Tenants) Join(ctx context.Context, in bot.Installation) (bot.Installation, error) {
	in.State, in.Why, in.OnLeave = bot.InstallActive, "", ""
	for range saveTries {
		row, err := tn.record.Installation(ctx, in.Platform, in.Team)
		switch {
		case errors.Is(err, bot.ErrNotFound):
		case err != nil:
			return bot.Installation{}, err
		case row.State == bot.InstallLeaving: // what was left must not be mixed with what comes
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

// Welcome implements Tenants.
func (tn *Tenants) Welcome(locale string) bot.Card {
	lang := tn.rules.Defaults().Language
	if lang == config.LanguageAuto {
		lang, _ = phrase.Match(locale)
	}
	return bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang, "welcome.guild")}
}

// Leave implements Tenants.
func (tn *Tenants) Leave(ctx context.Context, d bot.Departure) error {
	left, err := tn.depart(ctx, d)
	if left {
		tn.chores.Start(ctx, func(ctx context.Context) {
			if err := tn.EndDepartures(ctx); err != nil && ctx.Err() == nil {
				tn.log.WarnContext(ctx, "clean up after a workspace", "err", err)
			}
		})
	}
	return err
}

// Evict is Leave for who waits until everything that follows from it is done.
func (tn *Tenants) Evict(ctx context.Context, d bot.Departure) error {
	if _, err := tn.depart(ctx, d); err != nil {
		return err
	}
	return tn.EndDepartures(ctx)
}

// depart commits a departure, and reports whether it was one.
func (tn *Tenants) depart(ctx context.Context, d bot.Departure) (bool, error) {
	for range saveTries {
		row, err := tn.record.Installation(ctx, d.Platform, d.Team)
		if err != nil && !errors.Is(err, bot.ErrNotFound) {
			return false, err
		}
		if !endsInstallation(d, row) {
			return false, nil
		}
		if row.Org { // before its own row: whoever is told again must find what is left to do
			if err := tn.departCovered(ctx, d); err != nil {
				return false, err
			}
		}
		row.Platform, row.Team = d.Platform, d.Team
		row.State, row.Why, row.By = bot.InstallLeaving, d.Why, d.By
		row.Secret, row.Expires = nil, time.Time{}
		if d.Enterprise != "" {
			row.Enterprise = d.Enterprise
		}
		row, err = tn.decideOnLeave(ctx, row)
		if errors.Is(err, bot.ErrStale) {
			continue
		}
		if err != nil {
			return false, err
		}
		tn.vacate(ctx, row)
		return true, nil
	}
	return false, fmt.Errorf("leave %s/%s: %w", d.Platform, d.Team, bot.ErrStale)
}

// endsInstallation reports whether a departure ends what a row says; a row without a version
// is none. An organisation's word counts for the workspaces that its own
// installation serves, and they need no row for that.
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

// departCovered commits the departure from every workspace that an organisation's
// installation serves.
func (tn *Tenants) departCovered(ctx context.Context, org bot.Departure) error {
	rows, err := tn.record.Installations(ctx, org.Platform)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !row.Covered() || row.Enterprise != org.Team {
			continue
		}
		if _, err := tn.depart(ctx, bot.Departure{Platform: row.Platform, Team: row.Team, Why: org.Why, By: org.By}); err != nil {
			return err
		}
	}
	return nil
}

// decideOnLeave writes down what is done with the data of a workspace that was
// left, as its setting says it now: a purge takes the setting with it.
func (tn *Tenants) decideOnLeave(ctx context.Context, row bot.Installation) (bot.Installation, error) {
	set, err := tn.rules.SettingsNow(ctx, bot.Thread{Platform: row.Platform, Team: row.Team}, bot.User{})
	if err != nil {
		return row, err
	}
	row.OnLeave = set.OnLeave
	return tn.record.SaveInstallation(ctx, row)
}

// vacate stops what runs for a workspace, here and on every other replica. What
// fails is done again by the sweep.
func (tn *Tenants) vacate(ctx context.Context, row bot.Installation) {
	n, err := tn.record.Vacate(ctx, row.Platform, row.Team, row.Why)
	if err != nil {
		tn.log.WarnContext(ctx, "runs of a workspace that was left", "team", row.TeamKey(), "err", err)
		return
	}
	tn.runs.FenceTeam(row.TeamKey())
	tn.log.DebugContext(ctx, "workspace vacated", "team", row.TeamKey(), "why", row.Why, "threads_stopped", n)
}

// EndDepartures ends what belongs to the workspaces that were left, however long
// ago.
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

// cleanUp ends what belongs to a workspace that was left, and notes that it is
// done. It may be done twice, and by several at once: one of them is written
// into the audit log.
func (tn *Tenants) cleanUp(ctx context.Context, row bot.Installation) error {
	tn.leaving.Lock() // one at a time
	defer tn.leaving.Unlock()
	row, err := tn.record.Installation(ctx, row.Platform, row.Team)
	if err != nil || row.State != bot.InstallLeaving {
		return err
	}
	t := bot.Thread{Platform: row.Platform, Team: row.Team}
	tn.vacate(ctx, row)
	if row.OnLeave == "" { // left by a program that did not write it down
		if row, err = tn.decideOnLeave(ctx, row); errors.Is(err, bot.ErrStale) {
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
	ctx, cancel := chore.AtTheEnd(ctx) // what was done is noted and audited: a stop does not come between
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

// purgeStep is how many threads are listed at a time.
const purgeStep = 200

// purge removes all that is kept of a workspace, what agents keep of its threads
// beside the record first: with the thread's row gone nobody would find it.
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
