package install

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"maru/bot"
)

const (
	lookEvery  = 15 * time.Second // interval of the checks of all installations
	renewAhead = time.Hour        // before a token expires; Slack's live twelve hours
	renewLease = 30 * time.Second // of the replica that renews
	renewWait  = 250 * time.Millisecond
	renewRest  = 10 * time.Second // backoff after a failed renewal
	lateness   = 5 * time.Second  // a token with less left counts as expired
)

// tokens is the sealed part of an installation.
type tokens struct {
	Token   string    `json:"token"`
	Refresh string    `json:"refresh,omitempty"` // "" when the tokens do not expire
	At      time.Time `json:"at"`                // time of issue
}

// tenant is the installation of one workspace or organisation.
type tenant struct {
	r    *Registry
	site Site

	renewing sync.Mutex // one renewal at a time in this process
	rest     time.Time  // no retry before; guarded by renewing

	mu    sync.Mutex
	row   bot.Installation
	tok   tokens
	spent string // the refresh token spent on tok, until the record has tok
	fault string // error code of the last renewal of tok, "" after a success
}

// now returns the row and its tokens.
func (t *tenant) now() (bot.Installation, tokens) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.row, t.tok
}

// adopt takes over a newer row of the record.
func (t *tenant) adopt(row bot.Installation) error {
	if have, _ := t.now(); have.Version >= row.Version {
		return nil
	}
	tok, _, err := t.r.vault.unseal(row)
	if err != nil {
		return err
	}
	t.mu.Lock()
	if t.spent != "" && tok.Refresh == t.spent { // written by a replica that does not know the exchange's result
		row.Expires = t.row.Expires
		t.row = row
		t.mu.Unlock()
		return nil
	}
	t.row, t.tok, t.spent, t.fault = row, tok, "", ""
	t.mu.Unlock()
	t.site.Client().Introduce(row)
	t.site.Client().Use(tok.Token)
	return nil
}

// unseal opens the tokens of a row; stale means that an older key sealed them.
func (v *Vault) unseal(row bot.Installation) (tok tokens, stale bool, err error) {
	plain, stale, err := v.open(row.TeamKey(), row.Secret)
	if err != nil {
		return tokens{}, false, err
	}
	if err := json.Unmarshal(plain, &tok); err != nil || tok.Token == "" {
		return tokens{}, false, errSealed
	}
	return tok, stale, nil
}

// sealed returns row with tok sealed into it.
func (v *Vault) sealed(row bot.Installation, tok tokens) (bot.Installation, error) {
	plain, err := json.Marshal(tok)
	if err != nil {
		return row, fmt.Errorf("slack: encode token: %w", err)
	}
	row.Secret = v.seal(row.TeamKey(), plain)
	return row, nil
}

// markBroken records for the operator that Slack refuses an installation's token: the workspace
// must reinstall the app.
func (r *Registry) markBroken(ctx context.Context, row bot.Installation, code string) {
	if row.State != bot.InstallActive {
		return
	}
	r.cfg.Log.ErrorContext(ctx, "slack refuses the token of a workspace, the app must be reinstalled there",
		"team", row.Team, "name", row.Name, "code", code, "works_until", row.Expires, "page", cmp.Or(r.cfg.PublicURL, "HTTP_ADDR")+installPath)
	row.State, row.Why = bot.InstallBroken, code
	stored, err := r.cfg.Installations.SaveInstallation(ctx, row)
	if err != nil {
		if !errors.Is(err, bot.ErrStale) {
			r.cfg.Log.WarnContext(ctx, "slack installation was not marked as broken", "team", row.Team, "err", err.Error())
		}
		return
	}
	r.mu.Lock()
	t := r.tenants[row.Team]
	r.broken++
	r.mu.Unlock()
	if t != nil {
		t.mu.Lock()
		t.row = stored
		t.mu.Unlock()
	}
}

// own acquires a lease across replicas; a single process always gets it.
func (l *leases) own(ctx context.Context, name string) (bool, error) {
	if l.owners == nil {
		return true, nil
	}
	return l.owners.Own(ctx, name, l.owner, renewLease)
}

// disown releases a lease; on failure it expires.
func (l *leases) disown(ctx context.Context, name string) {
	if l.owners == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLease)
	defer cancel()
	if err := l.owners.Disown(ctx, name, l.owner); err != nil {
		l.log.DebugContext(ctx, "slack lease was not released", "err", err.Error())
	}
}

// RandomName returns a process name, or a secret shared by a browser and its callback.
func RandomName() string { return strings.ToLower(rand.Text()) }
