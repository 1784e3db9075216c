package slack

import (
	"context"
	"fmt"

	"maru/adapters/slack/web"
	"maru/bot"
)

// Check verifies the tokens without starting the adapter, and returns the bot's name and
// workspace. Its errors say how to fix the app; bot.ErrLimited means that the adapter works
// with reduced features.
func (a *Adapter) Check(ctx context.Context) (string, error) {
	id, err := a.site.web.AskWho(ctx)
	if web.TokenRefused(err) {
		return "", &web.Refused{Code: web.Code(err), Err: err}
	}
	if err != nil {
		return "", fmt.Errorf("slack: auth.test: %w", web.Delivery("auth.test", err))
	}
	if err := a.door.CheckSocket(ctx); err != nil {
		return "", err
	}
	who := id.Name + " in " + id.Team
	if lacking := a.site.web.Lacks(); lacking != "" {
		return who, fmt.Errorf("%w: the app lacks scopes of its manifest, add them under OAuth & Permissions and install it again: %s", bot.ErrLimited, lacking)
	}
	return who, nil
}
