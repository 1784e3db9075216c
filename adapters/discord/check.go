package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"maru/adapters/discord/account"
	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/shard"
	"maru/adapters/discord/wire"
)

// Application flags that grant access to message content, and to the members of servers.
const (
	flagMembers        = 1 << 14
	flagMembersLimited = 1 << 15
	flagContent        = 1 << 18
	flagContentLimited = 1 << 19
)

// Check verifies token, API and settings without starting the adapter, and returns the bot's
// name. Its errors say how to fix the set-up; bot.ErrLimited means that the adapter works
// with reduced features.
func (a *Adapter) Check(ctx context.Context) (string, error) {
	var me wire.User
	if err := a.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/users/@me", Bucket: "me", Out: &me, Again: true, Urgent: true}); err != nil {
		return "", err
	}
	var app struct {
		Flags *int   `json:"flags"`
		Key   string `json:"verify_key"`
	}
	err := a.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/applications/@me", Bucket: "application", Out: &app, Again: true, Urgent: true})
	if err != nil && rest.StatusOf(err) != http.StatusNotFound {
		return "", err
	}
	if app.Key != "" && a.cfg.PublicKey != "" && !strings.EqualFold(app.Key, strings.TrimSpace(a.cfg.PublicKey)) {
		return "", errors.New("discord: DISCORD_PUBLIC_KEY belongs to another application: copy “Public Key” of this one's general page")
	}
	g, err := shard.Ask(ctx, a.api)
	if err != nil {
		return "", err
	}
	if g.Limit != nil && g.Limit.Remaining <= 0 && g.Limit.ResetAfter > 0 {
		return "", fmt.Errorf("discord: the day's %d sessions are used up; the next can begin in %s: look for what makes the program start so often",
			g.Limit.Total, time.Duration(g.Limit.ResetAfter)*time.Millisecond)
	}
	if app.Flags != nil && *app.Flags&(flagContent|flagContentLimited) == 0 {
		return me.Name(), account.ErrLimited
	}
	if app.Flags != nil && a.cfg.ListsMembers && *app.Flags&(flagMembers|flagMembersLimited) == 0 {
		return me.Name(), place.ErrMembers
	}
	return me.Name(), nil
}
