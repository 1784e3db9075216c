package approval

import (
	"context"
	"encoding/json"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/place"
	"maru/phrase"
	"maru/phrase/fit"
)

// maxReminded limits the question in a reminder, in characters.
const maxReminded = 200

// remindNote and pointNote are the keys of notes with the messages that link to a pending approval's buttons: the
// reminder, and the one below a person's message, see PointBack.
func remindNote(approval string) string { return "remind/" + approval }

func pointNote(approval string) string { return "point/" + approval }

// Remind posts one reminder of a pending question in the thread; again says that an earlier attempt may have
// posted it.
func (qs *Questions) Remind(ctx context.Context, a Asked, again bool) {
	row, lang := a.Row, a.About.Lang
	about := a.reminded()
	if a.Effect != "" { // the possible effect
		about += " · " + effectLabel(a.Effect, lang)
	}
	card := bot.Card{Kind: bot.CardNotice, Language: lang, Final: true, Own: true, Text: phrase.Say(lang,
		"bot.reminder.text", about, place.Until(row.Expires, qs.rules.ZoneOf(a.About.Message.User)), row.ID, row.ID)}
	short, cancel := context.WithTimeout(ctx, ShowPatience)
	defer cancel()
	ref, err := qs.postReminder(short, a, card, again)
	if err != nil {
		qs.log.WarnContext(ctx, "remind", "approval", row.ID, "err", err) // not retried: the card shows the expiry
	}
	// The reminder is posted: record it even during shutdown, or the next process would remind again.
	noted, done := chore.AtTheEnd(ctx)
	defer done()
	qs.notePointer(noted, remindNote(row.ID), ref)
}

// reminded returns the question for a reminder.
func (a Asked) reminded() string { return fit.Clip(fit.OneLine(fit.Visible(a.Question)), maxReminded) }

// postReminder posts a reminder, or finds the one posted before a crash. If that is unknown, it posts none.
func (qs *Questions) postReminder(ctx context.Context, a Asked, card bot.Card, again bool) (bot.Ref, error) {
	m, key := a.About.Message, "remind-"+a.Row.ID
	to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, Title: m.Title(), User: m.User}
	adapter := qs.adapters[m.Thread.Platform]
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

// notePointer stores the location of a message that links to a card; a zero ref removes it.
func (qs *Questions) notePointer(ctx context.Context, note string, ref bot.Ref) {
	text := ""
	if !ref.IsZero() {
		raw, err := json.Marshal(ref)
		if err != nil {
			return // a Ref is words
		}
		text = string(raw)
	}
	if err := qs.record.SetNote(ctx, note, text); err != nil {
		qs.log.WarnContext(ctx, "store message that links to a card", "note", note, "err", err)
	}
}

// EndPointers updates the messages that link to an approval's card when its question is closed, on platforms with
// edits. Best effort: a click on the card is answered anyway.
func (qs *Questions) EndPointers(ctx context.Context, a Asked) {
	qs.endPointer(ctx, a, remindNote(a.Row.ID), a.remindedOf())
	qs.endPointer(ctx, a, pointNote(a.Row.ID), fit.Paragraphs(a.lastNote(), a.remindedOf()))
	if file, err := qs.record.Note(ctx, wholeNote(a.Row.ID)); file != "" && err == nil {
		qs.notePointer(ctx, wholeNote(a.Row.ID), bot.Ref{})
	}
}

func (qs *Questions) endPointer(ctx context.Context, a Asked, note, said string) {
	text, err := qs.record.Note(ctx, note)
	var ref bot.Ref
	if err != nil || text == "" || json.Unmarshal([]byte(text), &ref) != nil {
		return
	}
	short, cancel := context.WithTimeout(ctx, ShowPatience)
	defer cancel()
	if editor, ok := qs.adapters[a.About.Message.Thread.Platform].(bot.Editor); ok {
		card := bot.Card{Kind: bot.CardNotice, Language: a.About.Lang, Final: true, Text: said}
		if _, err := editor.Edit(short, ref, card); err != nil {
			qs.log.InfoContext(ctx, "update message that links to a card", "note", note, "err", err)
		}
	}
	qs.notePointer(ctx, note, bot.Ref{})
}

// remindedOf returns the text of a reminder after its question was closed.
func (a Asked) remindedOf() string {
	switch a.Row.State {
	case bot.ApprovalExpired:
		return phrase.Say(a.About.Lang, "bot.reminder.expired", a.reminded())
	case bot.ApprovalRevoked:
		return phrase.Say(a.About.Lang, "bot.reminder.withdrawn", a.reminded())
	case bot.ApprovalDecided, bot.ApprovalPending:
	}
	return phrase.Say(a.About.Lang, "bot.reminder.decided", a.reminded())
}

// EndWithdrawn is [Questions.EndPointers] for approvals withdrawn with their run.
func (qs *Questions) EndWithdrawn(ctx context.Context, ids []string) {
	for _, id := range ids {
		row, err := qs.record.ApprovalByID(ctx, id)
		if err != nil || row.State == bot.ApprovalPending {
			continue
		}
		if a, err := Read(row); err == nil {
			qs.EndPointers(ctx, a)
		}
	}
}
