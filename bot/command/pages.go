package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/bot"
	"maru/bot/place"
)

// PageRecord is the part of the record that [Pages] need.
type PageRecord interface {
	PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error)
	OpenReplies(ctx context.Context, thread string) ([]bot.Reply, error)
	Reply(ctx context.Context, run string) (bot.Reply, error)
	RunsOf(ctx context.Context, thread string, limit int) ([]bot.Run, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
}

// Pages provides the content of surfaces with pages. It implements [bot.Homer] and [bot.Greeter].
type Pages struct {
	rules     *place.Rules
	record    PageRecord
	turns     Turns
	questions Questions
	memories  *Memory
	docs      *Docs
}

// Threads lists the threads of a place, newest first.
func (pg *Pages) Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error) {
	return pg.record.Threads(ctx, platform, team, channel, limit)
}

// Transcript returns the last limit entries of a thread, oldest first.
func (pg *Pages) Transcript(ctx context.Context, t bot.Thread, limit int) ([]bot.Entry, error) {
	return pg.record.Transcript(ctx, t.Key(), limit)
}

// Cards returns the replies that a thread's transcript lacks: drafts, cards that wait for a decision, and notices
// of parked items.
func (pg *Pages) Cards(ctx context.Context, t bot.Thread) ([]bot.PostedCard, error) {
	cards := pg.turns.Drafts(t.Key())
	pending, err := pg.record.PendingApprovals(ctx, t.Key(), 20)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	for _, a := range pending {
		reply, err := pg.record.Reply(ctx, a.Run)
		if errors.Is(err, bot.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read reply: %w", err)
		}
		if card, ok := clickable(reply); ok {
			cards = append(cards, card)
		}
	}
	open, err := pg.record.OpenReplies(ctx, t.Key())
	if err != nil {
		return nil, fmt.Errorf("read open replies: %w", err)
	}
	for _, reply := range open {
		if card, ok := clickable(reply); ok && card.Card.Kind == bot.CardNotice {
			cards = append(cards, card)
		}
	}
	return cards, nil
}

// clickable returns the card of a reply; false if it has no buttons.
func clickable(r bot.Reply) (bot.PostedCard, bool) {
	p := bot.PostedCard{Ref: r.Ref, At: r.At}
	err := json.Unmarshal(r.Card, &p.Card)
	return p, err == nil && len(p.Card.Buttons) > 0
}

// Cited returns the quoted text of the n-th source of a run's answer; "" if there is none or
// the person may not see the run.
func (pg *Pages) Cited(ctx context.Context, t bot.Thread, u bot.User, run string, n int) (string, error) {
	var e *bot.Error
	if err := pg.turns.MaySee(ctx, t, u, run); errors.As(err, &e) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	reply, err := pg.record.Reply(ctx, run)
	if err != nil {
		return "", fmt.Errorf("read reply: %w", err)
	}
	var card bot.Card
	if len(reply.Card) > 0 {
		if err := json.Unmarshal(reply.Card, &card); err != nil {
			return "", fmt.Errorf("read reply: %w", err)
		}
	}
	for _, s := range card.Sources {
		if s.N == n {
			return s.Quote, nil
		}
	}
	return "", nil
}
