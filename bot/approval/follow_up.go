package approval

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/agent"
	"maru/bot"
)

// Resumption is the body of an item that follows up on an approval: it resumes the run with the
// decision, or shows the card again.
type Resumption struct {
	Approval string `json:"approval"`
	Show     string `json:"show,omitempty"` // reason for showing the card again, "" to resume
}

// Reasons for showing an approval's card again. A suffix makes the item's id specific to one occasion.
const (
	showPosted = "post."
	showWhole  = "whole."
	showAstray = "astray."
	showAgreed = "agree."
	ShowRemind = "remind"
)

// ItemPrefix is the prefix of items that follow up on an approval; its id follows.
const ItemPrefix = "approval/"

// follow returns the item that follows up on an approval; show as in Resumption.
func (qs *Questions) follow(row bot.Approval, show string) (*bot.Item, error) {
	body, err := json.Marshal(Resumption{Approval: row.ID, Show: show})
	if err != nil {
		return nil, fmt.Errorf("encode resumption: %w", err)
	}
	id := ItemPrefix + row.ID
	if show != "" {
		id += "/" + show
	}
	return &bot.Item{ID: id, Thread: row.Thread, Kind: bot.ItemResume, Body: body}, nil
}

// later enqueues an item that shows the card again. Best effort: otherwise the card is only out of date.
func (qs *Questions) later(ctx context.Context, row bot.Approval, show string) {
	it, err := qs.follow(row, show)
	if err == nil {
		_, err = qs.record.Put(ctx, *it)
	}
	if err != nil {
		qs.log.WarnContext(ctx, "show approval again", "approval", row.ID, "why", show, "err", err)
		return
	}
	qs.threads.Wake(row.Thread)
}

// Verdicts are the decisions whose comments need no answer.
var Verdicts = []string{agent.VerbAccept, agent.VerbAllow, agent.VerbProceed, agent.VerbReject, agent.VerbSkip, agent.VerbStop, agent.VerbDone, agent.VerbRerun}

// WithdrawRun revokes the questions of a run whose message was deleted. Failures are left to the
// sweep at expiry.
func (qs *Questions) WithdrawRun(ctx context.Context, thread, run string) {
	rows, err := qs.record.RunApprovals(ctx, thread, run, MaxAsked)
	if err != nil {
		qs.log.WarnContext(ctx, "read approvals of a deleted message", "run", run, "err", err)
	}
	for _, row := range rows {
		if row.State == bot.ApprovalPending {
			qs.Close(ctx, row, bot.ApprovalRevoked)
		}
	}
}
