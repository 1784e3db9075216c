package sqlitestore

import (
	"context"
	"fmt"

	"maru/memory/longterm"
)

// named returns the person's records with these ids; all of them if ids is nil.
func named(t *tx, person string, ids []string) ([]longterm.Record, error) {
	var found []longterm.Record
	err := t.each(func(row scanner) error {
		r, err := scanMemory(row)
		found = append(found, r)
		return err
	}, `SELECT `+memoryColumns+` FROM memories WHERE person = ? AND (? OR id IN (SELECT value FROM json_each(?)))`, person, flag(ids == nil), list(ids))
	return found, err
}

// Mute changes whether records are used.
func (m *Memory) Mute(ctx context.Context, person string, ids []string, muted bool) (int, error) {
	var n int64
	err := m.s.write.run(ctx, func(t *tx) (err error) {
		n, err = t.exec(`UPDATE memories SET muted = ? WHERE person = ? AND muted <> ? AND id IN (SELECT value FROM json_each(?))`,
			flag(muted), person, flag(muted), list(ids))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: mute memory: %w", err)
	}
	return int(n), nil
}

// Move puts records into another scope.
func (m *Memory) Move(ctx context.Context, person string, ids []string, scope string, fold longterm.Fold) (int, error) {
	n := 0
	err := m.s.write.run(ctx, func(t *tx) error {
		n = 0
		found, err := named(t, person, append([]string{}, ids...))
		if err != nil {
			return err
		}
		for _, r := range found {
			if r.Scope == scope {
				continue
			}
			if err := move(t, r, r.In(scope), fold); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: move memory: %w", err)
	}
	return n, nil
}

// move joins one record with the record under to's key.
func move(t *tx, from, to longterm.Record, fold longterm.Fold) error {
	for _, q := range []string{
		`UPDATE OR IGNORE memory_notes SET record = ? WHERE record = ?`,
		`UPDATE OR IGNORE memory_uses SET record = ? WHERE record = ?`,
	} {
		if _, err := t.exec(q, to.ID, from.ID); err != nil {
			return err
		}
	}
	if _, _, err := dropMemory(t, from.ID); err != nil {
		return err
	}
	if err := refold(t, to, fold); err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE memories SET muted = max(muted, ?) WHERE id = ?`, flag(from.Muted), to.ID); err != nil {
		return err
	}
	return countUses(t, to.ID)
}
