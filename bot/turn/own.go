package turn

import (
	"context"

	"maru/bot"
	"maru/bot/approval"
	"maru/phrase"
	"maru/phrase/intent"
)

// fixedAnswer returns a fixed answer to a message that needs no agent, "" otherwise.
func (ts *Turns) fixedAnswer(ctx context.Context, m bot.Message, lang string, x *extras) (text string, err error) {
	if m.Schedule != nil || asksTalk(ts, m, nil) {
		return "", nil
	}
	if ts.cfg.Schedules != nil {
		if text, x.buttons, err = ts.cfg.Schedules.Decided(ctx, m, lang); text != "" || err != nil {
			return text, err
		}
	}
	switch {
	case intent.Stops(m.Text): // runs were stopped on arrival: see inbox.Intake.Message
		return phrase.Say(lang, "bot.stop.nothing"), nil
	case len(m.Files) > 0:
		return "", nil
	}
	if text, x.buttons, err = ts.cfg.Notes.Hear(ctx, m, lang); text != "" || err != nil {
		return text, err
	}
	if text, x.buttons, err = ts.cfg.Self.Answer(ctx, m, lang); text != "" || err != nil {
		return text, err
	}
	switch {
	case approval.OnlyDecides(m.Text):
		return ts.noticeNothingPending(ctx, m, lang)
	case ts.cfg.Schedules != nil:
		text, x.buttons, err = ts.cfg.Schedules.Offer(ctx, m, lang)
		return text, err
	}
	return "", nil
}
