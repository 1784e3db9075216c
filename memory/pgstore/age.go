package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

// SettingsNamed lists all values of a key, of workspaces, channels, threads and people.
func (s *Store) SettingsNamed(ctx context.Context, key string) ([]bot.Setting, error) {
	list, err := all(ctx, s, scanSetting, `SELECT place, key, value, setter, at FROM settings WHERE key = $1 ORDER BY place`, key)
	if err != nil {
		return nil, fmt.Errorf("pgstore: settings named %s: %w", key, err)
	}
	return list, nil
}

// Aged lists threads with old entries.
func (s *Store) Aged(ctx context.Context, q bot.AgedQuery) ([]string, error) {
	keys, err := all(ctx, s, pgx.RowTo[string], `SELECT key FROM threads t
		WHERE known AND ($1 IN ('', key) OR starts_with(key, $1 || '/')) AND key > $2
			AND EXISTS (SELECT 1 FROM entries WHERE thread = t.key AND at < $3 AND ($4 = '' OR NOT own AND person = $4))
		ORDER BY key LIMIT $5`, q.Place, q.After, q.Before, q.User, bound(q.Limit))
	return keys, wrap("threads with old entries", err)
}

// sqlOld selects the old entries of a thread, except those of waiting items.
const sqlOld = `SELECT e.id FROM entries e WHERE e.thread = $1 AND e.at < $3 AND ($2 = '' OR NOT e.own AND e.person = $2)
	AND NOT EXISTS (SELECT 1 FROM approvals a LEFT JOIN replies r ON r.run = a.run
		WHERE a.thread = $1 AND a.state = 'pending' AND (r.item = e.id OR a.run = e.run)) ORDER BY e.at, e.seq`

// Old lists the old entries of a thread.
func (s *Store) Old(ctx context.Context, thread, user string, before time.Time) (old []string, rest bool, err error) {
	if old, err = all(ctx, s, pgx.RowTo[string], sqlOld, thread, user, before); err == nil {
		rest, err = one(ctx, s, pgx.RowTo[bool], `SELECT EXISTS (SELECT 1 FROM entries WHERE thread = $1 AND id <> ALL(coalesce($2::text[], '{}'))
			AND NOT (own AND run IN (SELECT run FROM replies WHERE thread = $1 AND item = ANY($2))))`, thread, old)
	}
	if err != nil {
		return nil, false, fmt.Errorf("pgstore: old entries: %w", err)
	}
	return old, rest, nil
}

// Expire removes the old entries of a leased thread and their results. It is idempotent.
func (s *Store) Expire(ctx context.Context, l bot.Lease, user string, before time.Time) (int, error) {
	n := 0
	err := s.tx(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		n, err = expire(ctx, tx, l, user, before)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("pgstore: expire: %w", err)
	}
	return n, nil
}

func expire(ctx context.Context, tx pgx.Tx, l bot.Lease, user string, before time.Time) (int, error) {
	texts := func(query string, args ...any) ([]string, error) {
		rows, err := tx.Query(ctx, query, args...)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[string])
	}
	held, err := texts(`SELECT key FROM threads WHERE key = $1 AND token = $2 AND owner <> '' FOR UPDATE`, l.Thread, l.Token)
	if err != nil {
		return 0, err
	}
	if len(held) == 0 {
		return 0, bot.ErrFenced
	}
	old, err := texts(sqlOld, l.Thread, user, before)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	runs, err := texts(`SELECT run FROM replies WHERE thread = $1 AND item = ANY($2)
		UNION SELECT run FROM entries WHERE thread = $1 AND own AND run <> '' AND id = ANY($2)`, l.Thread, old)
	if err != nil {
		return 0, err
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE threads SET title = '' WHERE key = $1 AND (SELECT id FROM entries WHERE thread = $1 AND NOT own ORDER BY at, seq LIMIT 1) = ANY($2)`, l.Thread, old)
	for _, q := range []string{
		`DELETE FROM entries WHERE thread = $1 AND own AND run = ANY($2)`, `DELETE FROM replies WHERE thread = $1 AND run = ANY($2)`,
		`DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWhole + `' || id FROM approvals WHERE thread = $1 AND state <> 'pending' AND run = ANY($2))`,
		`DELETE FROM runs WHERE thread = $1 AND id = ANY($2)`, `DELETE FROM approvals WHERE thread = $1 AND state <> 'pending' AND run = ANY($2)`,
		`DELETE FROM ratings WHERE thread = $1 AND run = ANY($2)`, `DELETE FROM artifacts WHERE thread = $1 AND run = ANY($2)`,
	} {
		b.Queue(q, l.Thread, runs)
	}
	b.Queue(sqlDropExchanges, l.Thread)
	b.Queue(`UPDATE items SET body = NULL WHERE thread = $1 AND state <> 0 AND id = ANY($2)`, l.Thread, old)
	b.Queue(`DELETE FROM entries WHERE thread = $1 AND id = ANY($2)`, l.Thread, old)
	b.Queue(`DELETE FROM notes WHERE key IN (SELECT '`+bot.NoteWorded+`' || id FROM unnest($1::text[]) AS id)`, old)
	// The item being processed is the only one that may be pending in a thread that is over.
	b.Queue(`WITH over AS (UPDATE threads SET known = false, title = '', updated = now() WHERE key = $1
			AND NOT EXISTS (SELECT 1 FROM entries WHERE thread = $1) AND NOT EXISTS (SELECT 1 FROM approvals WHERE thread = $1 AND state = 'pending')
			AND (SELECT count(*) FROM items WHERE thread = $1 AND state = 0) <= 1 RETURNING key)
		DELETE FROM settings WHERE place IN (SELECT key FROM over)`, l.Thread)
	return len(old), tx.SendBatch(ctx, b).Close()
}
