package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/chore"
	"maru/bot/reply"
)

// isProgress reports whether an event marks durable progress: a finished node, or a call with a
// recorded result.
func isProgress(e agent.Event) bool {
	switch e.Kind {
	case agent.EventNodeEnd, agent.EventToolResult:
		return true
	case agent.EventModelCall:
		return e.Err == ""
	}
	return false
}

// giveUp gives up on an item that failed too often, posts a notice in place of the answer and
// withdraws the run's pending questions.
func (ts *Turns) giveUp(ctx context.Context, l bot.Lease, it bot.Item) error {
	ts.cfg.Log.ErrorContext(ctx, "item given up", "item_kind", it.Kind, "tries", it.Attempts)
	out := bot.Outcome{Dead: true, Why: "failed too often"}
	if row, o, ok, err := ts.offeredBy(ctx, it); err != nil {
		return err
	} else if ok {
		e := (&bot.Error{Code: bot.CodeGivenUp}).WithReference()
		ts.cfg.Log.ErrorContext(ctx, "files given up", "run", row.Run, "ref", e.Ref)
		return ts.afterDecision(ctx, l, it, o, row, e.Text(o.Lang), out)
	}
	m, lang, ok, err := ts.owedBy(ctx, it)
	if err != nil {
		return err
	}
	if !ok || ts.cfg.Adapters[m.Thread.Platform] == nil {
		return ts.cfg.Record.Finish(ctx, l, it.ID, out)
	}
	past, err := ts.cfg.Questions.History(ctx, it.Thread, m.Run())
	if err != nil {
		return err
	}
	if out.Withdraw, err = ts.cfg.Questions.StillAsked(ctx, it.Thread, m.Run()); err != nil {
		return err
	}
	p, err := ts.cfg.Replies.Begin(ctx, l, it, m, reply.Look{Lang: lang, Still: true})
	if err != nil {
		return err
	}
	defer p.Close()
	if !p.Delivered {
		e := (&bot.Error{Code: bot.CodeGivenUp}).WithReference()
		ts.cfg.Log.ErrorContext(ctx, "run given up", "run", p.Run, "ref", e.Ref)
		card := e.Notice(lang)
		card.Run, card.Fields = p.Run, past
		p.EndBelow()
		reply, err := p.Finish(ctx, card)
		if err != nil {
			return err
		}
		out.Reply, out.Jobs = &reply, p.Owed(ctx)
		ts.ended(ctx, p.Run, bot.RunFailed)
		ts.cfg.Observe.Finished("", "dead", ts.cfg.Now().Sub(m.At))
	}
	out.Jobs = append(out.Jobs, callback(m)...)
	ctx, cancel := chore.AtTheEnd(ctx) // the notice is posted: commit even during shutdown
	defer cancel()
	if err := ts.cfg.Record.Finish(ctx, l, it.ID, out); err != nil {
		return err
	}
	ts.cfg.Questions.EndWithdrawn(ctx, out.Withdraw)
	return nil
}

// offeredBy returns the file offer that an item should carry out; ok is false if the item is of
// another kind.
func (ts *Turns) offeredBy(ctx context.Context, it bot.Item) (row bot.Approval, o offered, ok bool, err error) {
	var r approval.Resumption
	if it.Kind != bot.ItemResume || json.Unmarshal(it.Body, &r) != nil {
		return bot.Approval{}, offered{}, false, nil
	}
	row, err = ts.cfg.Record.ApprovalByID(ctx, r.Approval)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return bot.Approval{}, offered{}, false, nil
	case err != nil:
		return bot.Approval{}, offered{}, false, fmt.Errorf("read approval: %w", err)
	case !approval.IsOffer(row.Kind):
		return bot.Approval{}, offered{}, false, nil
	}
	o, err = readOffered(row)
	return row, o, err == nil, nil //nolint:nilerr // an unreadable offer needs no notice
}

// ended adds the outcome of an abandoned run to its saved trace.
func (ts *Turns) ended(ctx context.Context, run, status string) {
	r, err := ts.cfg.Record.RunByID(ctx, run)
	if err == nil {
		r.Status, r.Ended, r.Day = status, ts.cfg.Now(), ts.cfg.Rules.Today()
		err = ts.cfg.Record.SaveRun(ctx, r)
	}
	if err != nil && !errors.Is(err, bot.ErrNotFound) {
		ts.cfg.Log.WarnContext(ctx, "note how a run ended", "run", run, "err", err)
	}
}

// owedBy returns the message that an item should answer, and its language. For a resume item that is
// the message of the run.
func (ts *Turns) owedBy(ctx context.Context, it bot.Item) (m bot.Message, lang string, ok bool, err error) {
	switch it.Kind {
	case bot.ItemMessage:
		if json.Unmarshal(it.Body, &m) != nil {
			return bot.Message{}, "", false, nil
		}
		return m, ts.cfg.Rules.Language(ctx, m.Thread, m.User, m.Text), true, nil
	case bot.ItemResume:
		var r approval.Resumption
		if json.Unmarshal(it.Body, &r) != nil || r.Show != "" {
			return bot.Message{}, "", false, nil
		}
		row, err := ts.cfg.Record.ApprovalByID(ctx, r.Approval)
		if errors.Is(err, bot.ErrNotFound) {
			return bot.Message{}, "", false, nil
		}
		if err != nil {
			return bot.Message{}, "", false, fmt.Errorf("read approval: %w", err)
		}
		a, err := approval.Read(row)
		if err != nil {
			return bot.Message{}, "", false, nil //nolint:nilerr // an unreadable item needs no notice
		}
		return a.About.Message, a.About.Lang, true, nil
	}
	return bot.Message{}, "", false, nil
}
