package outbound

import (
	"context"
	"errors"
	"net/http"

	"maru/adapters/discord/place"
	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// open returns the direct channel with a person.
func (s *Sender) open(ctx context.Context, u bot.User) (string, error) {
	if wire.IDNumber(u.ID) == 0 {
		return "", errors.New("discord: nobody to tell")
	}
	var dm wire.Channel
	err := s.api.Do(ctx, rest.Call{
		Method: http.MethodPost, Path: "/users/@me/channels", Bucket: "dm",
		Body: map[string]any{"recipient_id": u.ID}, Out: &dm, Again: true, Urgent: true,
	})
	if err != nil {
		return "", err
	}
	s.dir.SetChannel(dm)
	return dm.ID, nil
}

// SendDirect sends a card as a direct message.
func (s *Sender) SendDirect(ctx context.Context, u bot.User, c bot.Card) error {
	dm, err := s.open(ctx, u)
	if err != nil {
		return err
	}
	for _, p := range render.Card(c) {
		err := s.api.Do(ctx, rest.Call{
			Method: http.MethodPost, Path: "/channels/" + dm + "/messages",
			Bucket: "post/" + dm, Body: render.NewOutgoing(p), Urgent: true,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// OpenDirect implements bot.Direct: a direct channel is one thread.
func (s *Sender) OpenDirect(ctx context.Context, _ bot.Thread, u bot.User) (at bot.Thread, threads bool, err error) {
	dm, err := s.open(ctx, u)
	if err != nil {
		return bot.Thread{}, false, rest.Delivery("direct", err)
	}
	return bot.Thread{Platform: place.Platform, Team: place.TeamDirect, Channel: dm, Direct: true}, false, nil
}

// Direct implements bot.Direct with a direct message, which people can disable for strangers.
func (s *Sender) Direct(ctx context.Context, _ bot.Thread, u bot.User, c bot.Card) error {
	return rest.Delivery("direct", s.SendDirect(ctx, u, c))
}
