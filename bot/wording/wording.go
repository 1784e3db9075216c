// Package wording knows which text of an edited question a run answers, so that an edit is answered once
// (`on_edit: again`). It is not what applies an edit: see [maru/bot/inbox] and [maru/bot/turn].
package wording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/bot"
)

// Record is the part of the record that is read.
type Record interface {
	bot.Notes
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
}

// Of identifies the wording of a message: equal texts have equal wordings.
func Of(text string) string { return bot.Digest([]byte(text))[:8] }

// Begin stores the wording of an edited question that the run of an item begins with.
func Begin(ctx context.Context, r Record, m bot.Message, item string) error {
	if m.Revision == "" { // the original
		return nil
	}
	if err := r.SetNote(ctx, bot.NoteWorded+m.Key(), m.Revision+" "+item); err != nil {
		return fmt.Errorf("note the wording: %w", err)
	}
	return nil
}

// Unanswered reports whether a question has an answer, and none to the text of a change, which is its present one. The
// change's item has its turn behind the question, so the answer is final, whenever it came and whoever gave it.
func Unanswered(ctx context.Context, r Record, it bot.Item, c bot.Change) (bool, error) {
	key := bot.Message{ID: c.Message, Thread: c.Thread}.Key()
	_, err := r.Entry(ctx, it.Thread, bot.RunID(key))
	if errors.Is(err, bot.ErrNotFound) { // its run will read the present text
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	if e, err := r.Entry(ctx, it.Thread, key); err != nil || e.Text != c.Text { // a later change has its own turn
		return false, err
	}
	note, err := r.Note(ctx, bot.NoteWorded+key)
	if err != nil {
		return false, fmt.Errorf("read note: %w", err)
	}
	worded, by, _ := strings.Cut(note, " ")
	return cmp.Or(worded, c.Before) != Of(c.Text) || by == it.ID, nil // by: an attempt before this one
}
