package service

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/chore"
	"maru/phrase"
	"maru/phrase/fit"
)

// How many approvals and threads one sweep looks after.
const (
	sweptApprovals = 100
	sweptThreads   = 50
)

// rest is how long a thread must have been quiet before its logs are shortened,
// and how often such threads are looked for.
const rest = time.Hour

// sweep looks after what nobody comes for, until ctx ends: approvals that have
// to be posted, reminded of or given up, and beside them, for people wait for those, what
// may take long: see clear. Every replica sweeps; the record lets one of them win.
func (b *Bot) sweep(ctx context.Context) {
	var clearing sync.WaitGroup
	defer clearing.Wait()
	var kept time.Time // when what is older was looked for
	clearing.Go(func() {
		b.everySweep(ctx, "clear", func() { kept = b.clear(ctx, kept) })
	})
	b.everySweep(ctx, "sweep", func() {
		b.sweepApprovals(ctx)
		b.sweepMarks(ctx)
	})
}

// everySweep does a round of work at once and then again and again, until ctx ends.
func (b *Bot) everySweep(ctx context.Context, what string, round func()) {
	tick := time.NewTicker(b.cfg.Sweep)
	defer tick.Stop()
	for {
		chore.Guard(ctx, b.log, what, round)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// clear is one round of what may take long: workspaces that were left, what is older than
// it is kept, and logs that can be shortened. It returns when what is older was looked for.
func (b *Bot) clear(ctx context.Context, kept time.Time) time.Time {
	if err := b.EndDepartures(ctx); err != nil && ctx.Err() == nil {
		b.log.WarnContext(ctx, "clean up after a workspace", "err", err)
	}
	if now := b.cfg.Now(); now.Sub(kept) >= rest {
		kept = now
		if err := b.sweepAges(ctx); err != nil && ctx.Err() == nil {
			b.log.WarnContext(ctx, "remove what is older than it is kept", "err", err)
		}
		if err := b.sweepAudit(ctx); err != nil && ctx.Err() == nil {
			b.log.WarnContext(ctx, "prune the audit log", "err", err)
		}
		b.keep(ctx)
	}
	return kept
}

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

// keep shortens the logs of threads that rest.
func (b *Bot) keep(ctx context.Context) {
	threads, err := b.cfg.Record.Rested(ctx, b.cfg.Now().Add(-rest), sweptThreads)
	if err != nil {
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "look for threads that rest", "err", err)
		}
		return
	}
	for _, thread := range threads {
		if err := b.cfg.Runner.Retain(ctx, thread); err != nil {
			if ctx.Err() != nil {
				return
			}
			b.log.WarnContext(ctx, "shorten the logs of a thread", "err", err) // others must have their turn
		}
		if err := b.cfg.Record.Kept(ctx, thread); err != nil && ctx.Err() == nil {
			b.log.WarnContext(ctx, "note that a thread was kept", "err", err)
		}
	}
}
