package reply

import (
	"cmp"
	"context"

	"github.com/slack-go/slack"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase"
)

// postDirectly answers in the asker's direct conversation, and says why.
func (w *Writer) postDirectly(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	dm, err := w.DirectWith(ctx, to.Thread.Team, to.User)
	if err != nil {
		return bot.Ref{}, err
	}
	dm.ReplyTo = to.ReplyTo // no earlier message there can be the answer
	why := bot.Card{Kind: bot.CardNotice, Text: phrase.Say(c.Language, "bot.answer.moved_here"), Language: c.Language, Final: true}
	if _, err := w.postOnce(ctx, dm, why, key+" why"); err != nil {
		return bot.Ref{}, err
	}
	return w.postOnce(ctx, dm, c, key)
}

// postOnce posts a message that a crashed process may have posted already: in this place
// nobody else looks for it, because the reply was expected elsewhere.
func (w *Writer) postOnce(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if _, mine := w.sent.at(to.Thread.Channel, key); !mine {
		if _, _, err := w.Find(ctx, to, key); err != nil { // post edits the message that Find finds
			w.web.Log.WarnContext(ctx, "slack direct conversation could not be read before an answer", "code", cmp.Or(web.Code(err), "network"))
		}
	}
	return w.postAt(ctx, to, c, key)
}

// DirectWith returns a person's direct conversation with the bot.
func (w *Writer) DirectWith(ctx context.Context, team string, u bot.User) (bot.Target, error) {
	to := bot.Target{Thread: bot.Thread{Platform: payload.Platform, Team: team, Direct: true}, User: u}
	err := w.web.Do(ctx, web.Job{Method: "conversations.open", Urgent: true}, func(ctx context.Context) error {
		ch, _, _, err := w.web.API().OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{u.ID}})
		if err == nil {
			to.Thread.Channel = ch.ID
		}
		return err
	})
	return to, web.Delivery("direct", err)
}
