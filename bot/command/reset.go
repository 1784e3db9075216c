package command

import (
	"context"
	"fmt"

	"maru/bot"
	"maru/phrase"
)

// reset deletes the thread or, outside of a thread, the channel's conversation where the
// channel has one.
func (fg *Forget) reset(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	if err := fg.rules.MembersOnly(ctx, c.Thread, c.User, lang); err != nil {
		return nil, err
	}
	key := c.Thread.Key()
	if c.Thread.ID == "" {
		known, err := fg.record.Known(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("find the thread: %w", err)
		}
		if !known {
			text, err := fg.forgetThread(ctx, c, lang)
			return bot.NewNotice(text, lang), err
		}
	}
	if err := fg.forgetter.Forget(ctx, c.Thread, c.User); err != nil {
		return nil, err
	}
	return bot.NewNotice(phrase.Say(lang, "bot.reset.done"), lang), nil
}
