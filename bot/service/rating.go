package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/bot"
	"maru/bot/approval"
	"maru/phrase"
	"maru/phrase/fit"
)

// runOf finds the reply that a control of a run stands under, if it is one of
// the place where it was used.
func (b *Bot) runOf(ctx context.Context, a bot.Action) (bot.Reply, bool, error) {
	reply, err := b.cfg.Record.Reply(ctx, a.ID)
	if errors.Is(err, bot.ErrNotFound) {
		return bot.Reply{}, false, nil
	}
	if err != nil {
		return bot.Reply{}, false, fmt.Errorf("read reply: %w", err)
	}
	return reply, a.Thread.SharesChannel(reply.Thread), nil
}

// stopRun stops the run whose button was used, wherever it is at work, and none that
// its thread has begun since.
func (b *Bot) stopRun(ctx context.Context, a bot.Action) (bot.Answer, error) {
	lang := b.language(ctx, a.Thread, a.User, "")
	reply, ok, err := b.runOf(ctx, a)
	if err != nil || !ok {
		return approval.Refuse(bot.CodeUnknown, lang), err
	}
	b.audit(ctx, a.Thread, a.User, "run.stop", map[string]any{"run": reply.Run})
	if reply.State != bot.ReplyOpen || !b.Runs.StopReply(ctx, reply) {
		return approval.Notice(lang, "bot.stop.already_over"), nil
	}
	return bot.Answer{}, nil
}

// rate stores what a person thought of an answer and shows it under the answer.
func (b *Bot) rate(ctx context.Context, a bot.Action) (bot.Answer, error) {
	lang := b.language(ctx, a.Thread, a.User, "")
	reply, ok, err := b.runOf(ctx, a)
	var card bot.Card
	if err != nil || !ok || json.Unmarshal(reply.Card, &card) != nil || card.Kind != bot.CardFeedback {
		return approval.Refuse(bot.CodeUnknown, lang), err
	}
	vote := 1
	if a.Verb == bot.VerbDown {
		vote = -1
	}
	up, down, err := b.cfg.Record.Rate(ctx, reply.Thread, reply.Run, a.Thread.Person(a.User), vote)
	if err != nil {
		return bot.Answer{}, fmt.Errorf("store rating: %w", err)
	}
	b.audit(ctx, a.Thread, a.User, "answer.rated", map[string]any{"run": reply.Run, "vote": vote})
	card.Footer = fit.Dots(card.Footer, fmt.Sprintf("👍 %d · 👎 %d", up, down))
	if editor, ok := b.adapterOf(reply.Thread).(bot.Editor); ok && !reply.Ref.IsZero() {
		b.chores.Start(ctx, func(ctx context.Context) {
			if _, err := editor.Edit(ctx, reply.Ref, card); err != nil {
				b.log.WarnContext(ctx, "show rating", "run", reply.Run, "err", err)
			}
		})
	}
	return approval.Notice(lang, "bot.rating.thanks"), nil
}

// rateable puts 👍 and 👎 under an answer, where the place wants them.
func (b *Bot) rateable(card bot.Card, c conclusion) bot.Card {
	if !c.set.Decisions.Feedback || card.Text == "" {
		return card
	}
	card.Kind = bot.CardFeedback
	card.Buttons = append(card.Buttons,
		bot.Button{ID: c.p.Run, Verb: bot.VerbUp, Label: "👍", Spoken: phrase.Say(c.lang, "bot.rating.good")},
		bot.Button{ID: c.p.Run, Verb: bot.VerbDown, Label: "👎", Spoken: phrase.Say(c.lang, "bot.rating.bad")})
	return card
}
