package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/phrase"
	"maru/phrase/fit"
)

// taskOffer is the payload of the "Do this as a task" button.
type taskOffer struct {
	Message bot.Message `json:"message"`
	Agent   string      `json:"agent"`
	Lang    string      `json:"lang"`
}

// offerTask adds the "Do this as a task" button to an answer.
func (c conclusion) offerTask(ctx context.Context, offers Offers) error {
	payload, err := json.Marshal(taskOffer{Message: c.m, Agent: c.res.Offer, Lang: c.lang})
	if err != nil {
		return fmt.Errorf("encode offer: %w", err)
	}
	button, err := offers.Offer(ctx, c.p.Lease, c.m, approval.KindTask, c.p.Run, payload)
	if err != nil {
		return err
	}
	button.Label, button.Style = phrase.Say(c.lang, "bot.button.task"), bot.ButtonPlain
	c.extras.buttons = append(c.extras.buttons, button)
	return nil
}

// resumeTask hands an answered message to the orchestrator once the offer is accepted: with the message's
// files and labels, and in a new reply.
func (ts *Turns) resumeTask(ctx context.Context, l bot.Lease, it bot.Item, row bot.Approval) error {
	var o taskOffer
	if bot.Digest(row.Payload) != row.Digest {
		return ts.drop(ctx, l, it, fmt.Errorf("approval %s: %w", row.ID, approval.ErrTampered))
	}
	if err := json.Unmarshal(row.Payload, &o); err != nil {
		return ts.drop(ctx, l, it, err)
	}
	taken := false
	if row.State == bot.ApprovalDecided {
		d, err := approval.ReadDecision(row.Decision)
		if err != nil {
			return ts.drop(ctx, l, it, err)
		}
		taken = d.Verb == approval.VerbAccept
	}
	ts.withoutOffer(ctx, it, row, o, taken)
	if !taken {
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
	}
	m := o.Message
	m.Revision, m.Again = "", it.ID // with its present text
	set, err := ts.cfg.Rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return err
	}
	set.Agent = o.Agent
	return ts.answerAgain(ctx, l, it, turn{m: m, set: set, lang: o.Lang})
}

// withoutOffer removes an offer's button from the answer.
func (ts *Turns) withoutOffer(ctx context.Context, it bot.Item, row bot.Approval, o taskOffer, taken bool) {
	reply, err := ts.cfg.Record.Reply(ctx, row.Run)
	var card bot.Card
	editor, canEdit := adapterOf(ts.cfg.Adapters, it.Thread).(bot.Editor)
	if err != nil || !canEdit || reply.Ref.IsZero() || json.Unmarshal(reply.Card, &card) != nil {
		return
	}
	card.Buttons = slices.DeleteFunc(card.Buttons, func(b bot.Button) bool { return b.ID == row.ID })
	if taken {
		card.Footer = fit.Dots(card.Footer, phrase.Say(o.Lang, "bot.task.begun"))
	}
	err = ts.cfg.Replies.Patiently(ctx, it.Thread, func(ctx context.Context) error {
		_, err := editor.Edit(ctx, reply.Ref, card)
		return err
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		ts.cfg.Log.WarnContext(ctx, "show that a task has begun", "run", row.Run, "err", err)
	}
}

// answerAgain runs a turn on a message that was answered before. Pending questions of the thread
// stay pending.
func (ts *Turns) answerAgain(ctx context.Context, l bot.Lease, it bot.Item, t turn) error {
	var err error
	if t.left, err = ts.cfg.Rules.BudgetOf(ctx, t.m.Thread, t.m.User, t.set, agent.Usage{}); err != nil {
		return err
	}
	waiting, err := ts.cfg.Questions.In(ctx, it, t.m)
	if t.log = waiting.Log; err == nil && len(waiting.Rows) > 0 && t.log == "" {
		if t.log, err = ts.asideLog(ctx, t.m); err == nil {
			t.beside, err = ts.remindsOf(ctx, t.m, waiting.Rows)
		}
	}
	if err == nil && t.log == "" && !waiting.Own {
		t, err = besideParked(ctx, ts, it, t)
	}
	if err != nil {
		return err
	}
	return ts.runTurn(ctx, l, it, t)
}
