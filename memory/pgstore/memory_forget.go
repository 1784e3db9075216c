package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/memory/longterm"
)

// dropMemory removes a record with its notes and uses.
func dropMemory(ctx context.Context, tx pgx.Tx, id string) (notes, uses int, err error) {
	if _, err := tx.Exec(ctx, `DELETE FROM memories WHERE id = $1`, id); err != nil {
		return 0, 0, err
	}
	n, err := tx.Exec(ctx, `DELETE FROM memory_notes WHERE record = $1`, id)
	if err != nil {
		return 0, 0, err
	}
	u, err := tx.Exec(ctx, `DELETE FROM memory_uses WHERE record = $1`, id)
	return int(n.RowsAffected()), int(u.RowsAffected()), err
}

// Forget removes records, all of the person's if ids is nil, with lessons not yet consolidated.
func (m *Memory) Forget(ctx context.Context, person string, ids []string, at time.Time) (longterm.Receipt, error) {
	var rec longterm.Receipt
	err := m.change(ctx, "forget", person, func(ctx context.Context, tx pgx.Tx) error {
		rec = longterm.Receipt{Records: map[longterm.Kind]int{}}
		found, err := m.records(ctx, tx, `WHERE person = $1 AND ($2 OR id = ANY($3))`, person, ids == nil, cleanAll(ids))
		if err != nil {
			return err
		}
		marks := []string{""}
		if ids != nil {
			marks = nil
			rows, err := tx.Query(ctx, `SELECT DISTINCT u.run FROM memory_uses u JOIN memories m ON m.id = u.record
				WHERE m.person = $1 AND m.id = ANY($2) ORDER BY u.run`, person, cleanAll(ids))
			if err != nil {
				return err
			}
			if rec.Runs, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
				return err
			}
		}
		for _, r := range found {
			notes, uses, err := dropMemory(ctx, tx, r.ID)
			if err != nil {
				return err
			}
			rec.Records[r.Kind]++
			rec.Notes += notes
			rec.Uses += uses
			if ids != nil {
				marks = append(marks, r.ID)
			}
		}
		if ids == nil {
			tag, err := tx.Exec(ctx, `DELETE FROM jobs WHERE person = $1`, person)
			if err != nil {
				return err
			}
			rec.Jobs = int(tag.RowsAffected())
		}
		_, err = tx.Exec(ctx, `INSERT INTO memory_forgotten AS f (person, record, at) SELECT $1, unnest($2::text[]), $3
			ON CONFLICT (person, record) DO UPDATE SET at = greatest(f.at, excluded.at)`, person, marks, at)
		return err
	})
	return rec, err
}

// Unlearn removes the notes of a message.
func (m *Memory) Unlearn(ctx context.Context, message string, at time.Time, fold longterm.Fold) (int, error) {
	if message == "" {
		return 0, nil
	}
	err := m.s.try(ctx, func(ctx context.Context, _ bool) error {
		b := &pgx.Batch{}
		b.Queue(`SELECT pg_advisory_xact_lock(hashtextextended($1, 1))`, m.messageLock(message))
		b.Queue(`INSERT INTO memory_forgotten AS f (person, record, at) VALUES ('', $1, $2)
			ON CONFLICT (person, record) DO UPDATE SET at = greatest(f.at, excluded.at)`, clean(message), at)
		return m.s.batch(ctx, b)
	})
	if err != nil {
		return 0, fmt.Errorf("pgstore: withdraw a message: %w", err)
	}
	return m.strike(ctx, fold, cut{
		which:  `SELECT DISTINCT record, person FROM memory_notes WHERE message = $1 AND at <= $2`,
		args:   []any{clean(message), at},
		remove: `DELETE FROM memory_notes WHERE record = $1 AND message = $2 AND at <= $3`,
		values: []any{clean(message), at},
	})
}

// Sweep removes notes older than before.
func (m *Memory) Sweep(ctx context.Context, before time.Time, limit int, fold longterm.Fold) (int, error) {
	if _, err := m.s.changeJobs(ctx, "sweep marks of", `DELETE FROM memory_forgotten WHERE at < $1`, before); err != nil {
		return 0, err
	}
	return m.strike(ctx, fold, cut{
		which:  fmt.Sprintf(`SELECT DISTINCT record, person FROM memory_notes WHERE at < $1 LIMIT %d`, max(limit, 1)),
		args:   []any{before},
		remove: removeOlder, values: []any{before},
	})
}

// SweepPart removes notes older than before from a part of the records.
func (m *Memory) SweepPart(ctx context.Context, p longterm.Part, before time.Time, limit int, fold longterm.Fold) (int, error) {
	return m.strike(ctx, fold, cut{
		which: fmt.Sprintf(`SELECT DISTINCT n.record, n.person FROM memory_notes n JOIN memories r ON r.id = n.record
		WHERE n.at < $1 AND $2 IN ('', r.workspace) AND $3 IN ('', r.person) AND $4 IN ('', r.scope)
			AND r.workspace <> ALL(coalesce($5::text[], '{}')) AND r.scope <> ALL(coalesce($6::text[], '{}')) LIMIT %d`, max(limit, 1)),
		args:   []any{before, p.Workspace, p.Person, p.Scope, p.NotWorkspaces, p.NotScopes},
		remove: removeOlder, values: []any{before},
	})
}

const removeOlder = `DELETE FROM memory_notes WHERE record = $1 AND at < $2`

// cut selects a subset of notes: which finds the affected records, remove deletes the notes of one record, whose id
// goes before values.
type cut struct {
	which  string
	args   []any
	remove string
	values []any
}

// strike deletes a subset of notes, person by person, and folds the rest of their records.
func (m *Memory) strike(ctx context.Context, fold longterm.Fold, c cut) (int, error) {
	type owned struct{ Record, Person string }
	found, err := all(ctx, m.s, pgx.RowToStructByPos[owned], c.which, c.args...)
	if err != nil {
		return 0, fmt.Errorf("pgstore: unlearn: %w", err)
	}
	for i, o := range found {
		err := m.change(ctx, "unlearn", o.Person, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, c.remove, append([]any{o.Record}, c.values...)...); err != nil {
				return err
			}
			return m.refold(ctx, tx, longterm.Record{ID: o.Record}, fold)
		})
		if err != nil {
			return i, err
		}
	}
	return len(found), nil
}
