package sqlitestore

import (
	"context"
	"fmt"

	"maru/bot"
	"maru/bot/parking"
	"maru/memory/scan"
)

var _ parking.Store = (*Store)(nil)

// InHand lists the items being processed.
func (s *Store) InHand(ctx context.Context) ([]parking.Held, error) {
	list, err := all(ctx, s, "items in hand", func(r scanner) (h parking.Held, err error) {
		return h, r.Scan(&h.Owner, &h.Thread, &h.Token, &h.Item, &h.Lapsed, &h.Steps)
	}, `SELECT owner, key, token, item, lapsed, CASE WHEN lapsed THEN (SELECT coalesce(sum(head), 0) FROM
			(SELECT max(seq) AS head FROM log WHERE thread >= key || '#' AND thread < key || '$' GROUP BY thread, ns)) ELSE 0 END FROM (SELECT owner, key, token, until <= ? AS lapsed,
			(SELECT id FROM items WHERE thread = key AND state = 0 AND attempts > 0 ORDER BY ordlen, ord, seq LIMIT 1) AS item
			FROM threads WHERE since IS NOT NULL AND owner <> '')
		WHERE item IS NOT NULL ORDER BY key`, micros(s.cfg.Now()))
	if err != nil {
		return nil, err
	}
	return list, nil
}

// ParkedItems lists the parked items within a workspace, channel or thread.
func (s *Store) ParkedItems(ctx context.Context, within string, limit int) ([]parking.Item, error) {
	return all(ctx, s, "parked items", scan.ParkedItem, `SELECT id, thread, kind, body, at, ended FROM items WHERE state <> 0 AND state = 3 AND body IS NOT NULL
		AND (?1 = '' OR thread = ?1 OR substr(thread, 1, length(?1) + 1) = ?1 || '/') ORDER BY ended, seq LIMIT 0 + ?2`, within, bound(limit))
}

// RetryItem makes a parked item pending again.
func (s *Store) RetryItem(ctx context.Context, id string) (bool, error) {
	var n int64
	err := s.write.run(ctx, func(t *tx) (err error) {
		n, err = t.exec(`UPDATE items SET state = 0, why = '', ended = 0, attempts = 1 WHERE id = ? AND state = 3 AND body IS NOT NULL`, id)
		if err != nil || n == 0 {
			return err
		}
		_, err = t.exec(`UPDATE threads SET since = (SELECT min(at) FROM items WHERE thread = key AND state = 0)
			WHERE key = (SELECT thread FROM items WHERE id = ?)`, id)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: retry item: %w", err)
	}
	return n > 0, nil
}

// Unfinished reports whether an item is pending or parked.
func (s *Store) Unfinished(ctx context.Context, id string) (bool, error) {
	list, err := all(ctx, s, "unfinished item", func(r scanner) (open bool, err error) { return open, r.Scan(&open) },
		`SELECT EXISTS (SELECT 1 FROM items WHERE id = ? AND (state = 0 OR state = 3 AND body IS NOT NULL))`, id)
	if err != nil {
		return false, err
	}
	return list[0], nil
}

// ParkedJobs lists the parked jobs.
func (s *Store) ParkedJobs(ctx context.Context, limit int) ([]bot.Job, error) {
	return all(ctx, s, "parked jobs", scan.ParkedJob, `SELECT id, kind, person, at, attempts FROM jobs WHERE dead = 0 AND why = ? ORDER BY at, id LIMIT 0 + ?`, parking.Why, bound(limit))
}

// RetryJob makes a parked job due.
func (s *Store) RetryJob(ctx context.Context, id string) (bool, error) {
	var n int64
	err := s.write.run(ctx, func(t *tx) (err error) {
		n, err = t.exec(`UPDATE jobs SET due = ?, attempts = 0, why = '' WHERE id = ? AND dead = 0 AND why = ?`, micros(s.cfg.Now()), id, parking.Why)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: retry job: %w", err)
	}
	return n > 0, nil
}
