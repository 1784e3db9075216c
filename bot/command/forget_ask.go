package command

import (
	"context"
	"strings"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/intent"
)

// ControlForget is the prefix of the ID of the button that confirms deletion; the person's id follows. It grants
// nothing: people can only forget themselves.
const ControlForget = "forget/"

// confirmed splits a confirmation off the end of a command: "me yes", "나 네".
func confirmed(args string) (rest string, yes bool) {
	words := strings.Fields(args)
	if len(words) == 0 {
		return "", false
	}
	if v, n := intent.Decide(words[len(words)-1]); v == intent.Yes && n == 0 {
		return strings.Join(words[:len(words)-1], " "), true
	}
	return args, false
}

// askFirst shows what would be deleted about a person, with a button to confirm. The card is nil if there is
// nothing.
func (me *Memory) askFirst(ctx context.Context, c bot.Invocation, what string, everywhere bool, lang string) (*bot.Card, error) {
	would, err := me.forgetter.Would(ctx, c.Thread, c.User, everywhere)
	if err != nil || would.Empty() {
		return nil, err
	}
	return &bot.Card{
		Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.forget.ask"), Text: would.Text(lang), Language: lang, Final: true,
		Footer:  phrase.Say(lang, "bot.forget.ask_how", what) + "\n" + phrase.Say(lang, "bot.forget.kept"),
		Buttons: []bot.Button{{ID: ControlForget + c.User.ID, Verb: what, Label: phrase.Say(lang, "bot.button.forget"), Style: bot.ButtonDanger}},
	}, nil
}

// Action deletes the data that the card showed, for the person it was shown to.
func (fg *Forget) Action(ctx context.Context, a bot.Action, lang string) (bot.Answer, error) {
	if a.ID != ControlForget+a.User.ID {
		card := (&bot.Error{Code: bot.CodeNotAllowed}).Notice(lang)
		return bot.Answer{Card: &card}, nil
	}
	if id, one := strings.CutPrefix(a.Verb, verbRecord); one {
		card, err := fg.memories.forget(ctx, bot.Invocation{Name: "memory", Thread: a.Thread, User: a.User, At: a.At}, []string{id}, a.Thread.Direct, lang)
		return bot.Answer{Card: card}, err
	}
	card, err := fg.forget(ctx, bot.Invocation{Name: "forget", Args: a.Verb + " yes", Thread: a.Thread, User: a.User, At: a.At}, lang)
	return bot.Answer{Card: card}, err
}
