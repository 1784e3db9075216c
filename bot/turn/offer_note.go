package turn

import (
	"context"

	"maru/bot"
)

// passOver ends an overheard message that is for other people. Where the channel wants it, a statement that holds from now
// on is offered as a note.
func passOver(ctx context.Context, ts *Turns, l bot.Lease, it bot.Item, m bot.Message) error {
	set, err := ts.rules.Settings(ctx, m.Thread, m.User)
	if err != nil {
		return err
	}
	if set.NoteOffers {
		lang := ts.rules.Language(ctx, m.Thread, m.User, m.Text)
		text, buttons, err := ts.notes.Offer(ctx, m, lang)
		if err != nil {
			return err
		}
		if text != "" {
			return ts.tell(ctx, l, it, m, text, buttons...)
		}
	}
	return ts.record.Finish(ctx, l, it.ID, bot.Outcome{})
}

// offerNote is the offer of [passOver] below the answer to a statement that was made to the bot.
func (c conclusion) offerNote(ctx context.Context, ts *Turns) {
	if !c.set.NoteOffers || c.extras.own || !c.fresh() || c.m.Schedule != nil {
		return
	}
	text, buttons, err := ts.notes.Offer(ctx, c.m, c.lang)
	if err != nil { // an answer without the offer is still one
		ts.log.WarnContext(ctx, "offer a note", "run", c.p.Run, "err", err)
	}
	if text != "" {
		c.extras.missing += "\n\n" + text
		c.extras.buttons = append(c.extras.buttons, buttons...)
	}
}
