package command

import (
	"context"

	"maru/bot"
	"maru/phrase"
)

// stop stops the thread's run or, outside of a thread, the caller's runs in the channel.
func (sa *Status) stop(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	text := phrase.Say(lang, "bot.stop.nothing")
	stopped := sa.turns.Stop(ctx, c.Thread.Key())
	if !stopped && c.Thread.ID == "" {
		stopped = sa.turns.StopOf(ctx, c.Thread, c.User.ID)
	}
	if stopped {
		text = phrase.Say(lang, "bot.stop.done")
	}
	return &bot.Card{Kind: bot.CardNotice, Text: text, Language: lang, Final: true}, nil
}
