package slack

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"maru/bot"
)

// unknownFor is how long a workspace that has not installed the app is not
// looked for again: its events may be many.
const unknownFor = 2 * time.Second

// keep follows what other replicas store and renews tokens ahead of time, until
// ctx ends. An organisation's installation is asked once which workspaces it serves.
func (p *App) keep(ctx context.Context, in bot.Intake) {
	counted := map[*Adapter]bool{}
	for {
		if err := p.sync(ctx); err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "slack installations cannot be read", "err", err.Error())
		}
		for _, a := range p.organisations() {
			if !counted[a] {
				counted[a] = true
				p.door.Go(func() { a.census(ctx, in) })
			}
		}
		p.renewDue(ctx)
		p.used.sweep(ctx)
		if p.cfg.Wait(ctx, lookEvery) != nil {
			return
		}
	}
}

// sync makes what is served what the record says.
func (p *App) sync(ctx context.Context) error {
	rows, err := p.app.Installations.Installations(ctx, Platform)
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
		if _, err := p.load(ctx, row); err != nil || row.State == bot.InstallBroken {
			broken++
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for team := range p.tenants {
		if !served[team] {
			delete(p.tenants, team)
		}
	}
	p.covered, p.broken, p.synced = covered, broken, true
	return nil
}

// organisations lists those that installed the app for all of their workspaces.
func (p *App) organisations() []*Adapter {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*Adapter
	if p.fixed != nil {
		out = append(out, p.fixed)
	}
	for _, t := range p.tenants {
		out = append(out, t.adapter)
	}
	return slices.DeleteFunc(out, func(a *Adapter) bool { id := a.web.Whoami(); return id == nil || !id.Org })
}

// load returns the tenant of a row, making it if need be. A token sealed with an
// older key is sealed anew.
func (p *App) load(ctx context.Context, row bot.Installation) (*tenant, error) {
	p.mu.Lock()
	t, ok := p.tenants[row.Team]
	p.mu.Unlock()
	if ok {
		return t, p.complain(ctx, row, t.adopt(row))
	}
	tok, stale, err := p.unseal(row)
	if err != nil {
		return nil, p.complain(ctx, row, err)
	}
	t = &tenant{p: p, row: row, tok: tok}
	t.adapter = newAdapter(p.cfg, p.door, tok.Token, t)
	t.adapter.web.Introduce(row)
	if stale && row.State == bot.InstallActive {
		p.reseal(ctx, t)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if other, ok := p.tenants[row.Team]; ok {
		return other, nil
	}
	p.tenants[row.Team] = t
	return t, nil
}

// complain logs, once a while, why an installation cannot be used.
func (p *App) complain(ctx context.Context, row bot.Installation, err error) error {
	key := "complaint " + row.Team
	if at, ok := p.unknown.Get(key); err != nil && (!ok || p.cfg.Now().Sub(at) > time.Hour) {
		p.unknown.Add(key, p.cfg.Now())
		p.log.ErrorContext(ctx, "slack installation cannot be used", "team", row.Team, "name", row.Name, "err", err.Error())
	}
	return err
}

// reseal seals a token with the newest key. Who comes second is right, too.
func (p *App) reseal(ctx context.Context, t *tenant) {
	row, tok := t.now()
	row, err := p.sealed(row, tok)
	if err != nil {
		return
	}
	if stored, err := p.app.Installations.SaveInstallation(ctx, row); err == nil {
		t.mu.Lock()
		t.row = stored
		t.mu.Unlock()
	} else if !errors.Is(err, bot.ErrStale) {
		p.log.WarnContext(ctx, "slack token was not sealed with the newest key", "team", row.Team, "err", err.Error())
	}
}

// renewDue renews tokens that run out before long.
func (p *App) renewDue(ctx context.Context) {
	p.mu.Lock()
	var due []*tenant
	for _, t := range p.tenants {
		due = append(due, t)
	}
	p.mu.Unlock()
	now := p.cfg.Now()
	for _, t := range due {
		t.owe(ctx)
		row, tok := t.now()
		if row.State != bot.InstallActive || row.Expires.IsZero() || tok.Refresh == "" {
			continue
		}
		ahead := min(renewAhead, row.Expires.Sub(tok.At)/4) // short-lived tokens are not renewed all the time
		if now.After(row.Expires.Add(-ahead)) && ctx.Err() == nil {
			t.Renew(ctx, tok.Token, "")
		}
	}
}

// serving returns who serves a workspace: its own installation, or that of the
// organisation that is known to; nil if nobody does. Without a workspace it is
// the organisation's.
func (p *App) serving(ctx context.Context, team, enterprise string) (*Adapter, error) {
	for _, key := range []string{team, enterprise} {
		if key == "" {
			continue
		}
		a, err := p.installedIn(ctx, key)
		if err != nil || a != nil && (key == team || a.web.Whoami().Org) {
			return a, err
		}
	}
	return nil, nil //nolint:nilnil // nobody serves it, which is no fault
}

// installedIn returns who serves a workspace or an organisation, nil if nobody
// does.
func (p *App) installedIn(ctx context.Context, key string) (*Adapter, error) {
	p.mu.Lock()
	t, org := p.tenants[key], p.covered[key]
	p.mu.Unlock()
	if t != nil {
		return t.adapter, nil
	}
	if p.fixed != nil {
		if id := p.fixed.web.Whoami(); id != nil && (id.Team == key || id.Org && id.Enterprise == key) {
			return p.fixed, nil
		}
	}
	if org != "" {
		return p.serving(ctx, "", org)
	}
	return p.lookUp(ctx, key)
}

// lookUp asks the record for an installation that another replica may have just
// stored.
func (p *App) lookUp(ctx context.Context, key string) (*Adapter, error) {
	if at, ok := p.unknown.Get(key); ok && p.cfg.Now().Sub(at) < unknownFor {
		return nil, nil //nolint:nilnil // it was not there a moment ago
	}
	row, err := p.app.Installations.Installation(ctx, Platform, key)
	switch {
	case err != nil && !errors.Is(err, bot.ErrNotFound):
		return nil, err
	case err == nil && row.Covered():
		return p.serving(ctx, "", row.Enterprise)
	case err == nil && (row.State == bot.InstallActive || row.State == bot.InstallBroken):
		if t, err := p.load(ctx, row); err == nil {
			return t.adapter, nil
		} // said in the log; nothing can be answered there
	}
	p.unknown.Add(key, p.cfg.Now())
	return nil, nil //nolint:nilnil // nobody has installed it
}

// drop forgets an installation that is no more, and whom it served.
func (p *App) drop(team string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tenants, team)
	delete(p.covered, team)
	maps.DeleteFunc(p.covered, func(_, enterprise string) bool { return enterprise == team })
}

// ignoreMissing makes it no fault that there is no such row.
func ignoreMissing(err error) error {
	if errors.Is(err, bot.ErrNotFound) {
		return nil
	}
	return err
}
