package slack

import (
	"context"
	"errors"
	"time"

	"maru/bot"
)

// unknownFor is how long a workspace that has not installed the app is not
// looked for again: its events may be many.
const unknownFor = 2 * time.Second

// keep follows what other replicas store and renews tokens ahead of time, until
// ctx ends.
func (p *App) keep(ctx context.Context) {
	for {
		if err := p.sync(ctx); err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "slack installations cannot be read", "error", err.Error())
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
	served := map[string]bool{}
	for _, row := range rows {
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
	p.broken, p.synced = broken, true
	return nil
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
	t.adapter = newAdapter(p.door, tok.Token, t)
	t.adapter.introduce(row)
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
		p.log.ErrorContext(ctx, "slack installation cannot be used", "team", row.Team, "name", row.Name, "error", err.Error())
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
		t.row = stored
	} else if !errors.Is(err, bot.ErrStale) {
		p.log.WarnContext(ctx, "slack token was not sealed with the newest key", "team", row.Team, "error", err.Error())
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
		row, tok := t.now()
		if row.State != bot.InstallActive || row.Expires.IsZero() || tok.Refresh == "" {
			continue
		}
		ahead := min(renewAhead, row.Expires.Sub(tok.At)/4) // short-lived tokens are not renewed all the time
		if now.After(row.Expires.Add(-ahead)) && ctx.Err() == nil {
			t.renew(ctx, tok.Token, "")
		}
	}
}

// serving returns who serves a workspace, or the organisation's installation for
// it; nil if nobody does.
func (p *App) serving(ctx context.Context, team, enterprise string) (*Adapter, error) {
	for _, key := range []string{team, enterprise} {
		if key == "" {
			continue
		}
		p.mu.Lock()
		t := p.tenants[key]
		p.mu.Unlock()
		if t != nil {
			return t.adapter, nil
		}
		if p.fixed != nil {
			if id := p.fixed.whoami(); id != nil && (id.team == key || id.org && id.enterprise == key) {
				return p.fixed, nil
			}
		}
		t, err := p.lookUp(ctx, key)
		if err != nil {
			return nil, err
		}
		if t != nil && (key == team || t.adapter.whoami().org) {
			return t.adapter, nil
		}
	}
	return nil, nil //nolint:nilnil // nobody serves it, which is no fault
}

// lookUp asks the record for an installation that another replica may have just
// stored.
func (p *App) lookUp(ctx context.Context, key string) (*tenant, error) {
	if at, ok := p.unknown.Get(key); ok && p.cfg.Now().Sub(at) < unknownFor {
		return nil, nil //nolint:nilnil // it was not there a moment ago
	}
	row, err := p.app.Installations.Installation(ctx, Platform, key)
	if err == nil && (row.State == bot.InstallActive || row.State == bot.InstallBroken) {
		t, err := p.load(ctx, row)
		if err == nil {
			return t, nil
		}
		p.unknown.Add(key, p.cfg.Now())
		return nil, nil //nolint:nilnil // said in the log; nothing can be answered there
	}
	if err == nil || errors.Is(err, bot.ErrNotFound) {
		p.unknown.Add(key, p.cfg.Now())
		return nil, nil //nolint:nilnil // nobody has installed it
	}
	return nil, err
}

// drop forgets an installation that is no more.
func (p *App) drop(team string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tenants, team)
}

// ignoreMissing makes it no fault that there is no such row.
func ignoreMissing(err error) error {
	if errors.Is(err, bot.ErrNotFound) {
		return nil
	}
	return err
}
