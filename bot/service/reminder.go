package service

import (
	"context"
	"encoding/json"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
)

// maxReminded bounds the question in a reminder.
const maxReminded = 200

// remindNote and pointNote name the notes of where the messages stand that send
// people up to an approval's buttons, for as long as its question waits: the
// reminder, and the one below somebody's words, see pointBack.
func remindNote(approval string) string { return "remind/" + approval }

func pointNote(approval string) string { return "point/" + approval }

// Remind says once, in the thread, that a question still waits; again says that an
// earlier try may have said it.
func (b *Bot) Remind(ctx context.Context, a asked, again bool) {
	row, lang := a.row, a.w.Lang
	about := a.reminded()
	if a.Effect != "" { // what is at stake
		about += " · " + effectLabel(a.Effect, lang)
	}
	card := bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Text: phrase.Say(lang,
		"bot.this_still_waits_for_a", about, place.Moment(row.Expires, b.rules.ZoneOf(a.w.Message.User)), row.ID, row.ID)}
	short, cancel := context.WithTimeout(ctx, showPatience)
	defer cancel()
	ref, err := b.postReminder(short, a, card, again)
	if err != nil {
		b.log.WarnContext(ctx, "remind", "approval", row.ID, "err", err) // once: the card itself says until when
	}
	// Said is said: a program that is stopping still notes it, or the next one
	// would remind again.
	noted, done := chore.AtTheEnd(ctx)
	defer done()
	b.notePointer(noted, remindNote(row.ID), ref)
}

// reminded is the question as a reminder has it.
func (a asked) reminded() string { return fit.Clip(fit.OneLine(fit.Visible(a.Question)), maxReminded) }

// postReminder posts a reminder, or finds the one that stands already from before
// a crash. Where that cannot be told it may stand, and none is posted.
func (b *Bot) postReminder(ctx context.Context, a asked, card bot.Card, again bool) (bot.Ref, error) {
	m, key := a.w.Message, "remind-"+a.row.ID
	to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, Title: m.Title(), User: m.User}
	adapter := b.adapters[m.Thread.Platform]
	if again {
		f, ok := adapter.(bot.Finder)
		if !ok {
			return bot.Ref{}, nil
		}
		if ref, found, err := f.Find(ctx, to, key); found || err != nil {
			return ref, err
		}
	}
	return adapter.Post(ctx, to, card, key)
}

// notePointer notes where a message stands that points at a card; nowhere with a
// zero ref.
func (b *Bot) notePointer(ctx context.Context, note string, ref bot.Ref) {
	text := ""
	if !ref.IsZero() {
		raw, err := json.Marshal(ref)
		if err != nil {
			return // a Ref is words
		}
		text = string(raw)
	}
	if err := b.cfg.Record.SetNote(ctx, note, text); err != nil {
		b.log.WarnContext(ctx, "where a message stands that points at a card is not noted", "note", note, "err", err)
	}
}

// endPointers make the messages that point at an approval's card say that its
// question is over, on platforms where a message can be changed. It is a courtesy:
// a click on the card itself is answered anyway.
func (b *Bot) endPointers(ctx context.Context, a asked) {
	b.endPointer(ctx, a, remindNote(a.row.ID), a.remindedOf())
	b.endPointer(ctx, a, pointNote(a.row.ID), fit.Paragraphs(a.lastNote(), a.remindedOf()))
}

func (b *Bot) endPointer(ctx context.Context, a asked, note, said string) {
	text, err := b.cfg.Record.Note(ctx, note)
	var ref bot.Ref
	if err != nil || text == "" || json.Unmarshal([]byte(text), &ref) != nil {
		return
	}
	short, cancel := context.WithTimeout(ctx, showPatience)
	defer cancel()
	if editor, ok := b.adapters[a.w.Message.Thread.Platform].(bot.Editor); ok {
		card := bot.Card{Kind: bot.CardNotice, Language: a.w.Lang, Final: true, Text: said}
		if _, err := editor.Edit(short, ref, card); err != nil {
			b.log.InfoContext(ctx, "a message still says that a question waits", "note", note, "err", err)
		}
	}
	b.notePointer(ctx, note, bot.Ref{})
}

// remindedOf is what a reminder says once its question is over.
func (a asked) remindedOf() string {
	switch a.row.State {
	case bot.ApprovalExpired:
		return phrase.Say(a.w.Lang, "bot.reminder_expired", a.reminded())
	case bot.ApprovalRevoked:
		return phrase.Say(a.w.Lang, "bot.reminder_withdrawn", a.reminded())
	case bot.ApprovalDecided, bot.ApprovalPending:
	}
	return phrase.Say(a.w.Lang, "bot.reminder_decided", a.reminded())
}

// endWithdrawn is endPointers for approvals that were withdrawn with their run.
func (b *Bot) endWithdrawn(ctx context.Context, ids []string) {
	for _, id := range ids {
		row, err := b.cfg.Record.ApprovalByID(ctx, id)
		if err != nil || row.State == bot.ApprovalPending {
			continue
		}
		if a, err := readAsked(row); err == nil {
			b.endPointers(ctx, a)
		}
	}
}
