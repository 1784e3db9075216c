package install

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// Fresh implements web.Keeper: it renews a token that is about to expire before it is used.
func (t *tenant) Fresh(ctx context.Context, token string) string {
	row, tok := t.now()
	if tok.Token != token || row.Expires.IsZero() || t.r.cfg.Now().Before(row.Expires.Add(-lateness)) {
		return tok.Token
	}
	return cmp.Or(t.Renew(ctx, token, "token_expired"), token)
}

// Renew implements web.Keeper; code "" renews ahead of time. Slack accepts a refresh token
// once, so one replica uses it, under a lease, and the others wait for the stored result.
func (t *tenant) Renew(ctx context.Context, refused, code string) string {
	t.renewing.Lock()
	defer t.renewing.Unlock()
	for {
		if _, tok := t.now(); tok.Token != refused {
			return tok.Token // another replica renewed it
		}
		row, tok, err := t.read(ctx)
		switch {
		case err != nil || tok.Token != refused:
			return tok.Token
		case row.State != bot.InstallActive:
			return ""
		case tok.Refresh == "":
			t.r.markBroken(ctx, row, code)
			return ""
		case t.r.cfg.Now().Before(t.rest):
			return ""
		}
		mine, err := t.r.leases.own(ctx, "slack/renew/"+row.Team)
		if err != nil {
			t.r.cfg.Log.WarnContext(ctx, "slack token was not renewed", "team", row.Team, "err", err.Error())
			return ""
		}
		if mine {
			return t.exchange(ctx, row, tok)
		}
		if t.r.cfg.Wait(ctx, renewWait) != nil {
			return ""
		}
	}
}

// read adopts the record's current row. An unreadable row counts as missing.
func (t *tenant) read(ctx context.Context) (bot.Installation, tokens, error) {
	have, _ := t.now()
	row, err := t.r.cfg.Installations.Installation(ctx, payload.Platform, have.Team)
	if err == nil && row.State != bot.InstallActive && row.State != bot.InstallBroken {
		return row, tokens{}, bot.ErrNotFound
	}
	if err == nil {
		err = t.adopt(row)
	}
	if err != nil {
		if ctx.Err() == nil { // otherwise the caller has given up
			t.r.cfg.Log.WarnContext(ctx, "slack installation cannot be read", "team", have.Team, "err", err.Error())
		}
		return bot.Installation{}, tokens{}, err
	}
	row, tok := t.now()
	return row, tok, nil
}

// exchange trades the refresh token for new tokens, under the lease. A refused refresh token
// is reported at once: the access token may be valid for another hour, in which the app can
// be reinstalled.
func (t *tenant) exchange(ctx context.Context, row bot.Installation, tok tokens) string {
	r := t.r
	defer r.leases.disown(ctx, "slack/renew/"+row.Team)
	// The last holder may have stored new ones just before its lease ended.
	if now, latest, err := t.read(ctx); err != nil || latest.Token != tok.Token {
		return latest.Token
	} else if row = now; row.State != bot.InstallActive {
		return ""
	}
	// From here on the old refresh token may be spent: the new tokens must be stored even if
	// the caller gives up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLease-lateness)
	defer cancel()
	resp, err := slack.RefreshOAuthV2TokenContext(ctx, r.cfg.HTTPClient, r.cfg.ClientID, r.cfg.ClientSecret, tok.Refresh, slack.OAuthOptionAPIURL(r.cfg.Base.String()))
	if err != nil || resp.AccessToken == "" {
		code := cmp.Or(web.Code(err), "network")
		r.cfg.Log.ErrorContext(ctx, "slack token was not renewed", "team", row.Team, "code", code)
		t.rest = r.cfg.Now().Add(renewRest)
		t.noteFault(code)
		if refreshRefused(err) {
			r.markBroken(ctx, row, code)
		}
		return ""
	}
	next := tokens{Token: resp.AccessToken, Refresh: cmp.Or(resp.RefreshToken, tok.Refresh), At: r.cfg.Now().UTC()}
	row.Expires = expiry(next.At, resp.ExpiresIn)
	t.mu.Lock()
	t.tok, t.row.Expires, t.spent, t.fault = next, row.Expires, tok.Refresh, ""
	t.mu.Unlock()
	t.site.Client().Use(next.Token)
	t.keepTokens(ctx)
	_, tok = t.now()
	return tok.Token
}

// keepTokens stores renewed tokens. It is repeated until it succeeds, since only this process
// has them.
func (t *tenant) keepTokens(ctx context.Context) {
	err := t.r.commit(ctx, func(ctx context.Context) error {
		t.mu.Lock()
		row, tok, spent := t.row, t.tok, t.spent
		t.mu.Unlock()
		if spent == "" {
			return nil
		}
		row.State, row.Why = bot.InstallActive, ""
		row, err := t.r.vault.sealed(row, tok)
		if err != nil {
			return err
		}
		stored, err := t.r.cfg.Installations.SaveInstallation(ctx, row)
		switch {
		case errors.Is(err, bot.ErrStale):
			return t.reconcile(stored)
		case err != nil:
			return err
		}
		t.mu.Lock()
		t.row, t.spent = stored, ""
		t.mu.Unlock()
		return nil
	})
	if row, _ := t.now(); err != nil {
		t.r.cfg.Log.ErrorContext(ctx, "slack token was renewed but not stored, retrying: a restart before that loses it",
			"team", row.Team, "err", err.Error())
	}
}

// reconcile handles a row that another replica changed before the renewed tokens were stored.
// On an error they are still to be stored: a replica that found the old refresh token spent
// has marked the row.
func (t *tenant) reconcile(stored bot.Installation) error {
	if stored.State != bot.InstallActive && stored.State != bot.InstallBroken {
		t.mu.Lock()
		t.spent = "" // the app was uninstalled meanwhile
		t.mu.Unlock()
		return nil
	}
	if err := t.adopt(stored); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.spent != "" {
		return bot.ErrStale
	}
	return nil // the app was reinstalled: those tokens are the newest
}

// storePending stores renewed tokens that are not stored yet.
func (t *tenant) storePending(ctx context.Context) {
	t.mu.Lock()
	owed := t.spent != ""
	t.mu.Unlock()
	if !owed || !t.renewing.TryLock() { // a renewal in progress stores them
		return
	}
	defer t.renewing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, renewLease-lateness)
	defer cancel()
	t.keepTokens(ctx)
}

// noteFault records why tokens were not renewed.
func (t *tenant) noteFault(code string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fault = code
}

// unrenewed returns the error code of a workspace's last token renewal, "" after a success.
func (r *Registry) unrenewed(team string) string {
	r.mu.Lock()
	t := r.tenants[team]
	r.mu.Unlock()
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault
}

// expiry returns when a token with a lifetime in seconds expires, zero for never.
func expiry(from time.Time, seconds int) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return from.Add(time.Duration(seconds) * time.Second)
}

// refreshRefused reports whether retrying with the same refresh token is useless.
func refreshRefused(err error) bool {
	switch web.Code(err) {
	case "invalid_refresh_token", "invalid_grant", "token_revoked", "account_inactive", "invalid_auth", "authorization_not_found":
		return true
	}
	return false
}
