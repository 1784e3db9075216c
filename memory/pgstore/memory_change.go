package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"maru/memory/longterm"
)

// Mute changes whether records are used.
func (m *Memory) Mute(ctx context.Context, person string, ids []string, muted bool) (int, error) {
	n := 0
	err := m.change(ctx, "mute", person, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE memories SET muted = $3 WHERE person = $1 AND id = ANY($2) AND muted <> $3`, person, cleanAll(ids), muted)
		n = int(tag.RowsAffected())
		return err
	})
	return n, err
}

// Move puts records into another scope.
func (m *Memory) Move(ctx context.Context, person string, ids []string, scope string, fold longterm.Fold) (int, error) {
	n := 0
	err := m.change(ctx, "move", person, func(ctx context.Context, tx pgx.Tx) error {
		found, err := m.records(ctx, tx, `WHERE person = $1 AND id = ANY($2) AND scope <> $3`, person, cleanAll(ids), scope)
		if err != nil {
			return err
		}
		n = len(found)
		for _, r := range found {
			if err := m.move(ctx, tx, r, r.In(scope), fold); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// move joins one record with the record under to's key.
func (m *Memory) move(ctx context.Context, tx pgx.Tx, from, to longterm.Record, fold longterm.Fold) error {
	for _, q := range []string{
		`INSERT INTO memory_notes (record, session, person, at, message, data)
			SELECT $1, session, person, at, message, data FROM memory_notes WHERE record = $2 ON CONFLICT DO NOTHING`,
		`INSERT INTO memory_uses (record, run, scope, at) SELECT $1, run, scope, at FROM memory_uses WHERE record = $2 ON CONFLICT DO NOTHING`,
	} {
		if _, err := tx.Exec(ctx, q, to.ID, from.ID); err != nil {
			return err
		}
	}
	if _, _, err := dropMemory(ctx, tx, from.ID); err != nil {
		return err
	}
	if err := m.refold(ctx, tx, to, fold); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE memories SET muted = muted OR $2 WHERE id = $1`, to.ID, from.Muted); err != nil {
		return err
	}
	return countUses(ctx, tx, []string{to.ID})
}
