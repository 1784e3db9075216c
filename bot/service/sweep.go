package service

import (
	"context"

	"maru/bot/chore"
)

// sweep handles overdue work until ctx ends: approvals to be posted, reminded of or expired, and marks. Every
// replica sweeps; the record lets one of them win.
func (b *Bot) sweep(ctx context.Context) {
	chore.Every(ctx, b.log, "sweep", b.cfg.Sweep, func() {
		b.questions.Sweep(ctx)
		b.replies.SweepMarks(ctx)
	})
}
