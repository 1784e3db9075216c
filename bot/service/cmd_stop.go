package service

import (
	"context"

	"maru/bot"
	"maru/phrase"
)

// cmdStop stops what runs in the thread, or, given outside of one, what the
// caller has running in the channel.
func (b *Bot) cmdStop(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	text := phrase.Say(lang, "bot.nothing_is_running_here")
	stopped := b.Stop(ctx, c.Thread.Key())
	if !stopped && c.Thread.ID == "" {
		here, elsewhere := b.halt(ctx, ofPerson(c.Thread, c.User.ID), stopSaid), b.haltElsewhere(ctx, c.Thread, c.User.ID)
		stopped = here || elsewhere
	}
	if stopped {
		text = phrase.Say(lang, "bot.stopped")
	}
	return &bot.Card{Kind: bot.CardNotice, Text: text, Language: lang, Final: true}, nil
}
