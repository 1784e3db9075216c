package slack

import (
	"context"
	"fmt"

	"github.com/slack-go/slack"

	"maru/adapters/slack/web"
	"maru/bot"
)

// Check tries the tokens without running, and returns the bot's name and workspace. What
// it reports says what to do; what is bot.ErrLimited works all the same, in part.
func (a *Adapter) Check(ctx context.Context) (string, error) {
	id, err := a.web.AskWho(ctx)
	if err != nil {
		return "", fmt.Errorf("slack: auth.test: %w", web.Delivery("auth.test", err))
	}
	if err := a.checkSocket(ctx); err != nil {
		return "", err
	}
	who := id.Name + " in " + id.Team
	if lacking := a.web.Lacks(); lacking != "" {
		return who, fmt.Errorf("%w: the app lacks scopes of its manifest, add them under OAuth & Permissions and install it again: %s", bot.ErrLimited, lacking)
	}
	return who, nil
}

// checkSocket tries the app-level token by asking where Socket Mode is to be dialled,
// and does not dial.
func (d *door) checkSocket(ctx context.Context) error {
	if !d.socketMode() {
		return nil
	}
	api := slack.New("", slack.OptionAPIURL(d.cfg.base().String()), slack.OptionAppLevelToken(d.cfg.AppToken), slack.OptionHTTPClient(d.cfg.HTTPClient))
	if _, _, err := api.StartSocketModeContext(ctx); web.TokenRefused(err) {
		return fmt.Errorf("slack: apps.connections.open: the app-level token is refused (%s): it needs the scope connections:write", web.Code(err))
	} else if err != nil {
		return fmt.Errorf("slack: apps.connections.open: %w", web.Delivery("apps.connections.open", err))
	}
	return nil
}
