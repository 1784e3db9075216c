package approval

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

// Paused is the payload of an approval: everything needed to resume its run, on any replica and
// after any restart.
type Paused struct {
	Message   bot.Message      `json:"message"`
	Agent     string           `json:"agent"`
	Persona   string           `json:"persona,omitempty"`
	Approvals config.Approvals `json:"approvals,omitzero"`
	Means     config.Means     `json:"means,omitzero"`
	Lang      string           `json:"lang"`
	Log       string           `json:"log,omitempty"`     // of the agent, if not the thread's own; see aside
	Missing   string           `json:"missing,omitempty"` // notice below the answer: what of the message could not be read
	Solo      bool             `json:"solo,omitempty"`    // asked where only one person can read
	Interrupt agent.Interrupt  `json:"interrupt"`
}

// Asked is an approval that a run waits for, with the content of its card.
type Asked struct {
	question
	Row   bot.Approval
	About Paused
}

// ErrTampered means that the stored payload does not match what was shown.
var ErrTampered = errors.New("bot: what would run is not what was shown")

// readAsked reads an approval of a run.
func Read(row bot.Approval) (Asked, error) {
	var w Paused
	if bot.Digest(row.Payload) != row.Digest {
		return Asked{}, fmt.Errorf("approval %s: %w", row.ID, ErrTampered)
	}
	if err := json.Unmarshal(row.Payload, &w); err != nil {
		return Asked{}, fmt.Errorf("approval %s: %w", row.ID, err)
	}
	if w.Interrupt.ID == "" || w.Interrupt.ID != row.Interrupt {
		return Asked{}, fmt.Errorf("approval %s is of another interrupt: %w", row.ID, ErrTampered)
	}
	q := questionOf(row.ID, w.Interrupt)
	q.lang, q.needs = w.Lang, row.Needs
	return Asked{question: q, Row: row, About: w}, nil
}

// repost is the delay before posting a card again.
const repost = time.Minute

// Posted stores the message with the approvals' buttons, if it is another one than before.
func (qs *Questions) Posted(ctx context.Context, list []Asked, ref bot.Ref) {
	for _, a := range list {
		if slices.Equal(a.Row.Ref.Messages, ref.Messages) {
			continue
		}
		due := a.Row.Expires
		if !a.Row.Ref.IsZero() {
			due = a.Row.Due // a reminder is not repeated
		} else if a.whole == notYet {
			due = earlier(qs.now().Add(repost), due)
		} else if a.Row.Kind == agent.KindAccount {
			due = qs.lookAgain(a.Row)
		} else if remind := a.About.remindAt(a.Row, qs.remindAfter(ctx, a)); remind.Before(due) {
			due = remind
		}
		if err := qs.record.PostedApproval(ctx, a.Row.ID, ref, due); err != nil {
			qs.log.WarnContext(ctx, "store approval message", "approval", a.Row.ID, "err", err)
		}
	}
}

// remindAfter returns the channel's setting; without a readable record there is no reminder.
func (qs *Questions) remindAfter(ctx context.Context, a Asked) time.Duration {
	set, err := qs.rules.Settings(ctx, a.About.Message.Thread, a.About.Message.User)
	if err != nil {
		return 0
	}
	return set.Decisions.Remind
}

// remindAt returns the time of an approval's reminder, or never, its expiry.
func (Paused) remindAt(row bot.Approval, after time.Duration) time.Time {
	if after <= 0 {
		return row.Expires
	}
	return row.Created.Add(after)
}

// Asking is a run that asks people.
type Asking struct {
	Run        string
	Message    bot.Message
	Settings   config.Resolved // the run resumes with them
	Lang       string
	Log        string // of the agent, if not the thread's own
	Missing    string // see [Paused]
	Interrupts []agent.Interrupt
}

// Ask returns the approvals of a run's interrupts that are still to be
// decided. A run that was asked again, after a crash or for the rest of its
// questions, has some of them already.
func (qs *Questions) Ask(ctx context.Context, l bot.Lease, c Asking) ([]Asked, error) {
	have, err := qs.record.RunApprovals(ctx, l.Thread, c.Run, MaxAsked)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	known := make(map[string]bot.Approval, len(have))
	for _, row := range have {
		known[row.Interrupt] = row
	}
	qs.withdraw(ctx, have, c.Interrupts)
	var list []Asked
	for _, i := range c.Interrupts {
		row, ok := known[i.ID]
		if !ok {
			if row, err = qs.approve(ctx, l, c, i); err != nil {
				return nil, err
			}
		}
		if row.State != bot.ApprovalPending {
			continue
		}
		a, err := Read(row)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// withdraw revokes approvals on which the run no longer waits: a question asked together with one
// that expired, or of an abandoned plan.
func (qs *Questions) withdraw(ctx context.Context, have []bot.Approval, waits []agent.Interrupt) {
	for _, row := range have {
		still := slices.ContainsFunc(waits, func(i agent.Interrupt) bool { return i.ID == row.Interrupt })
		if row.State != bot.ApprovalPending || IsOffer(row.Kind) || still {
			continue
		}
		err := qs.record.CloseApproval(ctx, row.ID, bot.ApprovalRevoked, nil)
		if err != nil && !errors.Is(err, bot.ErrDecided) {
			qs.log.WarnContext(ctx, "withdraw approval", "approval", row.ID, "err", err)
		}
		qs.EndWithdrawn(ctx, []string{row.ID})
	}
}

// StillAsked returns the IDs of a run's pending approvals, for the outcome that ends the run.
func (qs *Questions) StillAsked(ctx context.Context, thread, run string) ([]string, error) {
	rows, err := qs.record.RunApprovals(ctx, thread, run, MaxAsked)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	var ids []string
	for _, row := range rows {
		if row.State == bot.ApprovalPending && !IsOffer(row.Kind) {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}

// MaxAsked limits the approvals read of one run.
const MaxAsked = 500

// approve commits the approval of an interrupt.
func (qs *Questions) approve(ctx context.Context, l bot.Lease, c Asking, i agent.Interrupt) (bot.Approval, error) {
	payload, err := json.Marshal(Paused{
		Message: c.Message, Agent: c.Settings.Agent, Persona: c.Settings.Persona, Approvals: c.Settings.Approvals, Means: c.Settings.Means, Lang: c.Lang, Log: c.Log, Missing: c.Missing, Interrupt: i,
		Solo: qs.adapters.Facts(c.Message.Thread.Platform).OneUser,
	})
	if err != nil {
		return bot.Approval{}, fmt.Errorf("encode approval: %w", err)
	}
	set, err := qs.rules.Settings(ctx, c.Message.Thread, c.Message.User)
	if err != nil {
		return bot.Approval{}, err
	}
	now := qs.now()
	a := bot.Approval{
		ID: qs.newID(), Kind: kindOf(i, c.Message), Thread: l.Thread, Run: c.Run, Interrupt: i.ID,
		Digest: bot.Digest(payload), Payload: payload, Allowed: append([]string{c.Message.User.ID}, deciders(kindOf(i, c.Message), c.Message, set.Decisions.Approvers)...),
		Needs: quorum(questionOf("", i), set.Decisions), State: bot.ApprovalPending,
		Created: now, Expires: now.Add(set.Decisions.Expires), Due: now.Add(repost),
	}
	if !i.Expires.IsZero() && i.Expires.Before(a.Expires) {
		a.Expires = i.Expires
	}
	if a.Expires.Before(a.Due) {
		a.Due = a.Expires
	}
	if err := qs.record.CreateApproval(ctx, l, a); err != nil {
		return bot.Approval{}, fmt.Errorf("store approval: %w", err)
	}
	return a, nil
}
