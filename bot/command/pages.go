package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/bot"
	"maru/bot/place"
)

// PageRecord is what [Pages] need of the record.
type PageRecord interface {
	PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error)
	Reply(ctx context.Context, run string) (bot.Reply, error)
	RunsOf(ctx context.Context, thread string, limit int) ([]bot.Run, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
}

// Pages is what surfaces with pages of their own show. It implements [bot.Homer] and
// [bot.Greeter].
type Pages struct {
	rules     *place.Rules
	record    PageRecord
	turns     Turns
	questions Questions
	memories  *Memory
	docs      *Docs
	zone      *time.Location
}

// Threads lists the threads of a place, newest first.
func (pg *Pages) Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error) {
	return pg.record.Threads(ctx, platform, team, channel, limit)
}

// Transcript returns the last limit entries of a thread, oldest first.
func (pg *Pages) Transcript(ctx context.Context, t bot.Thread, limit int) ([]bot.Entry, error) {
	return pg.record.Transcript(ctx, t.Key(), limit)
}

// Cards returns the replies that are not in a thread's transcript yet: drafts, and cards
// that wait for a decision.
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
		var card bot.Card
		if json.Unmarshal(reply.Card, &card) == nil && len(card.Buttons) > 0 {
			cards = append(cards, bot.PostedCard{Ref: reply.Ref, Card: card, At: reply.At})
		}
	}
	return cards, nil
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
