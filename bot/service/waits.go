package service

import (
	"cmp"
	"context"

	"maru/bot"
	"maru/phrase/fit"
)

// Waits returns the questions on which a run waits. What cannot be read is left
// out: a trace explains less then.
func (b *Bot) Waits(ctx context.Context, r bot.Run) []bot.RunWait {
	if r.Status != bot.RunWaiting {
		return nil
	}
	rows, err := b.cfg.Record.RunApprovals(ctx, r.Thread, r.ID, maxAsked)
	if err != nil {
		b.log.WarnContext(ctx, "read what a run waits for", "run", r.ID, "err", err)
	}
	var out []bot.RunWait
	for _, row := range rows {
		a, err := readAsked(row)
		if err != nil || row.State != bot.ApprovalPending || row.Kind == approvalFiles {
			continue
		}
		w := bot.RunWait{Node: a.w.Interrupt.Node, Until: row.Expires}
		if u := a.w.Message.User; len(row.Allowed) > 0 {
			w.Asker = fit.Visible(cmp.Or(u.Name, row.Allowed[0]))
		}
		if set, err := b.settingsNow(ctx, a.w.Message.Thread, a.w.Message.User); err == nil {
			w.Others = set.Decisions.Approvers
		}
		out = append(out, w)
	}
	return out
}
