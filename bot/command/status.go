package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/place"
	"maru/phrase"
)

// StatusRecord is the part of the record that [Status] needs.
type StatusRecord interface {
	Pending(ctx context.Context, team string) (n int, oldest time.Time, err error)
}

// Status shows and stops the active runs of a thread.
type Status struct {
	rules     *place.Rules
	log       *slog.Logger
	record    StatusRecord
	turns     Turns
	settings  *Settings
	platforms bot.Platforms
	now       func() time.Time
}

// status shows running and queued work, the connection and today's budget.
func (sa *Status) status(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error) {
	set, err := sa.rules.Settings(ctx, c.Thread, c.User)
	if err != nil {
		return nil, err
	}
	card := bot.Card{Kind: bot.CardNotice, Title: phrase.Say(lang, "bot.status.title"), Language: lang, Final: true}
	add := func(label, value string) {
		card.Fields = append(card.Fields, bot.Field{Label: phrase.Say(lang, label), Value: value})
	}
	add("bot.status.agent", set.Agent)
	add("bot.status.running", fmt.Sprint(sa.turns.Running(c.Thread)))
	n, oldest, err := sa.record.Pending(ctx, c.Thread.TeamKey())
	if err != nil {
		return nil, fmt.Errorf("count pending items: %w", err)
	}
	waits := fmt.Sprint(n)
	if n > 0 {
		waits += " (" + phrase.Span(sa.now().Sub(oldest).Round(time.Second)).In(lang) + ")"
	}
	add("bot.status.queued", waits)
	if p, ok := sa.platforms[c.Thread.Platform].(bot.Prober); ok {
		state := phrase.Say(lang, "bot.health.fine")
		if err := p.Ready(ctx); err != nil && !errors.Is(err, context.Canceled) {
			state = phrase.Say(lang, "bot.health.failing")
			sa.log.WarnContext(ctx, "get platform state", "platform", c.Thread.Platform, "err", err)
		}
		add("bot.status.connection", state)
	}
	left, err := sa.rules.BudgetOf(ctx, c.Thread, c.User, set, agent.Usage{})
	if err != nil {
		return nil, err
	}
	if left.Limit > 0 {
		add("budget.today."+left.Of, left.Amounts(lang))
		card.Footer = sa.settings.idleNote(left.Key(), set, lang)
	}
	return &card, nil
}
