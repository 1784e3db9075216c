package service

import (
	"context"
	"fmt"

	"maru/bot"
	"maru/phrase"
)

// cmdReset forgets a thread: what the agents remember of it, and its record.
// Outside of one it is the channel's conversation, where a channel is one.
func (b *Bot) cmdReset(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	if err := b.membersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	key := c.Thread.Key()
	if c.Thread.ID == "" {
		known, err := b.cfg.Record.Known(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("find the thread: %w", err)
		}
		if !known {
			text, err := b.forgetThread(ctx, c, lang)
			return &bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: text}, err
		}
	}
	if err := b.forgetter.Forget(ctx, c.Thread, c.User); err != nil {
		return nil, err
	}
	return &bot.Card{Kind: bot.CardNotice, Language: lang, Final: true,
		Text: phrase.Say(lang, "bot.i_have_forgotten_this_thread")}, nil
}
