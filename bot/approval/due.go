package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// sweptApprovals limits the approvals per sweep.
const sweptApprovals = 100

func (qs *Questions) Sweep(ctx context.Context) {
	due, err := qs.record.DueApprovals(ctx, sweptApprovals)
	if err != nil {
		if ctx.Err() == nil {
			qs.log.WarnContext(ctx, "list due approvals", "err", err)
		}
		return
	}
	if err := removeUploaded(ctx, qs); err != nil && ctx.Err() == nil {
		qs.log.WarnContext(ctx, "remove files of questions that are gone", "err", err)
	}
	now := qs.now()
	for _, row := range due {
		switch {
		case row.Due.Equal(row.Expires) || !now.Before(row.Expires):
			qs.GiveUp(ctx, row)
		case now.Before(row.Due): // due by the record's clock, not yet by this replica's
		case row.Ref.IsZero():
			next := now.Add(repost)
			if qs.mine(ctx, row, earlier(next, row.Expires)) {
				qs.later(ctx, row, showPosted+fmt.Sprint(now.Unix()))
			}
		case isToUpload(ctx, qs, row):
			if qs.mine(ctx, row, earlier(now.Add(max(repost, now.Sub(row.Created))), row.Expires)) {
				qs.later(ctx, row, showWhole+fmt.Sprint(now.Unix()))
			}
		case row.Kind == agent.KindAccount:
			qs.lookForSignIn(ctx, row)
		case qs.remindLater(ctx, row, now):
		default:
			if qs.mine(ctx, row, row.Expires) {
				qs.later(ctx, row, ShowRemind)
			}
		}
	}
}

// isToUpload reports whether a question's file is still to be uploaded.
func isToUpload(ctx context.Context, qs *Questions, row bot.Approval) bool {
	note, err := qs.record.Note(ctx, wholeNote(row.ID))
	return err == nil && whole(note) == notYet
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// mine postpones an approval, and reports whether this replica won.
func (qs *Questions) mine(ctx context.Context, row bot.Approval, next time.Time) bool {
	won, err := qs.record.PostponeApproval(ctx, row.ID, row.Due, next)
	if err != nil && ctx.Err() == nil {
		qs.log.WarnContext(ctx, "postpone approval", "approval", row.ID, "err", err)
	}
	return won
}

// GiveUp expires an approval. The run resumes without a decision, committed together.
func (qs *Questions) GiveUp(ctx context.Context, row bot.Approval) {
	qs.Close(ctx, row, bot.ApprovalExpired)
}

// Close ends a pending approval without a decision.
func (qs *Questions) Close(ctx context.Context, row bot.Approval, state bot.ApprovalState) {
	follow, err := qs.follow(row, "")
	if err == nil {
		err = qs.record.CloseApproval(ctx, row.ID, state, follow)
	}
	switch {
	case errors.Is(err, bot.ErrDecided), errors.Is(err, bot.ErrNotFound): // another replica or person was first
	case err != nil:
		if ctx.Err() == nil {
			qs.log.WarnContext(ctx, "close approval", "approval", row.ID, "state", state, "err", err)
		}
	default:
		if t, err := bot.ParseThread(row.Thread); err == nil {
			qs.rules.Audit(ctx, t, bot.User{}, "approval."+string(state), map[string]any{"approval": row.ID, "kind": row.Kind, "run": row.Run})
		}
		qs.threads.Wake(row.Thread)
	}
}

// TellStranded tells the requester elsewhere that a card with buttons could not be posted, with
// the command that decides it. The card is retried.
func (qs *Questions) TellStranded(ctx context.Context, list []Asked) {
	for _, a := range list {
		m, lang := a.About.Message, a.About.Lang
		card := bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: fit.Paragraphs(phrase.Say(lang,
			"bot.approval.not_posted",
			a.Row.ID, a.Row.ID), Card(qs.Labelled(ctx, []Asked{a}), nil, qs.rules.ZoneOf(m.User)).Text)}
		var err error
		if d, ok := qs.adapters[m.Thread.Platform].(bot.Direct); ok {
			err = d.Direct(ctx, m.Thread, m.User, card)
		} else if w, ok := qs.adapters[m.Thread.Platform].(bot.Whisperer); ok {
			err = w.Whisper(ctx, bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}, m.User, card)
		} else {
			err = bot.ErrUnavailable
		}
		if err != nil {
			qs.log.WarnContext(ctx, "report undelivered card", "approval", a.Row.ID, "err", err)
		}
	}
}

// remindLater moves a reminder to its time and out of the requester's quiet hours, and reports whether it did.
func (qs *Questions) remindLater(ctx context.Context, row bot.Approval, now time.Time) bool {
	a, err := Read(row)
	if err != nil {
		return false // reminding reports the error
	}
	set, err := qs.rules.Settings(ctx, a.About.Message.Thread, a.About.Message.User)
	if err != nil {
		return false
	}
	if at := a.About.remindAt(row, set.Decisions.Remind); now.Before(at) { // it was due to be shown whole
		qs.mine(ctx, row, earlier(at, row.Expires))
		return true
	}
	end, quiet := qs.rules.QuietUntil(set, a.About.Message.User, now)
	if quiet {
		qs.mine(ctx, row, earlier(end, row.Expires))
	}
	return quiet
}
