package approval

import (
	"context"
	"fmt"
	"time"

	"maru/bot"
)

// offerTTL is the lifetime of an offer.
const offerTTL = 7 * 24 * time.Hour

// Offer stores an offer to the author of a message and returns the button that accepts it, without
// a label.
func (qs *Questions) Offer(ctx context.Context, l bot.Lease, m bot.Message, kind, run string, payload []byte) (bot.Button, error) {
	now := qs.now()
	a := bot.Approval{
		ID: qs.newID(), Kind: kind, Thread: m.Thread.Key(), Run: run,
		Digest: bot.Digest(payload), Payload: payload, Allowed: []string{m.User.ID},
		State: bot.ApprovalPending, Created: now, Expires: now.Add(offerTTL),
	}
	if err := qs.record.CreateApproval(ctx, l, a); err != nil {
		return bot.Button{}, fmt.Errorf("store offer: %w", err)
	}
	return bot.Button{ID: a.ID, Verb: VerbAccept, Style: bot.ButtonPrimary}, nil
}
