package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/chore"
	"maru/config"
	"maru/phrase"
)

var _ bot.Tenants = (*Bot)(nil)

// saveTries is how often a row that others write too is tried to be written.
const saveTries = 8

// Join implements Tenants.
func (b *Bot) Join(ctx context.Context, in bot.Installation) (bot.Installation, error) {
	in.State, in.Why, in.OnLeave = bot.InstallActive, "", ""
	for range saveTries {
		row, err := b.cfg.Record.Installation(ctx, in.Platform, in.Team)
		switch {
		case errors.Is(err, bot.ErrNotFound):
		case err != nil:
			return bot.Installation{}, err
		case row.State == bot.InstallLeaving: // what was left must not be mixed with what comes
			if err := b.cleanUp(ctx, row); err != nil {
				return bot.Installation{}, err
			}
			continue
		case row.Covered() && in.Enterprise == row.Enterprise && len(in.Secret) == 0:
			return row, nil
		}
		in.Version = row.Version
		if in.Installed.IsZero() {
			in.Installed = b.cfg.Now()
		}
		stored, err := b.cfg.Record.SaveInstallation(ctx, in)
		if errors.Is(err, bot.ErrStale) {
			continue
		}
		if err == nil {
			b.audit(ctx, bot.Thread{Platform: in.Platform, Team: in.Team}, bot.User{ID: in.By}, "installation.add",
				map[string]any{"name": in.Name, "enterprise": in.Enterprise, "scopes": in.Scopes})
		}
		return stored, err
	}
	return bot.Installation{}, fmt.Errorf("join %s: %w", in.TeamKey(), bot.ErrStale)
}

// Welcome implements Tenants.
func (b *Bot) Welcome(locale string) bot.Card {
	lang := b.cfg.Resolve(nil).Language
	if lang == config.LanguageAuto {
		lang, _ = phrase.Match(locale)
	}
	return bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang, "welcome.guild")}
}

// Leave implements Tenants.
func (b *Bot) Leave(ctx context.Context, d bot.Departure) error {
	left, err := b.depart(ctx, d)
	if left {
		b.chores.Start(ctx, func(ctx context.Context) {
			if err := b.EndDepartures(ctx); err != nil && ctx.Err() == nil {
				b.log.WarnContext(ctx, "clean up after a workspace", "err", err)
			}
		})
	}
	return err
}

// Evict is Leave for who waits until everything that follows from it is done.
func (b *Bot) Evict(ctx context.Context, d bot.Departure) error {
	if _, err := b.depart(ctx, d); err != nil {
		return err
	}
	return b.EndDepartures(ctx)
}

// depart commits a departure, and reports whether it was one.
func (b *Bot) depart(ctx context.Context, d bot.Departure) (bool, error) {
	for range saveTries {
		row, err := b.cfg.Record.Installation(ctx, d.Platform, d.Team)
		if err != nil && !errors.Is(err, bot.ErrNotFound) {
			return false, err
		}
		if !endsInstallation(d, row) {
			return false, nil
		}
		if row.Org { // before its own row: whoever is told again must find what is left to do
			if err := b.departCovered(ctx, d); err != nil {
				return false, err
			}
		}
		row.Platform, row.Team = d.Platform, d.Team
		row.State, row.Why, row.By = bot.InstallLeaving, d.Why, d.By
		row.Secret, row.Expires = nil, time.Time{}
		if d.Enterprise != "" {
			row.Enterprise = d.Enterprise
		}
		row, err = b.decideOnLeave(ctx, row)
		if errors.Is(err, bot.ErrStale) {
			continue
		}
		if err != nil {
			return false, err
		}
		b.vacate(ctx, row)
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
func (b *Bot) departCovered(ctx context.Context, org bot.Departure) error {
	rows, err := b.cfg.Record.Installations(ctx, org.Platform)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !row.Covered() || row.Enterprise != org.Team {
			continue
		}
		if _, err := b.depart(ctx, bot.Departure{Platform: row.Platform, Team: row.Team, Why: org.Why, By: org.By}); err != nil {
			return err
		}
	}
	return nil
}

// decideOnLeave writes down what is done with the data of a workspace that was
// left, as its setting says it now: a purge takes the setting with it.
func (b *Bot) decideOnLeave(ctx context.Context, row bot.Installation) (bot.Installation, error) {
	set, err := b.settingsNow(ctx, bot.Thread{Platform: row.Platform, Team: row.Team}, bot.User{})
	if err != nil {
		return row, err
	}
	row.OnLeave = set.OnLeave
	return b.cfg.Record.SaveInstallation(ctx, row)
}

// vacate stops what runs for a workspace, here and on every other replica. What
// fails is done again by the sweep.
func (b *Bot) vacate(ctx context.Context, row bot.Installation) {
	n, err := b.cfg.Record.Vacate(ctx, row.Platform, row.Team, row.Why)
	if err != nil {
		b.log.WarnContext(ctx, "runs of a workspace that was left", "team", row.TeamKey(), "err", err)
		return
	}
	b.active.cancelTeam(row.TeamKey(), errLost)
	b.log.DebugContext(ctx, "workspace vacated", "team", row.TeamKey(), "why", row.Why, "threads_stopped", n)
}

// EndDepartures ends what belongs to the workspaces that were left, however long
// ago.
func (b *Bot) EndDepartures(ctx context.Context) error {
	rows, err := b.cfg.Record.Installations(ctx, "")
	if err != nil {
		return err
	}
	var errs []error
	for _, row := range rows {
		if row.State == bot.InstallLeaving {
			errs = append(errs, b.cleanUp(ctx, row))
		}
	}
	return errors.Join(errs...)
}

// cleanUp ends what belongs to a workspace that was left, and notes that it is
// done. It may be done twice, and by several at once: one of them is written
// into the audit log.
func (b *Bot) cleanUp(ctx context.Context, row bot.Installation) error {
	b.leaving.Lock() // one at a time
	defer b.leaving.Unlock()
	row, err := b.cfg.Record.Installation(ctx, row.Platform, row.Team)
	if err != nil || row.State != bot.InstallLeaving {
		return err
	}
	t := bot.Thread{Platform: row.Platform, Team: row.Team}
	b.vacate(ctx, row)
	if row.OnLeave == "" { // left by a program that did not write it down
		if row, err = b.decideOnLeave(ctx, row); errors.Is(err, bot.ErrStale) {
			return nil
		} else if err != nil {
			return err
		}
	}
	data := row.OnLeave
	if data == config.LeavePurge {
		if err := b.purge(ctx, t); err != nil {
			return err
		}
	}
	ctx, cancel := chore.AtTheEnd(ctx) // what was done is noted and audited: a stop does not come between
	defer cancel()
	row.State, row.OnLeave = bot.InstallRemoved, ""
	if _, err := b.cfg.Record.SaveInstallation(ctx, row); errors.Is(err, bot.ErrStale) {
		return nil // another replica did it, or the bot is back
	} else if err != nil {
		return err
	}
	b.audit(ctx, t, bot.User{ID: row.By}, "installation.remove", map[string]any{"name": row.Name, "why": row.Why, "data": data})
	return nil
}

// purgeStep is how many threads are listed at a time.
const purgeStep = 200

// purge removes all that is kept of a workspace, what agents keep of its threads
// beside the record first: with the thread's row gone nobody would find it.
func (b *Bot) purge(ctx context.Context, t bot.Thread) error {
	if p, ok := b.cfg.Library.(bot.Purger); ok {
		if err := p.PurgeTeam(ctx, t.TeamKey()); err != nil {
			return fmt.Errorf("remove the documents of %s: %w", t.TeamKey(), err)
		}
	}
	for {
		keys, err := b.cfg.Record.TeamThreads(ctx, t.Platform, t.Team, purgeStep)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			if err := b.cfg.Record.Purge(ctx, t.Platform, t.Team); err != nil {
				return err
			}
			return b.cfg.Record.Scrub(ctx)
		}
		for _, key := range keys {
			if err := b.cfg.Runner.Forget(ctx, key); err != nil {
				return fmt.Errorf("forget in memory: %w", err)
			}
			if err := b.cfg.Record.Forget(ctx, key); err != nil {
				return err
			}
		}
	}
}

// cancelTeam cancels the runs of all threads of a workspace.
func (a *activeRuns) cancelTeam(team string, cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.runs {
		if strings.HasPrefix(r.thread, team+"/") {
			r.cancel(cause)
		}
	}
}
