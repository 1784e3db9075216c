package command

import (
	"context"
	"errors"

	"maru/bot"
	"maru/phrase"
)

// stop stops the thread's run or, outside of a thread, the caller's runs in the channel.
func (sa *Status) stop(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	text := phrase.Say(lang, "bot.stop.nothing")
	stopped, err := sa.turns.Stop(ctx, c.Thread.Key(), c.Before)
	if !stopped && c.Thread.ID == "" {
		var more error
		stopped, more = sa.turns.StopOf(ctx, c.Thread, c.User.ID, c.Before)
		err = errors.Join(err, more)
	}
	switch {
	case err != nil:
		sa.log.WarnContext(ctx, "stop runs", "thread", c.Thread.Key(), "err", err)
		text = phrase.Say(lang, "bot.stop.unsure")
	case stopped:
		text = phrase.Say(lang, "bot.stop.done")
	}
	return bot.NewNotice(text, lang), nil
}
