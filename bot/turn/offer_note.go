package turn

import (
	"context"

	"maru/bot"
)

// finishOverheard finishes an overheard message that is for other people, or was stopped. If the channel's settings allow it, a
// lasting statement is offered as a note unless it was stopped.
func finishOverheard(ctx context.Context, ts *Turns, l bot.Lease, it bot.Item, m bot.Message) error {
	set, err := ts.cfg.Rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return err
	}
	if err := rollBack(ctx, ts, it, m, stopCause(it.Stopped)); err != nil {
		return err
	}
	if set.NoteOffers && it.Stopped == "" {
		lang := ts.cfg.Rules.Language(ctx, m.Thread, m.User, m.Text)
		text, buttons, err := ts.cfg.Notes.Offer(ctx, m, lang)
		if err != nil {
			return err
		}
		if text != "" {
			return ts.tell(ctx, l, it, m, text, buttons...)
		}
	}
	return ts.cfg.Record.Finish(ctx, l, it.ID, bot.Outcome{})
}

// offerNote adds the offer of [Turns.finishOverheard] to the answer to a statement addressed to the bot.
func (c conclusion) offerNote(ctx context.Context, ts *Turns) {
	if !c.set.NoteOffers || c.extras.own || !c.fresh() || c.m.Schedule != nil {
		return
	}
	text, buttons, err := ts.cfg.Notes.Offer(ctx, c.m, c.lang)
	if err != nil { // answer without the offer
		ts.cfg.Log.WarnContext(ctx, "offer a note", "run", c.p.Run, "err", err)
	}
	if text != "" {
		c.extras.missing += "\n\n" + text
		c.extras.buttons = append(c.extras.buttons, buttons...)
	}
}
