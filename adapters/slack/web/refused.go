package web

import (
	"context"
	"errors"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase"
)

// refusedRest is the retry delay of an answer while Slack refuses its token.
const refusedRest = 15 * time.Second

// noteResult records a call's result: a missing scope, and whether Slack accepts the token and
// admits the app to the workspace. A refusal is logged once; the next call shows whether it
// persists.
func (w *Client) noteResult(ctx context.Context, method string, err error) {
	w.warnScope(ctx, method, err)
	switch {
	case err == nil && w.refused.Load() != nil:
		w.refused.Store(nil)
		w.Log.InfoContext(ctx, "slack accepts the bot token again, or admits the app to the workspace")
	case tokenGone(err):
		if code := Code(err); w.refused.Swap(&code) == nil && w.keeper == nil { // package install reports an installed workspace's token
			w.Log.ErrorContext(ctx, "slack refuses the bot token; answers wait for some minutes", "method", method, "code", code, "fix", (&Refused{Code: code}).Told(phrase.Fallback))
		}
	case withheld(Code(err)) && strings.HasPrefix(method, "chat."): // other calls also concern other workspaces
		if code := Code(err); w.refused.Swap(&code) == nil {
			w.Log.ErrorContext(ctx, "slack denies the app access to the workspace: if that lasts, have an admin of the organisation add the app to it; answers wait for some minutes", "method", method, "code", code)
		}
	}
}

// Refusal returns an error while Slack refuses the token.
func (w *Client) Refusal() error {
	if code := w.refused.Load(); code != nil {
		return &Refused{Code: *code, By: w.keeper != nil}
	}
	return nil
}

// Patient makes the refusal of an operator's own token temporary: the answer waits as long as
// any other, also across a restart with a new token. An ended installation is not waited for.
func (w *Client) Patient(err error) error {
	var d *bot.DeliveryError
	if w.keeper != nil || !errors.As(err, &d) || !goneCode(d.Code) {
		return err
	}
	return &bot.DeliveryError{Op: d.Op, Code: d.Code, After: refusedRest, Err: bot.ErrUnavailable}
}
