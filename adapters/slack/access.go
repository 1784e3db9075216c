package slack

import (
	"context"

	"github.com/slack-go/slack"
)

// access is a token with the client that sends it.
type access struct {
	token string
	api   *slack.Client
}

// keeper knows the newest token of a workspace, where tokens change.
type keeper interface {
	// renew returns the token to go on with after Slack refused one with a code,
	// "" if there is none: then somebody must act.
	renew(ctx context.Context, refused, code string) string
	// fresh returns the token to call with now, given the one in use.
	fresh(ctx context.Context, token string) string
}

// api is the client of the Web API with the token that holds now.
func (a *Adapter) api() *slack.Client { return a.open.Load().api }

// token is the token that holds now.
func (a *Adapter) token() string { return a.open.Load().token }

// use makes calls from now on go out with token.
func (a *Adapter) use(token string) {
	a.open.Store(&access{token: token, api: slack.New(token, slack.OptionAPIURL(a.base.String()), slack.OptionHTTPClient(a.cfg.HTTPClient))})
}

// maxHeals bounds how often one call is made again with another token. Once is
// not enough: the token that another replica stored may have run out as well.
const maxHeals = 3

// heal reports whether a call that Slack refused should be made again: the
// token it was made with is no longer the one that holds.
func (a *Adapter) heal(ctx context.Context, used string, err error) bool {
	if a.keeper == nil || !tokenGone(err) {
		return false
	}
	if a.token() != used {
		return true // somebody replaced it while the call was under way
	}
	next := a.keeper.renew(ctx, used, errorCode(err))
	if next == "" || next == used {
		return false
	}
	a.use(next)
	return true
}

// freshen returns the token to call with, which has not run out.
func (a *Adapter) freshen(ctx context.Context) string {
	was := a.token()
	if a.keeper == nil {
		return was
	}
	if next := a.keeper.fresh(ctx, was); next != "" && next != was {
		a.use(next)
	}
	return a.token()
}

// tokenGone reports whether Slack takes this token no more.
func tokenGone(err error) bool { return goneCode(errorCode(err)) }

func goneCode(code string) bool {
	switch code {
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired":
		return true
	}
	return false
}
