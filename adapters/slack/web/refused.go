package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/bot"
)

// refusedRest is how long an answer rests whose token Slack refuses.
const refusedRest = 15 * time.Second

// heard notes what came of a call: a scope that is missing, and whether Slack takes
// the token and lets the app into the workspace. What is refused in the middle of the
// work is told once; whether it is still so, the next call shows.
func (w *Client) heard(ctx context.Context, method string, err error) {
	w.lackScope(ctx, method, err)
	switch {
	case err == nil && w.refused.Load() != nil:
		w.refused.Store(nil)
		w.Log.InfoContext(ctx, "slack takes the bot token again, or gives access to the workspace")
	case tokenGone(err):
		if code := Code(err); w.refused.Swap(&code) == nil && w.keeper == nil { // package install tells of a workspace's own token
			w.Log.ErrorContext(ctx, "slack refuses the bot token: install the app again and set SLACK_BOT_TOKEN; answers wait for some minutes", "method", method, "code", code)
		}
	case withheld(Code(err)) && strings.HasPrefix(method, "chat."): // other calls also speak of other workspaces
		if code := Code(err); w.refused.Swap(&code) == nil {
			w.Log.ErrorContext(ctx, "slack gives the app no access to the workspace: if that lasts, have an admin of the organisation add the app to it; answers wait for some minutes", "method", method, "code", code)
		}
	}
}

// Refusal is an error while Slack refuses the token.
func (w *Client) Refusal() error {
	if code := w.refused.Load(); code != nil {
		if withheld(*code) {
			return fmt.Errorf("slack: the app is given no access to the workspace (%s): have an admin of the organisation add it there", *code)
		}
		return fmt.Errorf("slack: the bot token is refused (%s): install the app again and set SLACK_BOT_TOKEN", *code)
	}
	return nil
}

// Patient makes the refusal of an operator's own token one that may pass: the
// answer is kept for as long as any other, also over the restart with a new token.
// A workspace whose installation is gone waits for nothing.
func (w *Client) Patient(err error) error {
	var d *bot.DeliveryError
	if w.keeper != nil || !errors.As(err, &d) || !goneCode(d.Code) {
		return err
	}
	return &bot.DeliveryError{Op: d.Op, Code: d.Code, After: refusedRest, Err: bot.ErrUnavailable}
}
