package discord

import (
	"context"
	"errors"
	"net/http"

	"maru/adapters/discord/wire"
	"maru/bot"
)

// direct returns the direct channel with a person.
func (s *sender) open(ctx context.Context, u bot.User) (string, error) {
	if wire.IDNumber(u.ID) == 0 {
		return "", errors.New("discord: nobody to tell")
	}
	var dm wire.Channel
	err := s.api.do(ctx, call{
		method: http.MethodPost, path: "/users/@me/channels", bucket: "dm",
		body: map[string]any{"recipient_id": u.ID}, out: &dm, again: true, urgent: true,
	})
	if err != nil {
		return "", err
	}
	s.dir.setChannel(dm)
	return dm.ID, nil
}

// directly sends a card as a direct message.
func (s *sender) directly(ctx context.Context, u bot.User, c bot.Card) error {
	dm, err := s.open(ctx, u)
	if err != nil {
		return err
	}
	for _, p := range render(c) {
		err := s.api.do(ctx, call{
			method: http.MethodPost, path: "/channels/" + dm + "/messages",
			bucket: "post/" + dm, body: newOutgoing(p), urgent: true,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
