package web

import (
	"context"

	"github.com/slack-go/slack"
)

// access is a token with the client that sends it.
type access struct {
	token string
	api   *slack.Client
}

// Keeper knows the newest token of a workspace, where tokens change.
type Keeper interface {
	// Renew returns the token to go on with after Slack refused one with a code,
	// "" if there is none: then somebody must act.
	Renew(ctx context.Context, refused, code string) string
	// Fresh returns the token to call with now, given the one in use.
	Fresh(ctx context.Context, token string) string
}

// API is the client of the Web API with the token that holds now.
func (w *Client) API() *slack.Client { return w.open.Load().api }

// Token is the token that holds now.
func (w *Client) Token() string { return w.open.Load().token }

// Use makes calls from now on go out with token.
func (w *Client) Use(token string) {
	w.open.Store(&access{token: token, api: slack.New(token, slack.OptionAPIURL(w.Base.String()), slack.OptionHTTPClient(w.HTTPClient))})
}

// maxHeals bounds how often one call is made again with another token. Once is
// not enough: the token that another replica stored may have run out as well.
const maxHeals = 3

// heal reports whether a call that Slack refused should be made again: the
// token it was made with is no longer the one that holds.
func (w *Client) heal(ctx context.Context, used string, err error) bool {
	if w.keeper == nil || !tokenGone(err) {
		return false
	}
	if w.Token() != used {
		return true // somebody replaced it while the call was under way
	}
	next := w.keeper.Renew(ctx, used, Code(err))
	if next == "" || next == used {
		return false
	}
	w.Use(next)
	return true
}

// Freshen returns the token to call with, which has not run out.
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

// tokenGone reports whether Slack takes this token no more.
func tokenGone(err error) bool { return goneCode(Code(err)) }

func goneCode(code string) bool {
	switch code {
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired":
		return true
	}
	return false
}
