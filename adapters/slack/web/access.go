package web

import (
	"context"

	"github.com/slack-go/slack"
)

// access is a token with its API client.
type access struct {
	token string
	api   *slack.Client
}

// Keeper renews a workspace's expiring tokens.
type Keeper interface {
	// Renew returns the replacement for a token that Slack refused with a code, "" if there
	// is none and a person must act.
	Renew(ctx context.Context, refused, code string) string
	// Fresh returns the token for the next call, given the current one.
	Fresh(ctx context.Context, token string) string
}

// API returns the Web API client with the current token.
func (w *Client) API() *slack.Client { return w.open.Load().api }

// Token returns the current token.
func (w *Client) Token() string { return w.open.Load().token }

// Use sets the token of the following calls.
func (w *Client) Use(token string) {
	w.open.Store(&access{token: token, api: slack.New(token, slack.OptionAPIURL(w.Base.String()), slack.OptionHTTPClient(w.HTTPClient))})
}

// maxHeals bounds the retries of a call with another token. Once is not enough: the token
// that another replica stored may have expired too.
const maxHeals = 3

// retryWithNewToken reports whether to retry a refused call: its token has been replaced.
func (w *Client) retryWithNewToken(ctx context.Context, used string, err error) bool {
	if w.keeper == nil || !tokenGone(err) {
		return false
	}
	if w.Token() != used {
		return true // replaced during the call
	}
	next := w.keeper.Renew(ctx, used, Code(err))
	if next == "" || next == used {
		return false
	}
	w.Use(next)
	return true
}

// Freshen returns an unexpired token for a call.
func (w *Client) Freshen(ctx context.Context) string {
	was := w.Token()
	if w.keeper == nil {
		return was
	}
	if next := w.keeper.Fresh(ctx, was); next != "" && next != was {
		w.Use(next)
	}
	return w.Token()
}

// tokenGone reports whether Slack no longer accepts this token.
func tokenGone(err error) bool { return goneCode(Code(err)) }

func goneCode(code string) bool {
	switch code {
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired":
		return true
	}
	return false
}
