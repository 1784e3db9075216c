package discord

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// Flags of an application that may read what messages say.
const (
	flagContent        = 1 << 18
	flagContentLimited = 1 << 19
)

// Check tries token, API and settings without running, and returns the bot's
// name. What it reports says what to do.
func (a *Adapter) Check(ctx context.Context) (string, error) {
	var me user
	if err := a.rest.do(ctx, call{method: http.MethodGet, path: "/users/@me", bucket: "me", out: &me, again: true, urgent: true}); err != nil {
		return "", err
	}
	var app struct {
		Flags *int   `json:"flags"`
		Key   string `json:"verify_key"`
	}
	err := a.rest.do(ctx, call{method: http.MethodGet, path: "/applications/@me", bucket: "me", out: &app, again: true, urgent: true})
	if err != nil && statusOf(err) != http.StatusNotFound {
		return "", err
	}
	switch {
	case app.Flags != nil && *app.Flags&(flagContent|flagContentLimited) == 0:
		return "", errors.New("discord: the bot may not read messages: switch on “Message Content Intent” on the “Bot” page of the developer portal")
	case app.Key != "" && a.cfg.PublicKey != "" && !strings.EqualFold(app.Key, strings.TrimSpace(a.cfg.PublicKey)):
		return "", errors.New("discord: DISCORD_PUBLIC_KEY belongs to another application: copy “Public Key” of this one's general page")
	}
	if _, err := a.gatewayAddress(ctx); err != nil {
		return "", err
	}
	return me.name(), nil
}
