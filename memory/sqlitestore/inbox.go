package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/bot"
)

// States of an item.
const (
	itemDone   = 1
	itemDead   = 2
	itemParked = 3
)

// Put commits an item; false if its id exists already.
func (s *Store) Put(ctx context.Context, it bot.Item) (bool, error) {
	var fresh bool
	err := s.write.run(ctx, func(t *tx) (err error) {
		fresh, err = put(t, it, s.cfg.Now())
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: put item: %w", err)
	}
	return fresh, nil
}

// put adds an item with its thread's row and its transcript entry.
func put(t *tx, it bot.Item, now time.Time) (bool, error) {
	if it.ID == "" {
		return false, errors.New("the item has no id")
	}
	th, err := bot.ParseThread(it.Thread)
	if err != nil {
		return false, err
	}
	if it.At.IsZero() {
		it.At = now
	}
	n, err := t.exec(`INSERT INTO items (id, thread, kind, ordlen, ord, body, at, attempts, state, why, ended)
		VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, '', 0) ON CONFLICT (id) DO NOTHING`,
		it.ID, it.Thread, string(it.Kind), len(it.Order), it.Order, blob(it.Body), micros(it.At))
	if err != nil || n == 0 {
		return false, err
	}
	_, err = t.exec(`INSERT INTO threads (key, platform, team, channel, id, direct, known, title, created, updated, since, owner, token, until)
		VALUES (?, ?, ?, ?, ?, ?, 1, '', ?, ?, ?, '', 0, 0)
		ON CONFLICT (key) DO UPDATE SET
			direct = max(direct, excluded.direct), updated = excluded.updated, since = min(coalesce(since, excluded.since), excluded.since),
			created = CASE known WHEN 1 THEN created ELSE excluded.created END, known = 1`,
		it.Thread, th.Platform, th.Team, th.Channel, th.ID, flag(direct(it)), micros(now), micros(now), micros(it.At))
	if err == nil && it.Entry != nil {
		err = putEntry(t, *it.Entry, it.Thread, now)
	}
	if err == nil && it.Stops != "" {
		_, err = stopPending(t, stopsOf(it))
	}
	return true, err
}

// stopsOf selects the messages that an item stops when it is put.
func stopsOf(it bot.Item) bot.PendingStop {
	return bot.PendingStop{Thread: it.Thread, Why: it.Stops, Before: it.Order, But: append(slices.Clip(it.Spares), it.ID)}
}

// StopPending marks pending messages as stopped.
func (s *Store) StopPending(ctx context.Context, p bot.PendingStop) (items []string, err error) {
	err = s.write.run(ctx, func(t *tx) (err error) {
		items, err = stopPending(t, p)
		return err
	})
	return items, wrap("stop pending messages", err)
}

// stopPending marks messages. The column that says why an item ended says why a pending one is to end.
func stopPending(t *tx, p bot.PendingStop) (items []string, err error) {
	of, args := `thread = ?7`, []any{p.Thread}
	if p.Thread == "" {
		of = `thread IN (SELECT key FROM threads WHERE known = 1 AND platform = ?7 AND team = ?8 AND channel = ?9 AND since IS NOT NULL)`
		args = []any{p.Channel.Platform, p.Channel.Team, p.Channel.Channel}
	}
	err = t.each(func(r scanner) error {
		var id string
		err := r.Scan(&id)
		items = append(items, id)
		return err
	}, `UPDATE items SET why = CASE why WHEN '' THEN ?1 ELSE why END
		WHERE state = 0 AND kind = ?2 AND ordlen > 0 AND (?3 = '' OR (ordlen, ord) <= (?4, ?3)) AND id NOT IN (SELECT value FROM json_each(?5))
			AND (?6 = '' OR EXISTS (SELECT 1 FROM entries e WHERE e.thread = items.thread AND e.id = items.id AND e.user = ?6))
			AND NOT EXISTS (SELECT 1 FROM approvals a JOIN replies r ON r.run = a.run WHERE a.thread = items.thread AND a.state = 'pending' AND r.item = items.id)
			AND `+of+` RETURNING id`,
		append([]any{string(p.Why), string(bot.ItemMessage), p.Before, len(p.Before), list(p.But), p.User}, args...)...)
	return items, err
}

// direct reports whether an item's message is from a direct conversation, which the thread's key does not show.
func direct(it bot.Item) bool {
	var m struct {
		Thread struct {
			Direct bool `json:"direct"`
		} `json:"thread"`
	}
	return it.Kind == bot.ItemMessage && json.Unmarshal(it.Body, &m) == nil && m.Thread.Direct
}

// Next returns the first pending item of a leased thread and counts an attempt. If there is none it ends the lease.
func (s *Store) Next(ctx context.Context, l bot.Lease) (bot.Item, bool, error) {
	var it bot.Item
	err := s.write.run(ctx, func(t *tx) error {
		it = bot.Item{}
		// Mostly nothing waits, which the thread's row tells.
		n, err := t.exec(`UPDATE threads SET owner = '', until = 0 WHERE key = ? AND token = ? AND owner <> '' AND since IS NULL`, l.Thread, l.Token)
		if err != nil || n > 0 {
			return err
		}
		if it, err = next(t, l); err != nil || it.ID != "" {
			return err
		}
		if err := held(t, l); err != nil {
			return err
		}
		return release(t, l)
	})
	if err != nil {
		return bot.Item{}, false, fmt.Errorf("sqlitestore: next item: %w", err)
	}
	return it, it.ID != "", nil
}

// next returns the first pending item of a thread; the zero item if there is none or the lease is not held.
func next(t *tx, l bot.Lease) (bot.Item, error) {
	it := bot.Item{Thread: l.Thread}
	var seq, at int64
	var kind, why string
	var body []byte
	err := t.get(`SELECT seq, id, kind, ord, body, at, attempts, why,
			NOT EXISTS (SELECT 1 FROM approvals a WHERE a.thread = items.thread AND a.state = 'pending')
		FROM items WHERE thread = ? AND state = 0 AND EXISTS (`+sqlHeld+`) ORDER BY ordlen, ord, seq LIMIT 1`,
		[]any{l.Thread, l.Thread, l.Token}, &seq, &it.ID, &kind, &it.Order, &body, &at, &it.Attempts, &why, &it.Unasked)
	if errors.Is(err, sql.ErrNoRows) {
		return bot.Item{}, nil
	} else if err != nil {
		return bot.Item{}, err
	}
	it.Kind, it.Body, it.At, it.Stopped = bot.ItemKind(kind), body, fromMicros(at), bot.StopReason(why)
	_, err = t.exec(`UPDATE items SET attempts = attempts + 1 WHERE seq = ?`, seq)
	return it, err
}

// Finish ends an item with its outcome, in one transaction. It does not change an item that has ended.
func (s *Store) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	err := s.write.run(ctx, func(t *tx) error {
		now := s.cfg.Now()
		ended, err := end(t, l, item, out, now)
		if err != nil || !ended {
			return err
		}
		for _, id := range out.Withdraw {
			if _, err := t.exec(`UPDATE approvals SET state = 'revoked', decided = ? WHERE id = ? AND thread = ? AND state = 'pending'`,
				micros(now), id, l.Thread); err != nil {
				return err
			}
		}
		if out.Reply != nil {
			r := *out.Reply
			if r.Thread = l.Thread; r.At.IsZero() {
				r.At = now
			}
			if _, err := saveReply(t, r, true); err != nil {
				return err
			}
		}
		if out.Entry != nil {
			if err := answerEntry(t, *out.Entry, l.Thread, item, now); err != nil {
				return err
			}
		}
		if err := putArtifacts(t, l.Thread, out.Files); err != nil {
			return err
		}
		if err := putJobs(t, out.Jobs, now); err != nil {
			return err
		}
		_, err = t.exec(`UPDATE threads SET updated = ?, title = CASE WHEN ? = '' THEN title ELSE ? END,
			since = (SELECT min(at) FROM items WHERE thread = ? AND state = 0) WHERE key = ?`,
			micros(now), out.Title, out.Title, l.Thread, l.Thread)
		return err
	})
	return wrap("finish item", err)
}

// end marks an item of a held lease as ended; false if it had ended before. A dead item keeps its question for inspection, a
// parked one for the next try.
func end(t *tx, l bot.Lease, item string, out bot.Outcome, now time.Time) (bool, error) {
	state := itemDone
	switch {
	case out.Park:
		state = itemParked
	case out.Dead:
		state = itemDead
	}
	n, err := t.exec(`UPDATE items SET state = ?, why = ?, ended = ?, body = CASE WHEN ? >= 2 THEN body END
		WHERE id = ? AND thread = ? AND state = 0 AND EXISTS (`+sqlHeld+`)`, state, out.Why, micros(now), state, item, l.Thread, l.Thread, l.Token)
	if err != nil || n > 0 {
		return n > 0, err
	}
	if err := held(t, l); err != nil {
		return false, err
	}
	var one int
	err = t.get(`SELECT 1 FROM items WHERE id = ? AND thread = ?`, []any{item, l.Thread}, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, bot.ErrNotFound
	}
	return false, err
}

// Pending returns the number of pending items of a team, or of all with "", and the age of the oldest.
func (s *Store) Pending(ctx context.Context, team string) (int, time.Time, error) {
	type waiting struct {
		n      int
		oldest sql.NullInt64
	}
	w, err := one(ctx, s, func(r scanner) (w waiting, err error) { return w, r.Scan(&w.n, &w.oldest) },
		`SELECT count(*), (SELECT min(since) FROM threads WHERE since IS NOT NULL AND (?1 = '' OR substr(key, 1, length(?1) + 1) = ?1 || '/'))
			FROM items WHERE state = 0 AND (?1 = '' OR substr(thread, 1, length(?1) + 1) = ?1 || '/')`, team)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("sqlitestore: count pending items: %w", err)
	}
	return w.n, fromMicros(w.oldest.Int64), nil
}
