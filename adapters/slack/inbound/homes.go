package inbound

import (
	"context"

	"github.com/slack-go/slack"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/render"
	"maru/adapters/slack/reply"
	"maru/adapters/slack/web"
	"maru/bot"
)

// homes publish people's Home pages in the app.
type homes struct {
	web   *web.Client
	users persons
}

// homeOpened publishes the Home of a person who opens it.
func (h *homes) homeOpened(in bot.Intake, team string, ev payload.Object) gateway.Result {
	at := reply.Place{Home: true, Thread: bot.Thread{Platform: payload.Platform, Team: team, Channel: ev.Str("channel"), Direct: true}}
	return gateway.Result{After: func(ctx context.Context) {
		h.publish(ctx, in, at, h.users.Get(ctx, ev.Str("user"), h.web.AskWithin), nil)
	}}
}

// publish renews a person's Home, with an optional notice on top. It is read when its turn to
// be published comes, so that the last one published is the newest.
func (h *homes) publish(ctx context.Context, in bot.Intake, at reply.Place, u bot.User, word *bot.Card) {
	homer, ok := in.(bot.Homer)
	if !ok || u.ID == "" {
		return
	}
	err := h.web.Do(ctx, web.Job{Method: web.MethodHome, Channel: u.ID, Urgent: true}, func(ctx context.Context) error {
		cards, err := homer.Home(ctx, at.Thread, u)
		if err != nil {
			return err
		}
		if word != nil {
			cards = append([]bot.Card{*word}, cards...)
		}
		view := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: render.Home(cards)}}
		_, err = h.web.API().PublishViewContext(ctx, slack.PublishViewContextRequest{UserID: u.ID, View: view})
		return err
	})
	if err != nil {
		h.web.Log.WarnContext(ctx, "slack home was not published", "err", err.Error())
	}
}
