package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Ask handles questions given as a command.
type Ask struct {
	platforms bot.Platforms
	turns     Turns
}

// ask answers a question given as a command. A command leaves no message to start a
// thread from, so the question is posted first where the platform has threads.
func (ak *Ask) ask(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	question := strings.TrimSpace(c.Args)
	if question == "" {
		question = strings.TrimSpace(c.Options["question"])
	}
	if fit.Blank(question) {
		return nil, &bot.Error{Code: bot.CodeEmpty}
	}
	m := bot.Message{ID: c.ID, Order: c.Order, Thread: c.Thread, User: c.User, Reach: bot.ReachCommand, Text: question, Channels: c.Channels, At: c.At}
	if c.Thread.ID == "" && !c.Thread.Direct {
		ref, err := ak.postQuestion(ctx, c, question, lang)
		if err != nil {
			return nil, err
		}
		m.Thread.ID = ref.Messages[0]
		m.ReplyTo = ref.Messages[0]
		m.Order = ref.Messages[0]
		if d, ok := ak.platforms[c.Thread.Platform].(bot.Dater); ok {
			m.At = d.Dated(m.Order)
		}
	}
	if err := ak.turns.Message(ctx, m); err != nil {
		return nil, err
	}
	card := bot.Card{Kind: bot.CardNotice, Text: phrase.Say(lang, "bot.answer.on_its_way"), Language: lang, Final: true}
	return &card, nil
}

func (ak *Ask) postQuestion(ctx context.Context, c bot.Invocation, question, lang string) (bot.Ref, error) {
	a := ak.platforms[c.Thread.Platform]
	if a == nil {
		return bot.Ref{}, &bot.Error{Code: bot.CodeInternal, Err: errors.New("no adapter for " + c.Thread.Platform)}
	}
	who := c.User.Name
	if who == "" {
		who = phrase.Say(lang, "bot.ask.title")
	}
	card := bot.Card{Kind: bot.CardText, Text: "**" + who + "**: " + question, Language: lang, Final: true}
	ref, err := a.Post(ctx, bot.Target{Thread: c.Thread}, card, "ask-"+c.ID)
	if errors.Is(err, bot.ErrForbidden) || errors.Is(err, bot.ErrGone) { // commands can be given where the bot is not a member
		return bot.Ref{}, &bot.Error{Code: bot.CodeNoPlace, Err: err}
	}
	if err != nil {
		return bot.Ref{}, fmt.Errorf("post question: %w", err)
	}
	if ref.IsZero() {
		return bot.Ref{}, &bot.Error{Code: bot.CodeInternal, Err: errors.New("the platform gave no message id")}
	}
	return ref, nil
}
