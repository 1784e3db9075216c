package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// sweptApprovals is how many approvals one sweep looks after.
const sweptApprovals = 100

func (b *Bot) sweepApprovals(ctx context.Context) {
	due, err := b.cfg.Record.DueApprovals(ctx, sweptApprovals)
	if err != nil {
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "look for due approvals", "err", err)
		}
		return
	}
	now := b.cfg.Now()
	for _, row := range due {
		switch {
		case row.Due.Equal(row.Expires) || !now.Before(row.Expires):
			b.expire(ctx, row)
		case now.Before(row.Due): // the record's clock is ahead of those of replicas, by which that was said
		case row.Ref.IsZero():
			next := now.Add(repost)
			if b.mine(ctx, row, earlier(next, row.Expires)) {
				b.later(ctx, row, showPosted+fmt.Sprint(now.Unix()))
			}
		case b.remindLater(ctx, row, now):
		default:
			if b.mine(ctx, row, row.Expires) {
				b.later(ctx, row, showRemind)
			}
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// mine moves an approval's next look, and reports whether this replica was the
// one to.
func (b *Bot) mine(ctx context.Context, row bot.Approval, next time.Time) bool {
	won, err := b.cfg.Record.PostponeApproval(ctx, row.ID, row.Due, next)
	if err != nil && ctx.Err() == nil {
		b.log.WarnContext(ctx, "postpone approval", "approval", row.ID, "err", err)
	}
	return won
}

// expire gives an approval up whose time is over: the run goes on without a
// decision, which is committed with it.
func (b *Bot) expire(ctx context.Context, row bot.Approval) {
	b.closeRow(ctx, row, bot.ApprovalExpired)
}

// closeRow ends a pending approval without a decision.
func (b *Bot) closeRow(ctx context.Context, row bot.Approval, state bot.ApprovalState) {
	follow, err := b.follow(row, "")
	if err == nil {
		err = b.cfg.Record.CloseApproval(ctx, row.ID, state, follow)
	}
	switch {
	case errors.Is(err, bot.ErrDecided), errors.Is(err, bot.ErrNotFound): // somebody was quicker
	case err != nil:
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "close approval", "approval", row.ID, "state", state, "err", err)
		}
	default:
		if t, err := bot.ParseThread(row.Thread); err == nil {
			b.audit(ctx, t, bot.User{}, "approval."+string(state), map[string]any{"approval": row.ID, "kind": row.Kind, "run": row.Run})
		}
		b.queue.add(row.Thread)
	}
}

// stranded tells whoever asked that a card with buttons could not be posted,
// somewhere else, with the command that decides it. The card is tried again.
func (b *Bot) stranded(ctx context.Context, list []asked) {
	for _, a := range list {
		m, lang := a.w.Message, a.w.Lang
		card := bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: fit.Paragraphs(phrase.Say(lang,
			"bot.i_could_not_post_a",
			a.row.ID, a.row.ID), waitingCard([]asked{a}, nil, b.rules.ZoneOf(m.User)).Text)}
		var err error
		if d, ok := b.adapters[m.Thread.Platform].(bot.Direct); ok {
			err = d.Direct(ctx, m.Thread, m.User, card)
		} else if w, ok := b.adapters[m.Thread.Platform].(bot.Whisperer); ok {
			err = w.Whisper(ctx, bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo}, m.User, card)
		} else {
			err = bot.ErrUnavailable
		}
		if err != nil {
			b.log.WarnContext(ctx, "tell that a card could not be posted", "approval", a.row.ID, "err", err)
		}
	}
}

// remindLater moves a reminder out of the quiet hours of whoever asked, and
// reports whether it did.
func (b *Bot) remindLater(ctx context.Context, row bot.Approval, now time.Time) bool {
	a, err := readAsked(row)
	if err != nil {
		return false // reminding says what is wrong with it
	}
	set, err := b.settings(ctx, a.w.Message.Thread, a.w.Message.User)
	if err != nil {
		return false
	}
	end, quiet := b.rules.QuietUntil(set, a.w.Message.User, now)
	if quiet {
		b.mine(ctx, row, earlier(end, row.Expires))
	}
	return quiet
}
