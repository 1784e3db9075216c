package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Waits returns the questions that a run waits for, without unreadable ones: the trace then explains less.
func (qs *Questions) Waits(ctx context.Context, r bot.Run) []bot.RunWait {
	if r.Status != bot.RunWaiting {
		return nil
	}
	rows, err := qs.record.RunApprovals(ctx, r.Thread, r.ID, MaxAsked)
	if err != nil {
		qs.log.WarnContext(ctx, "read pending questions", "run", r.ID, "err", err)
	}
	var out []bot.RunWait
	for _, row := range rows {
		a, err := Read(row)
		if err != nil || row.State != bot.ApprovalPending || IsOffer(row.Kind) {
			continue
		}
		w := bot.RunWait{Node: a.About.Interrupt.Node, Until: row.Expires}
		if u := a.About.Message.User; len(row.Allowed) > 0 {
			w.Asker = fit.Visible(cmp.Or(u.Name, row.Allowed[0]))
		}
		if set, err := qs.rules.SettingsNow(ctx, a.About.Message.Thread, a.About.Message.User); err == nil {
			w.Others = set.Decisions.Approvers
		}
		out = append(out, w)
	}
	return out
}

// AsksOf returns the questions on which a run waits, as programs can answer them.
func (qs *Questions) AsksOf(ctx context.Context, thread, run string) ([]bot.FeedAsk, error) {
	list, err := qs.Pending(ctx, thread, run)
	if err != nil {
		return nil, err
	}
	var out []bot.FeedAsk
	for _, a := range qs.Labelled(ctx, list) {
		out = append(out, bot.FeedAsk{
			Approval: a.Row.ID, Interrupt: a.Row.Interrupt, Kind: a.Row.Kind, Ask: a.About.Interrupt.Payload, Schema: a.About.Interrupt.Schema, Names: a.labels.Names(a.values()),
			Actions: a.Offered(), Expires: a.Row.Expires.UTC().Format(time.RFC3339),
		})
	}
	return out, nil
}

// Offered lists a question's decisions for programs, for every kind: with labels, and an
// earlier answer as a member of the body.
func (a Asked) Offered() []agent.Action {
	out := slices.Clone(a.Actions)
	for i, act := range out {
		if act.Label == "" {
			out[i].Label = verbLabel(act.Verb, a.About.Lang)
		}
		if act.Verb == agent.VerbReuse {
			out[i].Inputs = []agent.Input{{ID: fieldSuggestion, Label: phrase.Say(a.About.Lang, "bot.form.which"), Required: true, Options: a.Suggestions}}
		}
		out[i].Words = act.Words || a.plain || harmless(act.Verb)
	}
	return out
}

// MaySee returns an error if a person may not follow a run: they may in its own channel, or if they may decide it.
func (qs *Questions) MaySee(ctx context.Context, t bot.Thread, u bot.User, run string) error {
	reply, err := qs.record.Reply(ctx, run)
	if errors.Is(err, bot.ErrNotFound) {
		return &bot.Error{Code: bot.CodeNotFound, Err: err}
	}
	if err != nil {
		return fmt.Errorf("read reply: %w", err)
	}
	if t.SharesChannel(reply.Thread) {
		return nil
	}
	rows, err := qs.record.RunApprovals(ctx, reply.Thread, run, MaxAsked)
	if err != nil {
		return fmt.Errorf("read approvals: %w", err)
	}
	for _, row := range rows {
		if may, err := qs.MayDecide(ctx, row, t, u); may || err != nil {
			return err
		}
	}
	return &bot.Error{Code: bot.CodeNotFound}
}

// WaitsFor reports whether a question in a message's thread waits for the message's author.
func (qs *Questions) WaitsFor(ctx context.Context, m bot.Message) (bool, error) {
	waiting, err := qs.In(ctx, bot.Item{}, m)
	if err != nil || len(waiting.Rows) == 0 {
		return false, err
	}
	list, err := qs.For(ctx, m, waiting.Rows)
	return err == nil && len(list) > 0, err
}
