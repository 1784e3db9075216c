package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"maru/bot"
	"maru/bot/chore"
)

// heardNote returns the key of a note with the run of a message and the questions that it answers. After a crash the message must mean
// the same: some of the questions are decided by then, and the numbers of the others have changed. A thread has one such note,
// since its messages are processed one after another; the next replaces one that was left.
func heardNote(m bot.Message) string { return bot.NoteHeard + m.Thread.Key() }

// noteHeard stores the questions that a message is about, before it decides or is answered.
func noteHeard(ctx context.Context, qs *Questions, m bot.Message, rows []bot.Approval) error {
	ids := []string{m.Run()}
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	if err := qs.record.SetNote(ctx, heardNote(m), strings.Join(ids, " ")); err != nil {
		return fmt.Errorf("note what a message is about: %w", err)
	}
	return nil
}

// heard returns the questions that a process had heard a message to be about when it died, decided ones included.
func heard(ctx context.Context, qs *Questions, m bot.Message) ([]bot.Approval, error) {
	note, err := qs.record.Note(ctx, heardNote(m))
	if err != nil {
		return nil, fmt.Errorf("read note: %w", err)
	}
	run, ids, _ := strings.Cut(note, " ")
	if run != m.Run() {
		return nil, nil
	}
	var rows []bot.Approval
	for _, id := range strings.Fields(ids) {
		row, err := qs.record.ApprovalByID(ctx, id)
		switch {
		case errors.Is(err, bot.ErrNotFound): // its thread was forgotten meanwhile
		case err != nil:
			return nil, fmt.Errorf("read approval: %w", err)
		default:
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// EndHeard removes the note of a message about questions, unless finishing its item failed. It returns that error.
func EndHeard(ctx context.Context, qs *Questions, m bot.Message, finished error) error {
	if finished != nil {
		return finished
	}
	end, cancel := chore.AtTheEnd(ctx)
	defer cancel()
	if err := qs.record.SetNote(end, heardNote(m), ""); err != nil {
		qs.log.WarnContext(ctx, "remove note of a message about a question", "run", m.Run(), "err", err)
	}
	return nil
}
