package service

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/agent"
	"maru/bot"
)

// resumption is the body of an item that looks after an approval: it goes on
// with what was decided, or shows the card again.
type resumption struct {
	Approval string `json:"approval"`
	Show     string `json:"show,omitempty"` // why the card is shown again, "" to go on
}

// Why the card of an approval is shown again. What follows makes the item's id
// that of one occasion.
const (
	showPosted = "post."
	showAgreed = "agree."
	showRemind = "remind"
)

// followItem begins the name of an item that looks after the approval whose id follows.
const followItem = "approval/"

// follow is the item that looks after an approval; show as in resumption.
func (b *Bot) follow(row bot.Approval, show string) (*bot.Item, error) {
	body, err := json.Marshal(resumption{Approval: row.ID, Show: show})
	if err != nil {
		return nil, fmt.Errorf("encode resumption: %w", err)
	}
	id := followItem + row.ID
	if show != "" {
		id += "/" + show
	}
	return &bot.Item{ID: id, Thread: row.Thread, Kind: bot.ItemResume, Body: body}, nil
}

// later puts an item that shows the card again into the thread's inbox. It is a
// courtesy: without it the card is only out of date.
func (b *Bot) later(ctx context.Context, row bot.Approval, show string) {
	it, err := b.follow(row, show)
	if err == nil {
		_, err = b.cfg.Record.Put(ctx, *it)
	}
	if err != nil {
		b.log.WarnContext(ctx, "show approval again", "approval", row.ID, "why", show, "err", err)
		return
	}
	b.queue.add(row.Thread)
}

// verdicts are decisions after which nobody waits for an answer to their words.
var verdicts = []string{agent.VerbAccept, agent.VerbProceed, agent.VerbReject, agent.VerbSkip}

// withdrawRun takes back what a run asks whose message is gone. The sweep comes
// back to what fails here, when its time is over.
func (b *Bot) withdrawRun(ctx context.Context, thread, run string) {
	rows, err := b.cfg.Record.RunApprovals(ctx, thread, run, maxAsked)
	if err != nil {
		b.log.WarnContext(ctx, "read approvals of a deleted message", "run", run, "err", err)
	}
	for _, row := range rows {
		if row.State == bot.ApprovalPending {
			b.closeRow(ctx, row, bot.ApprovalRevoked)
		}
	}
}
