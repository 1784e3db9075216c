package service

import (
	"context"
	"fmt"
	"time"

	"maru/bot"
)

// offerTTL is how long an offer to add files stays open.
const offerTTL = 7 * 24 * time.Hour

// Offer stores an offer to whoever wrote a message and returns the button that accepts
// it, without a label.
func (b *Bot) Offer(ctx context.Context, l bot.Lease, m bot.Message, run string, payload []byte) (bot.Button, error) {
	now := b.cfg.Now()
	a := bot.Approval{
		ID: b.cfg.NewID(), Kind: approvalFiles, Thread: m.Thread.Key(), Run: run,
		Digest: bot.Digest(payload), Payload: payload, Allowed: []string{m.User.ID},
		State: bot.ApprovalPending, Created: now, Expires: now.Add(offerTTL),
	}
	if err := b.cfg.Record.CreateApproval(ctx, l, a); err != nil {
		return bot.Button{}, fmt.Errorf("store offer: %w", err)
	}
	return bot.Button{ID: a.ID, Verb: verbAccept, Style: bot.ButtonPrimary}, nil
}
