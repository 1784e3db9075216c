package slack

import (
	"cmp"
	"context"

	"github.com/slack-go/slack"

	"maru/adapters/slack/web"
	"maru/bot"
	"maru/phrase"
)

var _ bot.Direct = (*Adapter)(nil)

// Direct implements bot.Direct: the card is posted in the person's direct
// conversation with the bot.
func (a *Adapter) Direct(ctx context.Context, t bot.Thread, u bot.User, c bot.Card) error {
	to, err := a.directWith(ctx, t.Team, u)
	if err != nil {
		return err
	}
	_, err = a.Post(ctx, to, c, "") // nothing is lost when it is told twice
	return err
}

// postDirectly answers in the direct conversation of who asked, and says why.
func (a *Adapter) postDirectly(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	dm, err := a.directWith(ctx, to.Thread.Team, to.User)
	if err != nil {
		return bot.Ref{}, err
	}
	dm.ReplyTo = to.ReplyTo // nothing that was said before the question is the answer
	why := bot.Card{Kind: bot.CardNotice, Text: phrase.Say(c.Language, "bot.i_may_not_write_where"), Language: c.Language, Final: true}
	if _, err := a.postOnce(ctx, dm, why, key+" why"); err != nil {
		return bot.Ref{}, err
	}
	return a.postOnce(ctx, dm, c, key)
}

// postOnce posts what another process may have posted there before it died: nobody
// looked for it, because it is not where the reply was expected.
func (a *Adapter) postOnce(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if _, mine := a.sent.at(to.Thread.Channel, key); !mine {
		if _, _, err := a.Find(ctx, to, key); err != nil { // what it finds, a post edits
			a.log.WarnContext(ctx, "slack direct conversation could not be read before an answer", "code", cmp.Or(web.Code(err), "network"))
		}
	}
	return a.postAt(ctx, to, c, key)
}

// directWith is a person's direct conversation with the bot.
func (a *Adapter) directWith(ctx context.Context, team string, u bot.User) (bot.Target, error) {
	to := bot.Target{Thread: bot.Thread{Platform: Platform, Team: team, Direct: true}, User: u}
	err := a.web.Do(ctx, web.Job{Method: "conversations.open", Urgent: true}, func(ctx context.Context) error {
		ch, _, _, err := a.web.API().OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{u.ID}})
		if err == nil {
			to.Thread.Channel = ch.ID
		}
		return err
	})
	return to, web.Delivery("direct", err)
}

// handOver puts the files of a command's answer into the direct conversation of who
// gave it, and then answers them: nobody else sees either.
func (a *Adapter) handOver(ctx context.Context, at place, inv bot.Invocation, c bot.Card) {
	to, err := a.directWith(ctx, at.thread.Team, inv.User)
	if err == nil {
		err = a.files.Upload(ctx, bot.Parcel{To: to, Files: c.Files, Text: c.Title, Key: "handed-" + inv.ID})
	}
	c.Files, c.Footer = nil, phrase.Say(c.Language, "slack.the_file_is_in_our")
	if err != nil {
		a.log.WarnContext(ctx, "slack file of a command was not handed over", "err", err.Error())
		c.Text, c.Footer = phrase.Say(c.Language, "bot.file_not_handed_over"), ""
	}
	a.tell(ctx, at, inv.User, c)
}
