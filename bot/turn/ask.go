package turn

import (
	"context"
	"fmt"

	"maru/bot"
	"maru/bot/approval"
	"maru/bot/chore"
	"maru/bot/forecast"
	"maru/bot/reply"
	"maru/phrase/fit"
)

// ask shows a run's pending questions as a card with buttons. It commits the approval rows before
// posting the card, and finishes the item; a click creates a new one.
func (ts *Turns) ask(ctx context.Context, l bot.Lease, it bot.Item, c conclusion) error {
	list, err := ts.cfg.Questions.Ask(ctx, l, approval.Asking{Run: c.p.Run, Message: c.m, Settings: c.set, Lang: c.lang, Log: c.log, Missing: c.extras.missing, Interrupts: c.res.Interrupts})
	if err != nil {
		return err
	}
	if it.Attempts > 0 { // reaching a question is progress
		ts.cfg.Tries.Further(ctx, it)
	}
	low := fit.Dots(planned(ctx, ts.cfg.Forecasts, c), ts.runsLow(ctx, c))
	ts.saveTrace(ctx, it, c, bot.RunWaiting)
	if len(list) == 0 { // all are decided already, and their resume items are in the inbox
		c.p.Close() // what it owes is known once it shows nothing more
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Jobs: c.p.Owed(ctx)})
	}
	list = approval.Presented(ctx, ts.cfg.Questions, list)
	card := approval.Card(list, c.history, ts.cfg.Rules.ZoneOf(c.m.User))
	card.Footer = fit.Dots(card.Footer, low)
	c.p.MoveBelow(list[0].Row.ID)
	reply, err := c.p.Settle(ctx, card, bot.ReplyOpen)
	if err != nil {
		return err
	}
	if ctx.Err() != nil && (reply.Ref.IsZero() || reply.State == bot.ReplyFailed) { // the next process asks: at best a draft is visible
		return context.Cause(ctx)
	}
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	undelivered := reply.State == bot.ReplyFailed
	reply.State = bot.ReplyOpen // the run is not over
	out := bot.Outcome{Reply: &reply, Jobs: c.p.Owed(ctx)}
	if c.p.IsFirst() {
		out.Title = c.m.Title()
	}
	if err := ts.cfg.Record.Finish(ctx, l, it.ID, out); err != nil {
		return fmt.Errorf("finish item: %w", err)
	}
	if undelivered {
		ts.cfg.Questions.TellStranded(ctx, list)
	} else {
		ts.cfg.Questions.Posted(ctx, list, reply.Ref)
		if c.spoken && !c.p.IsBelow() {
			ts.cfg.Questions.PointBack(ctx, c.m, c.lang, list)
		}
	}
	ts.cfg.Observe.Finished(c.set.Agent, bot.RunWaiting, ts.cfg.Now().Sub(c.m.At))
	return nil
}

// planned returns the line with a plan's estimated usage, "" for other questions.
func planned(ctx context.Context, f Forecasts, c conclusion) string {
	if f == nil || len(c.res.Interrupts) != 1 || c.res.Interrupts[0].Kind != kindPlan {
		return ""
	}
	return f.Line(ctx, forecast.Plan{
		Run: c.p.Run, Thread: c.m.Thread, User: c.m.User, Agent: c.set.Agent, Payload: c.res.Interrupts[0].Payload,
		Spent: c.trace.Usage, Settings: c.set, Language: c.lang,
	})
}

// kindPlan is the kind of a plan approval.
const kindPlan = "plan"

// finishLeftover finishes an item of a run that is over. It withdraws the run's pending questions and
// leaves its last card unchanged.
func (ts *Turns) finishLeftover(ctx context.Context, l bot.Lease, it bot.Item, row bot.Approval) error {
	ids, err := ts.cfg.Questions.StillAsked(ctx, row.Thread, row.Run)
	if err != nil {
		return err
	}
	ts.cfg.Log.WarnContext(ctx, "a run that is over still asked", "run", row.Run, "approvals", len(ids))
	if err := ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Withdraw: ids}); err != nil {
		return err
	}
	ts.cfg.Questions.EndWithdrawn(ctx, ids)
	return nil
}

// showAgain renders the card of a waiting run again: after a failed post, after a vote, and as
// a reminder.
func (ts *Turns) showAgain(ctx context.Context, l bot.Lease, it bot.Item, row bot.Approval) error {
	list, err := ts.cfg.Questions.Pending(ctx, row.Thread, row.Run)
	if err != nil {
		return ts.drop(ctx, l, it, err)
	}
	if len(list) == 0 {
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
	}
	past, err := ts.cfg.Questions.History(ctx, row.Thread, row.Run)
	if err != nil {
		return err
	}
	p, err := ts.cfg.Replies.Begin(ctx, l, it, list[0].About.Message, reply.Look{Lang: list[0].About.Lang, Still: true})
	if err != nil {
		return err
	}
	defer p.Close()
	if p.Delivered {
		return ts.finishLeftover(ctx, l, it, row)
	}
	if list[0].Row.Ref.IsZero() { // never posted: post it as a new message
		p.MoveBelow(list[0].Row.ID)
	}
	list = approval.Presented(ctx, ts.cfg.Questions, list) // has a limit of its own
	short, cancel := context.WithTimeout(ctx, approval.ShowPatience)
	defer cancel()
	reply, err := p.Settle(short, approval.Card(list, past, ts.cfg.Rules.ZoneOf(list[0].About.Message.User)), bot.ReplyOpen)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	delivered := reply.State != bot.ReplyFailed
	reply.State = bot.ReplyOpen
	if err := ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Reply: &reply, Jobs: p.Owed(ctx)}); err != nil {
		return fmt.Errorf("finish item: %w", err)
	}
	if delivered {
		ts.cfg.Questions.Posted(ctx, list, reply.Ref)
	} else {
		approval.NotShown(ctx, ts.cfg.Questions, list)
	}
	return nil
}

// remind posts one reminder of a pending question in the thread.
func (ts *Turns) remind(ctx context.Context, l bot.Lease, it bot.Item, row bot.Approval) error {
	a, err := approval.Read(row)
	if err != nil {
		return ts.drop(ctx, l, it, err)
	}
	if row.State != bot.ApprovalPending {
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
	}
	if reply, err := ts.cfg.Record.Reply(ctx, row.Run); err == nil && reply.State != bot.ReplyOpen {
		return ts.finishLeftover(ctx, l, it, row)
	}
	ts.cfg.Questions.Remind(ctx, a, it.Attempts > 0)
	ctx, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
}
