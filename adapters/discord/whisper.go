package discord

import (
	"context"
	"errors"
	"net/http"

	"maru/bot"
)

// Whisper implements bot.Whisperer: an ephemeral message where the person has
// clicked or given a command within the last 15 minutes, else a direct message.
func (a *Adapter) Whisper(ctx context.Context, to bot.Target, u bot.User, c bot.Card) error {
	a.mu.Lock()
	g, ok := a.tokens.Get(to.Thread.Key() + " " + u.ID)
	a.mu.Unlock()
	if ok && g.until.After(a.cfg.Now()) {
		err := a.followUp(ctx, g.token, render(c))
		if err == nil {
			return nil
		}
		if status := statusOf(err); status != http.StatusNotFound && status != http.StatusUnauthorized && status != http.StatusBadRequest {
			return delivery("whisper", err)
		}
	}
	return delivery("whisper", a.directly(ctx, u, c))
}

// direct returns the direct channel with a person.
func (a *Adapter) direct(ctx context.Context, u bot.User) (string, error) {
	if idNumber(u.ID) == 0 {
		return "", errors.New("discord: nobody to tell")
	}
	var dm channel
	err := a.rest.do(ctx, call{
		method: http.MethodPost, path: "/users/@me/channels", bucket: "dm",
		body: map[string]any{"recipient_id": u.ID}, out: &dm, again: true, urgent: true,
	})
	if err != nil {
		return "", err
	}
	a.places.setChannel(dm)
	return dm.ID, nil
}

// directly sends a card as a direct message.
func (a *Adapter) directly(ctx context.Context, u bot.User, c bot.Card) error {
	dm, err := a.direct(ctx, u)
	if err != nil {
		return err
	}
	for _, p := range render(c) {
		err := a.rest.do(ctx, call{
			method: http.MethodPost, path: "/channels/" + dm + "/messages",
			bucket: "post/" + dm, body: newOutgoing(p), urgent: true,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// whoAmI returns the bot's own id, asking for it before the gateway has told.
func (a *Adapter) whoAmI(ctx context.Context) (string, error) {
	if id := a.self(); id != "" {
		return id, nil
	}
	var u user
	err := a.rest.do(ctx, call{method: http.MethodGet, path: "/users/@me", bucket: "me", out: &u, again: true, urgent: true})
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.botID = first(a.botID, u.ID)
	return a.botID, nil
}
