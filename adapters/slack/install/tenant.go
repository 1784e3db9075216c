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
	lookEvery  = 15 * time.Second // how often installations are looked after
	renewAhead = time.Hour        // before a token runs out, Slack gives it twelve
	renewLease = 30 * time.Second // of the one that renews
	renewWait  = 250 * time.Millisecond
	renewRest  = 10 * time.Second // after a renewal that failed
	lateness   = 5 * time.Second  // a token that runs out so soon is as one that has
)

// tokens is what is sealed of an installation.
type tokens struct {
	Token   string    `json:"token"`
	Refresh string    `json:"refresh,omitempty"` // "" when tokens do not run out
	At      time.Time `json:"at"`                // when Slack gave them
}

// tenant is one workspace's installation, or an organisation's.
type tenant struct {
	r    *Registry
	site Site

	renewing sync.Mutex // one renewal at a time in this process
	rest     time.Time  // not to be tried again before; guarded by renewing

	mu    sync.Mutex
	row   bot.Installation
	tok   tokens
	spent string // the refresh token that tok was traded for, until the record has tok
	fault string // why Slack did not renew tok when it was last asked, "" if it did
}

// now returns the row and its tokens.
func (t *tenant) now() (bot.Installation, tokens) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.row, t.tok
}

// adopt takes over a newer row, in the form in which the record has it.
func (t *tenant) adopt(row bot.Installation) error {
	if have, _ := t.now(); have.Version >= row.Version {
		return nil
	}
	tok, _, err := t.r.vault.unseal(row)
	if err != nil {
		return err
	}
	t.mu.Lock()
	if t.spent != "" && tok.Refresh == t.spent { // written by who does not know what came of it
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

// unseal reads the tokens of a row; stale says that an older key sealed them.
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

// mark notes that Slack refuses an installation's token, for the operator: the
// workspace must install the app again.
func (r *Registry) mark(ctx context.Context, row bot.Installation, code string) {
	if row.State != bot.InstallActive {
		return
	}
	r.cfg.Log.ErrorContext(ctx, "slack refuses the token of a workspace, the app must be installed there again",
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

// own asks for a lease over all replicas; with one process it is always had.
func (l *leases) own(ctx context.Context, name string) (bool, error) {
	if l.owners == nil {
		return true, nil
	}
	return l.owners.Own(ctx, name, l.owner, renewLease)
}

// disown gives a lease back; one that cannot be ends by itself.
func (l *leases) disown(ctx context.Context, name string) {
	if l.owners == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLease)
	defer cancel()
	if err := l.owners.Disown(ctx, name, l.owner); err != nil {
		l.log.DebugContext(ctx, "slack lease was not given back", "err", err.Error())
	}
}

// RandomName names a process, or a secret between a browser and a callback.
func RandomName() string { return strings.ToLower(rand.Text()) }
