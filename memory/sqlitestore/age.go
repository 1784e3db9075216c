package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"maru/bot"
)

// SettingsNamed lists all values of a key, of workspaces, channels, threads and people.
func (s *Store) SettingsNamed(ctx context.Context, key string) ([]bot.Setting, error) {
	return all(ctx, s, "settings named "+key, scanSetting, `SELECT place, key, value, setter, at FROM settings WHERE key = ? ORDER BY place`, key)
}

// Aged lists threads with old entries. "0" follows "/".
func (s *Store) Aged(ctx context.Context, q bot.AgedQuery) ([]string, error) {
	return all(ctx, s, "threads with old entries", scanText, `SELECT key FROM threads t
		WHERE known = 1 AND (?1 IN ('', key) OR key >= ?1 || '/' AND key < ?1 || '0') AND key > ?2
			AND EXISTS (SELECT 1 FROM entries WHERE thread = t.key AND at < ?3 AND (?4 = '' OR own = 0 AND user = ?4))
		ORDER BY key LIMIT 0 + ?5`, q.Place, q.After, micros(q.Before), q.User, bound(q.Limit))
}

// sqlOld selects the old entries of a thread, except those of waiting items.
const sqlOld = `SELECT e.id FROM entries e WHERE e.thread = ?1 AND e.at < ?3 AND (?2 = '' OR e.own = 0 AND e.user = ?2)
	AND NOT EXISTS (SELECT 1 FROM approvals a LEFT JOIN replies r ON r.run = a.run
		WHERE a.thread = ?1 AND a.state = 'pending' AND (r.item = e.id OR a.run = e.run)) ORDER BY e.at, e.seq`

// Old lists the old entries of a thread.
func (s *Store) Old(ctx context.Context, thread, user string, before time.Time) (old []string, rest bool, err error) {
	if old, err = all(ctx, s, "old entries", scanText, sqlOld, thread, user, micros(before)); err == nil {
		rest, err = one(ctx, s, scanFlag, `SELECT EXISTS (SELECT 1 FROM entries WHERE thread = ?1 AND id NOT IN (SELECT value FROM json_each(?2))
			AND NOT (own = 1 AND run IN (SELECT run FROM replies WHERE thread = ?1 AND item IN (SELECT value FROM json_each(?2)))))`, thread, list(old))
	}
	if err != nil {
		return nil, false, err
	}
	return old, rest, nil
}

// scanFlag reads a boolean.
func scanFlag(r scanner) (bool, error) {
	var v bool
	err := r.Scan(&v)
	return v, err
}

// Expire removes the old entries of a leased thread and their results.
func (s *Store) Expire(ctx context.Context, l bot.Lease, user string, before time.Time) (int, error) {
	n := 0
	err := s.write.run(ctx, func(t *tx) (err error) {
		n, err = expire(t, l, user, micros(before), micros(s.cfg.Now()))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: expire: %w", err)
	}
	return n, nil
}

func expire(t *tx, l bot.Lease, user string, before, now int64) (int, error) {
	if err := held(t, l); err != nil {
		return 0, err
	}
	var old, runs []string
	into := func(list *[]string) func(scanner) error {
		return func(r scanner) error {
			v, err := scanText(r)
			*list = append(*list, v)
			return err
		}
	}
	if err := t.each(into(&old), sqlOld, l.Thread, user, before); err != nil || len(old) == 0 {
		return 0, err
	}
	if err := t.each(into(&runs), `SELECT run FROM replies WHERE thread = ?1 AND item IN (SELECT value FROM json_each(?2))
		UNION SELECT run FROM entries WHERE thread = ?1 AND own = 1 AND run <> '' AND id IN (SELECT value FROM json_each(?2))`, l.Thread, list(old)); err != nil {
		return 0, err
	}
	const among = ` IN (SELECT value FROM json_each(?2))`
	for _, st := range []struct {
		query string
		of    []string
	}{
		{`UPDATE threads SET title = '' WHERE key = ?1 AND (SELECT id FROM entries WHERE thread = ?1 AND own = 0 ORDER BY at, seq LIMIT 1)` + among, old},
		{`DELETE FROM entries WHERE thread = ?1 AND own = 1 AND run` + among, runs},
		{`DELETE FROM reply_messages WHERE run IN (SELECT run FROM replies WHERE thread = ?1 AND run` + among + `)`, runs},
		{`DELETE FROM replies WHERE thread = ?1 AND run` + among, runs},
		{`DELETE FROM runs WHERE thread = ?1 AND id` + among, runs},
		{`DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWhole + `' || id FROM approvals WHERE thread = ?1 AND state <> 'pending' AND run` + among + `)`, runs},
		{`DELETE FROM approvals WHERE thread = ?1 AND state <> 'pending' AND run` + among, runs},
		{`DELETE FROM ratings WHERE thread = ?1 AND run` + among, runs},
		{`DELETE FROM artifacts WHERE thread = ?1 AND run` + among, runs},
		{`UPDATE items SET body = NULL WHERE thread = ?1 AND state <> 0 AND id` + among, old},
		{`DELETE FROM entries WHERE thread = ?1 AND id` + among, old},
		{`DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWorded + `' || value FROM json_each(?2))`, old},
	} {
		if _, err := t.exec(st.query, l.Thread, list(st.of)); err != nil {
			return 0, err
		}
	}
	if _, err := t.exec(sqlDropExchanges, l.Thread); err != nil {
		return 0, err
	}
	return len(old), endThread(t, l.Thread, now)
}

// endThread marks a thread without remaining data as unknown. Only the item being processed may be pending there.
func endThread(t *tx, thread string, now int64) error {
	n, err := t.exec(`UPDATE threads SET known = 0, title = '', updated = ?2 WHERE key = ?1
		AND NOT EXISTS (SELECT 1 FROM entries WHERE thread = ?1) AND NOT EXISTS (SELECT 1 FROM approvals WHERE thread = ?1 AND state = 'pending')
		AND (SELECT count(*) FROM items WHERE thread = ?1 AND state = 0) <= 1`, thread, now)
	if err != nil || n == 0 {
		return err
	}
	_, err = t.exec(`DELETE FROM settings WHERE place = ?`, thread)
	return err
}
