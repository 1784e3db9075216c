package sqlitestore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"maru/memory/longterm"
)

// dropMemory removes a record with its notes and uses.
func dropMemory(t *tx, id string) (notes, uses int, err error) {
	for _, q := range []string{`DELETE FROM memories WHERE id = ?`, `DELETE FROM memory_terms WHERE record = ?`} {
		if _, err := t.exec(q, id); err != nil {
			return 0, 0, err
		}
	}
	n, err := t.exec(`DELETE FROM memory_notes WHERE record = ?`, id)
	if err != nil {
		return 0, 0, err
	}
	u, err := t.exec(`DELETE FROM memory_uses WHERE record = ?`, id)
	return int(n), int(u), err
}

// Forget removes records, all of the person's if ids is nil, with lessons not yet consolidated.
func (m *Memory) Forget(ctx context.Context, person string, ids []string, at time.Time) (longterm.Receipt, error) {
	var rec longterm.Receipt
	err := m.s.write.run(ctx, func(t *tx) error {
		rec = longterm.Receipt{Records: map[longterm.Kind]int{}}
		found, err := named(t, person, ids)
		if err != nil {
			return err
		}
		for _, r := range found {
			if ids != nil {
				if err := t.each(func(row scanner) error {
					run, err := scanText(row)
					rec.Runs = append(rec.Runs, run)
					return err
				}, `SELECT run FROM memory_uses WHERE record = ? ORDER BY run`, r.ID); err != nil {
					return err
				}
			}
			notes, uses, err := dropMemory(t, r.ID)
			if err != nil {
				return err
			}
			rec.Records[r.Kind]++
			rec.Notes += notes
			rec.Uses += uses
			if ids != nil {
				if err := markForgotten(t, person, r.ID, at); err != nil {
					return err
				}
			}
		}
		if ids != nil {
			slices.Sort(rec.Runs)
			rec.Runs = slices.Compact(rec.Runs)
			return nil
		}
		jobs, err := t.exec(`DELETE FROM jobs WHERE person = ?`, person)
		if err != nil {
			return err
		}
		rec.Jobs = int(jobs)
		return markForgotten(t, person, "", at)
	})
	return rec, wrap("forget memory", err)
}

func markForgotten(t *tx, person, record string, at time.Time) error {
	_, err := t.exec(`INSERT INTO memory_forgotten (person, record, at) VALUES (?, ?, ?)
		ON CONFLICT (person, record) DO UPDATE SET at = max(at, excluded.at)`, person, record, micros(at))
	return err
}

// Unlearn removes the notes of a message.
func (m *Memory) Unlearn(ctx context.Context, message string, at time.Time, fold longterm.Fold) (int, error) {
	if message == "" {
		return 0, nil
	}
	err := m.s.write.run(ctx, func(t *tx) error { return markForgotten(t, "", message, at) })
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: unlearn: %w", err)
	}
	return m.strike(ctx, fold, cut{
		which:  `SELECT DISTINCT record FROM memory_notes WHERE message = ? AND at <= ?`,
		args:   []any{message, micros(at)},
		remove: `DELETE FROM memory_notes WHERE record = ? AND message = ? AND at <= ?`,
		values: []any{message, micros(at)},
	})
}

// Sweep removes notes older than before.
func (m *Memory) Sweep(ctx context.Context, before time.Time, limit int, fold longterm.Fold) (int, error) {
	n, err := m.strike(ctx, fold, cut{
		which:  fmt.Sprintf(`SELECT DISTINCT record FROM memory_notes WHERE at < ? LIMIT %d`, max(limit, 1)),
		args:   []any{micros(before)},
		remove: removeOlder, values: []any{micros(before)},
	})
	if err != nil {
		return 0, err
	}
	err = m.s.write.run(ctx, func(t *tx) error {
		_, err := t.exec(`DELETE FROM memory_forgotten WHERE at < ?`, micros(before))
		return err
	})
	return n, err
}

// SweepPart removes notes older than before from a part of the records.
func (m *Memory) SweepPart(ctx context.Context, p longterm.Part, before time.Time, limit int, fold longterm.Fold) (int, error) {
	return m.strike(ctx, fold, cut{
		which: fmt.Sprintf(`SELECT DISTINCT n.record FROM memory_notes n JOIN memories r ON r.id = n.record
		WHERE n.at < ? AND ? IN ('', r.workspace) AND ? IN ('', r.person) AND ? IN ('', r.scope)
			AND r.workspace NOT IN (SELECT value FROM json_each(?)) AND r.scope NOT IN (SELECT value FROM json_each(?)) LIMIT %d`, max(limit, 1)),
		args:   []any{micros(before), p.Workspace, p.Person, p.Scope, list(p.NotWorkspaces), list(p.NotScopes)},
		remove: removeOlder, values: []any{micros(before)},
	})
}

const removeOlder = `DELETE FROM memory_notes WHERE record = ? AND at < ?`

// cut selects a subset of notes: which finds the affected records, remove deletes the notes of one record, whose id
// goes before values.
type cut struct {
	which  string
	args   []any
	remove string
	values []any
}

// strike deletes a subset of notes and folds the rest of their records.
func (m *Memory) strike(ctx context.Context, fold longterm.Fold, c cut) (int, error) {
	n := 0
	err := m.s.write.run(ctx, func(t *tx) error {
		var ids []string
		err := t.each(func(row scanner) error {
			var id string
			err := row.Scan(&id)
			ids = append(ids, id)
			return err
		}, c.which, c.args...)
		if err != nil {
			return err
		}
		n = len(ids)
		for _, id := range ids {
			if _, err := t.exec(c.remove, append([]any{id}, c.values...)...); err != nil {
				return err
			}
			if err := refold(t, longterm.Record{ID: id}, fold); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: unlearn: %w", err)
	}
	return n, nil
}
