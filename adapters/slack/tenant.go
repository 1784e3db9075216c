package slack

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

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
	p       *App
	adapter *Adapter

	renewing sync.Mutex // one renewal at a time in this process
	rest     time.Time  // not to be tried again before; guarded by renewing

	mu  sync.Mutex
	row bot.Installation
	tok tokens
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
	tok, _, err := t.p.unseal(row)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.row, t.tok = row, tok
	t.mu.Unlock()
	t.adapter.introduce(row)
	t.adapter.use(tok.Token)
	return nil
}

// introduce tells the adapter who it is in a workspace.
func (a *Adapter) introduce(row bot.Installation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ident = &identity{user: row.BotUser, team: row.Team, enterprise: row.Enterprise, name: "maru", org: row.Org}
	a.fatal = nil
}

// unseal reads the tokens of a row; stale says that an older key sealed them.
func (p *App) unseal(row bot.Installation) (tok tokens, stale bool, err error) {
	plain, stale, err := p.vault.open(row.TeamKey(), row.Secret)
	if err != nil {
		return tokens{}, false, err
	}
	if err := json.Unmarshal(plain, &tok); err != nil || tok.Token == "" {
		return tokens{}, false, errSealed
	}
	return tok, stale, nil
}

// sealed returns row with tok sealed into it.
func (p *App) sealed(row bot.Installation, tok tokens) (bot.Installation, error) {
	plain, err := json.Marshal(tok)
	if err != nil {
		return row, fmt.Errorf("slack: encode token: %w", err)
	}
	row.Secret = p.vault.seal(row.TeamKey(), plain)
	return row, nil
}

// fresh implements keeper: a token that is about to run out is renewed before a
// call is made in vain.
func (t *tenant) fresh(ctx context.Context, token string) string {
	row, tok := t.now()
	if tok.Token != token || row.Expires.IsZero() || t.p.cfg.Now().Before(row.Expires.Add(-lateness)) {
		return tok.Token
	}
	return first(t.renew(ctx, token, "token_expired"), token)
}

// renew implements keeper; with code "" it is done ahead of time. Slack takes a
// refresh token once, so one of all replicas uses it, under a lease, and the
// others wait for what it stores.
func (t *tenant) renew(ctx context.Context, refused, code string) string {
	t.renewing.Lock()
	defer t.renewing.Unlock()
	for {
		if _, tok := t.now(); tok.Token != refused {
			return tok.Token // somebody was quicker
		}
		row, tok, err := t.read(ctx)
		switch {
		case err != nil || tok.Token != refused:
			return tok.Token
		case row.State != bot.InstallActive:
			return ""
		case tok.Refresh == "":
			t.p.mark(ctx, row, code)
			return ""
		case t.p.cfg.Now().Before(t.rest):
			return ""
		}
		mine, err := t.p.own(ctx, "slack/renew/"+row.Team)
		if err != nil {
			t.p.log.WarnContext(ctx, "slack token was not renewed", "team", row.Team, "error", err.Error())
			return ""
		}
		if mine {
			return t.exchange(ctx, row, tok, code != "")
		}
		if t.p.cfg.Wait(ctx, renewWait) != nil {
			return ""
		}
	}
}

// read takes over what the record has now. What cannot be read is not there.
func (t *tenant) read(ctx context.Context) (bot.Installation, tokens, error) {
	have, _ := t.now()
	row, err := t.p.app.Installations.Installation(ctx, Platform, have.Team)
	if err == nil && row.State != bot.InstallActive && row.State != bot.InstallBroken {
		return row, tokens{}, bot.ErrNotFound
	}
	if err == nil {
		err = t.adopt(row)
	}
	if err != nil {
		if ctx.Err() == nil { // else nobody waits for it any more
			t.p.log.WarnContext(ctx, "slack installation cannot be read", "team", have.Team, "error", err.Error())
		}
		return bot.Installation{}, tokens{}, err
	}
	row, tok := t.now()
	return row, tok, nil
}

// exchange trades the refresh token for new tokens, while it has the lease. dead
// says that the access token is refused already.
func (t *tenant) exchange(ctx context.Context, row bot.Installation, tok tokens, dead bool) string {
	p := t.p
	defer p.disown(ctx, "slack/renew/"+row.Team)
	// The last owner may have stored new ones just before its lease ended.
	if now, latest, err := t.read(ctx); err != nil || latest.Token != tok.Token {
		return latest.Token
	} else if row = now; row.State != bot.InstallActive {
		return ""
	}
	// From here on the old refresh token may be spent: what comes back must be
	// stored, whatever becomes of who waits for it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLease-lateness)
	defer cancel()
	resp, err := slack.RefreshOAuthV2TokenContext(ctx, p.cfg.HTTPClient, p.app.ClientID, p.app.ClientSecret, tok.Refresh, slack.OAuthOptionAPIURL(p.cfg.base().String()))
	if err != nil || resp.AccessToken == "" {
		code := first(errorCode(err), "network")
		p.log.ErrorContext(ctx, "slack token was not renewed", "team", row.Team, "code", code)
		t.rest = p.cfg.Now().Add(renewRest)
		if refreshRefused(err) && (dead || !p.cfg.Now().Before(row.Expires)) {
			p.mark(ctx, row, code)
		}
		return ""
	}
	next := tokens{Token: resp.AccessToken, Refresh: first(resp.RefreshToken, tok.Refresh), At: p.cfg.Now().UTC()}
	if err := t.keepTokens(ctx, row, next, resp.ExpiresIn); err != nil {
		p.log.ErrorContext(ctx, "slack token was renewed but not stored", "team", row.Team, "error", err.Error())
	}
	_, tok = t.now()
	return tok.Token
}

// keepTokens stores renewed tokens, for as long as it takes within ctx; until
// then this process alone has them.
func (t *tenant) keepTokens(ctx context.Context, row bot.Installation, next tokens, seconds int) error {
	p := t.p
	row, err := p.sealed(row, next)
	if err != nil {
		return err
	}
	row.Expires = expiry(next.At, seconds)
	t.mu.Lock()
	t.tok, t.row.Expires = next, row.Expires
	t.mu.Unlock()
	t.adapter.use(next.Token)
	return p.commit(ctx, func(ctx context.Context) error {
		stored, err := p.app.Installations.SaveInstallation(ctx, row)
		switch {
		case errors.Is(err, bot.ErrStale) && stored.State == bot.InstallActive && stored.Version > row.Version:
			return t.adopt(stored) // it was installed anew: those tokens are the newest
		case errors.Is(err, bot.ErrStale):
			return nil // it was sent away meanwhile
		case err != nil:
			return err
		}
		t.mu.Lock()
		t.row = stored
		t.mu.Unlock()
		return nil
	})
}

// expiry is when a token runs out that lives for seconds, zero for never.
func expiry(from time.Time, seconds int) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return from.Add(time.Duration(seconds) * time.Second)
}

// refreshRefused reports whether no further try with the same refresh token can
// work.
func refreshRefused(err error) bool {
	switch errorCode(err) {
	case "invalid_refresh_token", "invalid_grant", "token_revoked", "account_inactive", "invalid_auth", "authorization_not_found":
		return true
	}
	return false
}

// mark notes that Slack refuses an installation's token, for the operator: the
// workspace must install the app again.
func (p *App) mark(ctx context.Context, row bot.Installation, code string) {
	if row.State != bot.InstallActive {
		return
	}
	p.log.ErrorContext(ctx, "slack refuses the token of a workspace, the app must be installed there again",
		"team", row.Team, "name", row.Name, "code", code, "page", first(p.app.PublicURL, "HTTP_ADDR")+installPath)
	row.State, row.Why = bot.InstallBroken, code
	stored, err := p.app.Installations.SaveInstallation(ctx, row)
	if err != nil {
		if !errors.Is(err, bot.ErrStale) {
			p.log.WarnContext(ctx, "slack installation was not marked as broken", "team", row.Team, "error", err.Error())
		}
		return
	}
	p.mu.Lock()
	t := p.tenants[row.Team]
	p.broken++
	p.mu.Unlock()
	if t != nil {
		t.mu.Lock()
		t.row = stored
		t.mu.Unlock()
	}
}

// own asks for a lease over all replicas; with one process it is always had.
func (p *App) own(ctx context.Context, name string) (bool, error) {
	if p.app.Owners == nil {
		return true, nil
	}
	return p.app.Owners.Own(ctx, name, p.app.Owner, renewLease)
}

// disown gives a lease back; one that cannot be ends by itself.
func (p *App) disown(ctx context.Context, name string) {
	if p.app.Owners == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLease)
	defer cancel()
	if err := p.app.Owners.Disown(ctx, name, p.app.Owner); err != nil {
		p.log.DebugContext(ctx, "slack lease was not given back", "error", err.Error())
	}
}

// randomName names a process, or a secret between a browser and a callback.
func randomName() string { return strings.ToLower(rand.Text()) }
