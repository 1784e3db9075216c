package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/config"
)

// waiting is the payload of an approval on which a run waits: all that is needed
// to go on with it, on any replica and after any restart.
type waiting struct {
	Message   bot.Message      `json:"message"`
	Agent     string           `json:"agent"`
	Persona   string           `json:"persona,omitempty"`
	Approvals config.Approvals `json:"approvals,omitzero"`
	Means     config.Means     `json:"means,omitzero"`
	Lang      string           `json:"lang"`
	Log       string           `json:"log,omitempty"`  // of the agent, if not the thread's own; see aside
	Solo      bool             `json:"solo,omitempty"` // asked where there is one person only
	Interrupt agent.Interrupt  `json:"interrupt"`
}

// asked is an approval on which a run waits, with what its card shows.
type asked struct {
	question
	row bot.Approval
	w   waiting
}

// errTampered says that what would run is not what was shown.
var errTampered = errors.New("bot: what would run is not what was shown")

// readAsked reads an approval of a run.
func readAsked(row bot.Approval) (asked, error) {
	var w waiting
	if bot.Digest(row.Payload) != row.Digest {
		return asked{}, fmt.Errorf("approval %s: %w", row.ID, errTampered)
	}
	if err := json.Unmarshal(row.Payload, &w); err != nil {
		return asked{}, fmt.Errorf("approval %s: %w", row.ID, err)
	}
	if w.Interrupt.ID == "" || w.Interrupt.ID != row.Interrupt {
		return asked{}, fmt.Errorf("approval %s is of another interrupt: %w", row.ID, errTampered)
	}
	return asked{question: questionOf(row.ID, w.Interrupt), row: row, w: w}, nil
}

// repost is how long a card that could not be posted waits for the next try.
const repost = time.Minute

// posted notes where the approvals' buttons stand.
func (b *Bot) posted(ctx context.Context, list []asked, ref bot.Ref) {
	for _, a := range list {
		due := a.row.Expires
		if remind := a.w.remindAt(a.row, b.remindAfter(ctx, a)); remind.Before(due) {
			due = remind
		}
		if err := b.cfg.Record.PostedApproval(ctx, a.row.ID, ref, due); err != nil {
			b.log.WarnContext(ctx, "note where the approval stands", "approval", a.row.ID, "err", err)
		}
	}
}

// remindAfter is the place's setting; a record that cannot be read reminds of
// nothing.
func (b *Bot) remindAfter(ctx context.Context, a asked) time.Duration {
	set, err := b.settings(ctx, a.w.Message.Thread, a.w.Message.User)
	if err != nil {
		return 0
	}
	return set.Decisions.Remind
}

// remindAt is when people are reminded of an approval; never is when it expires.
func (waiting) remindAt(row bot.Approval, after time.Duration) time.Time {
	if after <= 0 {
		return row.Expires
	}
	return row.Created.Add(after)
}

// asking is a run that asks people.
type asking struct {
	run        string
	m          bot.Message
	set        config.Resolved // it goes on under them
	lang       string
	log        string // of the agent, if not the thread's own
	interrupts []agent.Interrupt
}

// Ask returns the approvals of a run's interrupts that are still to be
// decided. A run that was asked again, after a crash or for the rest of its
// questions, has some of them already.
func (b *Bot) Ask(ctx context.Context, l bot.Lease, c asking) ([]asked, error) {
	have, err := b.cfg.Record.RunApprovals(ctx, l.Thread, c.run, maxAsked)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	known := make(map[string]bot.Approval, len(have))
	for _, row := range have {
		known[row.Interrupt] = row
	}
	b.withdraw(ctx, have, c.interrupts)
	var list []asked
	for _, i := range c.interrupts {
		row, ok := known[i.ID]
		if !ok {
			if row, err = b.approve(ctx, l, c, i); err != nil {
				return nil, err
			}
		}
		if row.State != bot.ApprovalPending {
			continue
		}
		a, err := readAsked(row)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// withdraw revokes the approvals of a run on which it no longer waits: a
// question that was asked beside one that expired, or of a plan that is gone.
func (b *Bot) withdraw(ctx context.Context, have []bot.Approval, waits []agent.Interrupt) {
	for _, row := range have {
		still := slices.ContainsFunc(waits, func(i agent.Interrupt) bool { return i.ID == row.Interrupt })
		if row.State != bot.ApprovalPending || row.Kind == approvalFiles || still {
			continue
		}
		err := b.cfg.Record.CloseApproval(ctx, row.ID, bot.ApprovalRevoked, nil)
		if err != nil && !errors.Is(err, bot.ErrDecided) {
			b.log.WarnContext(ctx, "withdraw approval", "approval", row.ID, "err", err)
		}
		b.endWithdrawn(ctx, []string{row.ID})
	}
}

// stillAsked returns the ids of the approvals of a run that still wait, for an
// outcome with which the run is over.
func (b *Bot) stillAsked(ctx context.Context, thread, run string) ([]string, error) {
	rows, err := b.cfg.Record.RunApprovals(ctx, thread, run, maxAsked)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	var ids []string
	for _, row := range rows {
		if row.State == bot.ApprovalPending && row.Kind != approvalFiles {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}

// maxAsked bounds the approvals of one run that are looked at.
const maxAsked = 500

// approve commits the approval of an interrupt.
func (b *Bot) approve(ctx context.Context, l bot.Lease, c asking, i agent.Interrupt) (bot.Approval, error) {
	payload, err := json.Marshal(waiting{
		Message: c.m, Agent: c.set.Agent, Persona: c.set.Persona, Approvals: c.set.Approvals, Means: c.set.Means, Lang: c.lang, Log: c.log, Interrupt: i,
		Solo: b.adapters.Facts(c.m.Thread.Platform).OneUser,
	})
	if err != nil {
		return bot.Approval{}, fmt.Errorf("encode approval: %w", err)
	}
	kind := i.Kind
	if kind == "" || kind == approvalFiles {
		kind = "approval"
	}
	set, err := b.settings(ctx, c.m.Thread, c.m.User)
	if err != nil {
		return bot.Approval{}, err
	}
	now := b.cfg.Now()
	a := bot.Approval{
		ID: b.cfg.NewID(), Kind: kind, Thread: l.Thread, Run: c.run, Interrupt: i.ID,
		Digest: bot.Digest(payload), Payload: payload, Allowed: append([]string{c.m.User.ID}, set.Decisions.Approvers...),
		Needs: quorum(questionOf("", i), set.Decisions), State: bot.ApprovalPending,
		Created: now, Expires: now.Add(set.Decisions.Expires), Due: now.Add(repost),
	}
	if !i.Expires.IsZero() && i.Expires.Before(a.Expires) {
		a.Expires = i.Expires
	}
	if a.Expires.Before(a.Due) {
		a.Due = a.Expires
	}
	if err := b.cfg.Record.CreateApproval(ctx, l, a); err != nil {
		return bot.Approval{}, fmt.Errorf("store approval: %w", err)
	}
	return a, nil
}
