package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

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

// AsksOf returns the questions on which a run waits, as programs can answer them.
func (b *Bot) AsksOf(ctx context.Context, thread, run string) ([]bot.FeedAsk, error) {
	list, err := b.pendingOf(ctx, thread, run)
	if err != nil {
		return nil, err
	}
	var out []bot.FeedAsk
	for _, a := range list {
		out = append(out, bot.FeedAsk{
			Approval: a.row.ID, Interrupt: a.row.Interrupt, Kind: a.row.Kind, Ask: a.w.Interrupt.Payload, Schema: a.w.Interrupt.Schema,
			Expires: a.row.Expires.UTC().Format(time.RFC3339),
		})
	}
	return out, nil
}

// MaySee says whether a person may follow a run: from its own place, or because
// they may decide it.
func (b *Bot) MaySee(ctx context.Context, t bot.Thread, u bot.User, run string) error {
	reply, err := b.cfg.Record.Reply(ctx, run)
	if errors.Is(err, bot.ErrNotFound) {
		return &bot.Error{Code: bot.CodeNotFound, Err: err}
	}
	if err != nil {
		return fmt.Errorf("read reply: %w", err)
	}
	if t.SharesChannel(reply.Thread) {
		return nil
	}
	rows, err := b.cfg.Record.RunApprovals(ctx, reply.Thread, run, maxAsked)
	if err != nil {
		return fmt.Errorf("read approvals: %w", err)
	}
	for _, row := range rows {
		if may, err := b.mayDecide(ctx, row, t, u); may || err != nil {
			return err
		}
	}
	return &bot.Error{Code: bot.CodeNotFound}
}
