package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"maru/memory/longterm"
)

// change runs work in a transaction under the person's lock. Work is retried after a lost connection and must be
// idempotent.
func (m *Memory) change(ctx context.Context, what, person string, work func(ctx context.Context, tx pgx.Tx) error) error {
	err := m.s.try(ctx, func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, m.s.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "maru/memory/"+m.s.cfg.Schema+"/"+person); err != nil {
				return err
			}
			return work(ctx, tx)
		})
	})
	if err != nil {
		return fmt.Errorf("pgstore: %s memory: %w", what, err)
	}
	return nil
}

// Learn adds a note to its record and folds it.
func (m *Memory) Learn(ctx context.Context, r longterm.Record, n longterm.Note, fold longterm.Fold) (bool, error) {
	var added bool
	err := m.change(ctx, "learn", r.Person, func(ctx context.Context, tx pgx.Tx) error {
		// A concurrent Unlearn of the message waits, and then finds the note.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 1))`, m.messageLock(n.Message)); err != nil {
			return err
		}
		// xmax is 0 in an inserted row and not in an updated one.
		err := tx.QueryRow(ctx, `INSERT INTO memory_notes AS n (record, session, person, at, message, data)
			SELECT $1, $2, $3, $4, $5, $6 WHERE NOT EXISTS (
				SELECT 1 FROM memory_forgotten WHERE (person = $3 AND record IN ('', $1) OR person = '' AND record = $5) AND at >= $4::timestamptz)
			ON CONFLICT (record, session) DO UPDATE SET at = excluded.at, message = excluded.message, data = excluded.data
				WHERE (excluded.at, excluded.data) < (n.at, n.data)
			RETURNING xmax = 0`, r.ID, clean(n.Session), r.Person, n.At, clean(n.Message), []byte(n.Data)).Scan(&added)
		if errors.Is(err, pgx.ErrNoRows) { // known already, or forgotten
			added = false
			return nil
		}
		if err != nil {
			return err
		}
		return m.refold(ctx, tx, r, fold)
	})
	return added, err
}

// refold computes a record from its notes and removes it if none are left. r identifies the record if it is new.
func (m *Memory) refold(ctx context.Context, tx pgx.Tx, r longterm.Record, fold longterm.Fold) error {
	have, err := m.records(ctx, tx, `WHERE id = $1`, r.ID)
	if err != nil {
		return err
	}
	if len(have) == 1 {
		r = have[0]
	}
	rows, err := tx.Query(ctx, `SELECT * FROM (SELECT session, at, message, data FROM memory_notes WHERE record = $1
		ORDER BY at DESC, session DESC LIMIT $2) AS newest ORDER BY at, session`, r.ID, longterm.MaxNotes)
	if err != nil {
		return err
	}
	notes, err := pgx.CollectRows(rows, scanNote)
	if err != nil {
		return err
	}
	if len(notes) == 0 {
		_, _, err := dropMemory(ctx, tx, r.ID)
		return err
	}
	if r, err = fold(r, notes); err != nil {
		return err
	}
	r.First, r.Last = notes[0].At, notes[len(notes)-1].At
	return m.put(ctx, tx, r)
}

// records reads records within a transaction.
func (m *Memory) records(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]longterm.Record, error) {
	rows, err := tx.Query(ctx, `SELECT `+m.columns()+` FROM memories `+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, m.scanMemory)
}

// put writes a record.
func (m *Memory) put(ctx context.Context, tx pgx.Tx, r longterm.Record) error {
	_, err := tx.Exec(ctx, `INSERT INTO memories (`+memoryColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
		ON CONFLICT (id) DO UPDATE SET text = excluded.text, data = excluded.data, terms = excluded.terms, raw = excluded.raw,
			samples = excluded.samples, first = excluded.first, last = excluded.last, muted = excluded.muted,
			uses = excluded.uses, used = excluded.used, used_in = excluded.used_in`,
		r.ID, r.Workspace, r.Person, r.Scope, string(r.Kind), r.Key, clean(r.Text), []byte(r.Data), cleanAll(r.Terms), r.Raw, r.Samples,
		r.First, r.Last, r.Muted, r.Uses, stamp(r.Used), r.UsedIn)
	if err != nil || m.s.vectors == "" || len(r.Vector) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE memories SET embedding = $2::text::`+m.s.vectors+`.vector WHERE id = $1`, r.ID, formatVector(r.Vector))
	return err
}

// countUses updates the use counts of records.
func countUses(ctx context.Context, tx pgx.Tx, ids []string) error {
	_, err := tx.Exec(ctx, `UPDATE memories m SET uses = (SELECT count(*) FROM memory_uses WHERE record = m.id),
		used = (SELECT max(at) FROM memory_uses WHERE record = m.id),
		used_in = coalesce((SELECT scope FROM memory_uses WHERE record = m.id ORDER BY at DESC LIMIT 1), '') WHERE id = ANY($1)`, ids)
	return err
}

// Use counts uses.
func (m *Memory) Use(ctx context.Context, person string, uses []longterm.Use) error {
	return m.change(ctx, "note uses of", person, func(ctx context.Context, tx pgx.Tx) error {
		var ids []string
		for _, u := range uses {
			tag, err := tx.Exec(ctx, `INSERT INTO memory_uses (record, run, scope, at) SELECT id, $1, $2, $3 FROM memories WHERE id = $4 AND person = $5
				ON CONFLICT DO NOTHING`, clean(u.Run), clean(u.Scope), u.At, u.Record, person)
			if err != nil {
				return err
			}
			if tag.RowsAffected() > 0 {
				ids = append(ids, u.Record)
			}
		}
		return countUses(ctx, tx, ids)
	})
}

// messageLock returns the lock key of a message's notes.
func (m *Memory) messageLock(message string) string {
	return "maru/message/" + m.s.cfg.Schema + "/" + message
}
