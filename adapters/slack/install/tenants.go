package install

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// unknownFor is the negative-cache time of a workspace without an installation, which may
// send many events.
const unknownFor = 2 * time.Second

// Keep synchronises with other replicas and renews tokens ahead of time, until ctx ends. It
// synchronises an organisation's workspaces once.
func (r *Registry) Keep(ctx context.Context, in bot.Intake) {
	counted := map[Site]bool{}
	for {
		if err := r.sync(ctx); err != nil && ctx.Err() == nil {
			r.cfg.Log.WarnContext(ctx, "slack installations cannot be read", "err", err.Error())
		}
		for _, a := range r.organisations() {
			if !counted[a] {
				counted[a] = true
				r.spawn(func() { NewOrganisation(a.Client(), r.cfg.Installations).Census(ctx, in) })
			}
		}
		r.renewDue(ctx)
		r.used.sweep(ctx)
		if r.cfg.Wait(ctx, lookEvery) != nil {
			return
		}
	}
}

// sync makes the served workspaces those of the record.
func (r *Registry) sync(ctx context.Context) error {
	rows, err := r.cfg.Installations.Installations(ctx, payload.Platform)
	if err != nil {
		return err
	}
	broken := 0
	served, covered := map[string]bool{}, map[string]string{}
	for _, row := range rows {
		if row.Covered() {
			covered[row.Team] = row.Enterprise
			continue
		}
		if row.State != bot.InstallActive && row.State != bot.InstallBroken {
			continue
		}
		served[row.Team] = true
		if _, err := r.load(ctx, row); err != nil || row.State == bot.InstallBroken {
			broken++
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for team := range r.tenants {
		if !served[team] {
			delete(r.tenants, team)
		}
	}
	r.covered, r.broken, r.synced = covered, broken, true
	return nil
}

// organisations lists the organisation-wide installations.
func (r *Registry) organisations() []Site {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Site
	if r.fixed != nil {
		out = append(out, r.fixed)
	}
	for _, t := range r.tenants {
		out = append(out, t.site)
	}
	return slices.DeleteFunc(out, func(a Site) bool { id := a.Client().Whoami(); return id == nil || !id.Org })
}

// load returns a row's tenant, creating it if necessary. It reseals a token that an older key
// sealed.
func (r *Registry) load(ctx context.Context, row bot.Installation) (*tenant, error) {
	r.mu.Lock()
	t, ok := r.tenants[row.Team]
	r.mu.Unlock()
	if ok {
		return t, r.logUnusable(ctx, row, t.adopt(row))
	}
	tok, stale, err := r.vault.unseal(row)
	if err != nil {
		return nil, r.logUnusable(ctx, row, err)
	}
	t = &tenant{r: r, row: row, tok: tok}
	t.site = r.build(tok.Token, t)
	t.site.Client().Introduce(row)
	if stale && row.State == bot.InstallActive {
		r.reseal(ctx, t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if other, ok := r.tenants[row.Team]; ok {
		return other, nil
	}
	r.tenants[row.Team] = t
	return t, nil
}

// logUnusable logs, rate-limited, why an installation is unusable.
func (r *Registry) logUnusable(ctx context.Context, row bot.Installation, err error) error {
	key := "complaint " + row.Team
	if at, ok := r.unknown.Get(key); err != nil && (!ok || r.cfg.Now().Sub(at) > time.Hour) {
		r.unknown.Add(key, r.cfg.Now())
		r.cfg.Log.ErrorContext(ctx, "slack installation cannot be used", "team", row.Team, "name", row.Name, "err", err.Error())
	}
	return err
}

// reseal seals a token with the newest key. A concurrent reseal is equally valid.
func (r *Registry) reseal(ctx context.Context, t *tenant) {
	row, tok := t.now()
	row, err := r.vault.sealed(row, tok)
	if err != nil {
		return
	}
	if stored, err := r.cfg.Installations.SaveInstallation(ctx, row); err == nil {
		t.mu.Lock()
		t.row = stored
		t.mu.Unlock()
	} else if !errors.Is(err, bot.ErrStale) {
		r.cfg.Log.WarnContext(ctx, "slack token was not sealed with the newest key", "team", row.Team, "err", err.Error())
	}
}

// renewDue renews tokens that expire soon.
func (r *Registry) renewDue(ctx context.Context) {
	r.mu.Lock()
	var due []*tenant
	for _, t := range r.tenants {
		due = append(due, t)
	}
	r.mu.Unlock()
	now := r.cfg.Now()
	for _, t := range due {
		t.storePending(ctx)
		row, tok := t.now()
		if row.State != bot.InstallActive || row.Expires.IsZero() || tok.Refresh == "" {
			continue
		}
		ahead := min(renewAhead, row.Expires.Sub(tok.At)/4) // do not renew short-lived tokens continuously
		if now.After(row.Expires.Add(-ahead)) && ctx.Err() == nil {
			t.Renew(ctx, tok.Token, "")
		}
	}
}

// serving returns the site of a workspace: of its own installation, or of the organisation
// that covers it; nil for none. Without a workspace it is the organisation's.
func (r *Registry) serving(ctx context.Context, team, enterprise string) (Site, error) {
	for _, key := range []string{team, enterprise} {
		if key == "" {
			continue
		}
		a, err := r.installedIn(ctx, key)
		if err != nil || a != nil && (key == team || a.Client().Whoami().Org) {
			return a, err
		}
	}
	return nil, nil //nolint:nilnil // an unserved workspace is no error
}

// installedIn returns the site of a workspace's or organisation's own installation, nil for
// none.
func (r *Registry) installedIn(ctx context.Context, key string) (Site, error) {
	r.mu.Lock()
	t, org := r.tenants[key], r.covered[key]
	r.mu.Unlock()
	if t != nil {
		return t.site, nil
	}
	if r.fixed != nil {
		if id := r.fixed.Client().Whoami(); id != nil && (id.Team == key || id.Org && id.Enterprise == key) {
			return r.fixed, nil
		}
	}
	if org != "" {
		return r.serving(ctx, "", org)
	}
	return r.lookUp(ctx, key)
}

// lookUp reads the record for an installation that another replica may have just stored.
func (r *Registry) lookUp(ctx context.Context, key string) (Site, error) {
	if at, ok := r.unknown.Get(key); ok && r.cfg.Now().Sub(at) < unknownFor {
		return nil, nil //nolint:nilnil // it was missing a moment ago
	}
	row, err := r.cfg.Installations.Installation(ctx, payload.Platform, key)
	switch {
	case err != nil && !errors.Is(err, bot.ErrNotFound):
		return nil, err
	case err == nil && row.Covered():
		return r.serving(ctx, "", row.Enterprise)
	case err == nil && (row.State == bot.InstallActive || row.State == bot.InstallBroken):
		if t, err := r.load(ctx, row); err == nil {
			return t.site, nil
		} // logged; nothing can be answered there
	}
	r.unknown.Add(key, r.cfg.Now())
	return nil, nil //nolint:nilnil // not installed
}

// drop removes an ended installation and the workspaces that it covered.
func (r *Registry) drop(team string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tenants, team)
	delete(r.covered, team)
	maps.DeleteFunc(r.covered, func(_, enterprise string) bool { return enterprise == team })
}

// ignoreMissing returns nil for a missing row.
func ignoreMissing(err error) error {
	if errors.Is(err, bot.ErrNotFound) {
		return nil
	}
	return err
}

// mentioned lists the workspaces whose bot a text mentions, in a fixed order.
func (r *Registry) mentioned(text string) []Site {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Site
	for _, team := range slices.Sorted(maps.Keys(r.tenants)) {
		a := r.tenants[team].site
		if id := a.Client().Whoami(); !id.Org && payload.Mentions(text, id.User) {
			out = append(out, a)
		}
	}
	return out
}

// revokedFixed records that the configured token's workspace uninstalled the app, and reports
// whether team is that workspace.
func (r *Registry) revokedFixed(ctx context.Context, team, why string) bool {
	if r.fixed == nil {
		return false
	}
	id := r.fixed.Client().Whoami()
	if id == nil || id.Team != team {
		return false
	}
	r.fixed.Client().Revoked(ctx, why)
	return true
}

// forgetUnknown clears the negative cache of a workspace that may be served now.
func (r *Registry) forgetUnknown(team string) { r.unknown.Remove(team) }

// errNotInstalled is the class of errors for an unserved workspace.
var errNotInstalled = fmt.Errorf("slack: the workspace has not installed the app: %w", bot.ErrForbidden)

// In returns the site of a workspace.
func (r *Registry) In(ctx context.Context, op, team string) (Site, error) {
	a, err := r.serving(ctx, team, "")
	switch {
	case err != nil:
		return nil, &bot.DeliveryError{Op: op, Code: "record", Err: errors.Join(bot.ErrUnavailable, err)}
	case a == nil:
		return nil, &bot.DeliveryError{Op: op, Code: "not_installed", Err: errNotInstalled}
	}
	return a, nil
}
