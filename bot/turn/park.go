package turn

import (
	"context"
	"fmt"
	"slices"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/parking"
	"maru/bot/reply"
	"maru/phrase"
)

// parkOrGiveUp parks an item that crashed processes, or gives up on one that failed too often. It returns false if it does
// neither.
func parkOrGiveUp(ctx context.Context, ts *Turns, l bot.Lease, it bot.Item) (bool, error) {
	if ts.cfg.Deaths != nil {
		if deadly, err := ts.cfg.Deaths.Parks(ctx, it); err != nil {
			return false, err
		} else if deadly && !asksAlready(ctx, ts, it) {
			if err := park(ctx, ts, l, it); err != nil {
				return true, err
			}
			last, cancel := chore.AtTheEnd(ctx) // whoever clicked meanwhile was told that it is retried
			defer cancel()
			return true, ts.cfg.Deaths.Parked(last, it)
		}
	}
	if spent, err := ts.cfg.Tries.Spent(ctx, it); err != nil || !spent {
		return false, err
	}
	return true, ts.giveUp(ctx, l, it)
}

// asksAlready reports whether a message's run has committed its questions, so that only the item remains to be finished.
func asksAlready(ctx context.Context, ts *Turns, it bot.Item) bool {
	if it.Kind != bot.ItemMessage {
		return false
	}
	m, _, ok, err := ts.owedBy(ctx, it)
	if err != nil || !ok {
		return false
	}
	open, err := ts.cfg.Questions.StillAsked(ctx, it.Thread, m.Run())
	return err == nil && len(open) > 0
}

// placeParked names the parking notice among the messages of a reply.
const placeParked = "parked"

// park parks an item that crashed processes. Its reply says so and stays open for the next attempt. Pending questions of
// the run stay pending.
func park(ctx context.Context, ts *Turns, l bot.Lease, it bot.Item) error {
	ts.cfg.Log.ErrorContext(ctx, "item parked: the process died with it again and again", "item", it.ID, "item_kind", it.Kind, "thread", it.Thread, "tries", it.Attempts)
	out := bot.Outcome{Park: true, Why: "its process died again and again"}
	if row, o, ok, err := ts.offeredBy(ctx, it); err != nil {
		return err
	} else if ok {
		ts.cfg.Observe.Finished("", parking.Why, ts.cfg.Now().Sub(it.At))
		return parkOffer(ctx, ts, l, it, row, o, out)
	}
	m, lang, ok, err := ts.owedBy(ctx, it)
	if err != nil {
		return err
	}
	if err := keepSteps(ctx, ts, it, m, ok); err != nil {
		return err
	}
	if !ok || ts.cfg.Adapters[m.Thread.Platform] == nil {
		ts.cfg.Observe.Finished("", parking.Why, ts.cfg.Now().Sub(it.At))
		return ts.cfg.Record.Finish(ctx, l, it.ID, out)
	}
	past, err := ts.cfg.Questions.History(ctx, it.Thread, m.Run())
	if err != nil {
		return err
	}
	p, err := ts.cfg.Replies.Begin(ctx, l, it, m, reply.Look{Lang: lang, History: past, Still: true})
	if err != nil {
		return err
	}
	defer p.Settled(ctx)
	defer p.Close()
	if p.Delivered { // the crash came between delivery and commit
		return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{Reply: &p.Row, Jobs: p.Owed(ctx)})
	}
	card := parking.Notice(it.ID, lang)
	card.Run, card.Fields = p.Run, past
	p.MoveBelow(placeParked)
	reply, err := p.Settle(ctx, card, bot.ReplyOpen)
	if err != nil {
		return err
	}
	if ctx.Err() != nil && reply.State == bot.ReplyFailed {
		return context.Cause(ctx)
	}
	reply.State = bot.ReplyOpen // the run is not over, even if the notice could not be posted
	out.Reply, out.Jobs = &reply, p.Owed(ctx)
	ts.ended(ctx, p.Run, bot.RunWaiting)
	ts.cfg.Observe.Finished("", parking.Why, ts.cfg.Now().Sub(m.At))
	ctx, cancel := chore.AtTheEnd(ctx) // the notice is posted: commit even during shutdown
	defer cancel()
	return ts.cfg.Record.Finish(ctx, l, it.ID, out)
}

// keepSteps has later runs of a thread leave its log to the run of an item that is about to rest there.
func keepSteps(ctx context.Context, ts *Turns, it bot.Item, m bot.Message, answers bool) error {
	if answers {
		log, err := ts.cfg.Record.Note(ctx, bot.NoteAside+m.Run())
		if err != nil {
			return fmt.Errorf("read note: %w", err)
		}
		if log != "" { // it has a log of its own
			return nil
		}
	} else if it.Kind != bot.ItemChange { // an edited message may be answered again
		return nil
	}
	return ts.cfg.Deaths.Rested(ctx, it.Thread, it.ID)
}

// besideParked has a turn run in a log of its own if the run of a parked item keeps its steps in the thread's.
func besideParked(ctx context.Context, ts *Turns, it bot.Item, t turn) (turn, error) {
	if ts.cfg.Deaths == nil {
		return t, nil
	}
	items, err := ts.cfg.Deaths.Resting(ctx, it.Thread)
	if err != nil || !slices.ContainsFunc(items, func(item string) bool { return item != it.ID }) {
		return t, err
	}
	t.parked = true
	t.log, err = ts.asideLog(ctx, t.m)
	return t, err
}

// parkOffer parks an item that adds offered files. The notice is posted below the reply with the
// button.
func parkOffer(ctx context.Context, ts *Turns, l bot.Lease, it bot.Item, row bot.Approval, o offered, out bot.Outcome) error {
	card := parking.Notice(it.ID, o.Lang)
	card.Run, card.Text = row.Run, phrase.Say(o.Lang, "parking.files")
	adapter := ts.cfg.Adapters[o.Thread.Platform]
	if adapter == nil {
		return ts.cfg.Record.Finish(ctx, l, it.ID, out)
	}
	to, key := bot.Target{Thread: o.Thread, User: o.User}, placeParked+"-"+bot.RunID(it.ID)
	err := ts.cfg.Replies.Patiently(ctx, it.Thread, func(ctx context.Context) error {
		if f, ok := adapter.(bot.Finder); ok { // posted by an earlier attempt
			if _, found, err := f.Find(ctx, to, key); found || err != nil {
				return err
			}
		}
		_, err := adapter.Post(ctx, to, card, key)
		return err
	})
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		ts.cfg.Log.WarnContext(ctx, "say that an item is parked", "item_kind", it.Kind, "err", err)
	}
	if err := ts.cfg.Record.Finish(ctx, l, it.ID, out); err != nil {
		return fmt.Errorf("park item: %w", err)
	}
	return nil
}
