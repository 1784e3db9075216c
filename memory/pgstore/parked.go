package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/parking"
	"maru/memory/scan"
)

var _ parking.Store = (*Store)(nil)

// InHand lists the items being processed.
func (s *Store) InHand(ctx context.Context) ([]parking.Held, error) {
	list, err := all(ctx, s, pgx.RowToStructByPos[parking.Held], `SELECT t.owner, t.key, t.token, i.id, t.until <= now(),
			CASE WHEN t.until <= now() THEN (SELECT coalesce(sum(head), 0)::bigint FROM
				(SELECT max(seq) AS head FROM log WHERE thread >= t.key || '#' AND thread < t.key || '$' GROUP BY thread, ns) heads) ELSE 0 END
		FROM threads t
		CROSS JOIN LATERAL (SELECT id FROM items WHERE thread = t.key AND state = 0 AND attempts > 0 ORDER BY ordlen, ord, seq LIMIT 1) i
		WHERE t.since IS NOT NULL AND t.owner <> '' ORDER BY t.key`)
	return list, wrap("items in hand", err)
}

// ParkedItems lists the parked items within a workspace, channel or thread.
func (s *Store) ParkedItems(ctx context.Context, within string, limit int) ([]parking.Item, error) {
	list, err := all(ctx, s, scan.ParkedItem, `SELECT id, thread, kind, body, at, ended FROM items WHERE state <> 0 AND state = 3 AND body IS NOT NULL
		AND ($1 = '' OR thread = $1 OR starts_with(thread, $1 || '/')) ORDER BY ended, seq LIMIT $2`, within, bound(limit))
	return list, wrap("parked items", err)
}

// RetryItem makes a parked item pending again and wakes the replicas. A retry after a lost reply may return false.
func (s *Store) RetryItem(ctx context.Context, id string) (bool, error) {
	var found bool
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			// The thread's row first, as in Put and Finish.
			if _, err := tx.Exec(ctx, `SELECT 1 FROM threads WHERE key = (SELECT thread FROM items WHERE id = $1) FOR UPDATE`, id); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, `UPDATE items SET state = 0, why = '', ended = NULL, attempts = 1 WHERE id = $1 AND state = 3 AND body IS NOT NULL`, id)
			if found = tag.RowsAffected() > 0; err != nil || !found {
				return err
			}
			_, err = tx.Exec(ctx, `WITH thread AS (
				UPDATE threads SET since = (SELECT min(at) FROM items WHERE thread = key AND state = 0)
				WHERE key = (SELECT thread FROM items WHERE id = $1) RETURNING key
			) SELECT pg_notify($2, key) FROM thread`, id, s.channel())
			return err
		})
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: retry item: %w", err)
	}
	return found, nil
}

// Unfinished reports whether an item is pending or parked.
func (s *Store) Unfinished(ctx context.Context, id string) (bool, error) {
	open, err := one(ctx, s, pgx.RowTo[bool], `SELECT EXISTS (SELECT 1 FROM items WHERE id = $1 AND (state = 0 OR state = 3 AND body IS NOT NULL))`, id)
	if err != nil {
		return false, fmt.Errorf("pgstore: unfinished item: %w", err)
	}
	return open, nil
}

// ParkedJobs lists the parked jobs.
func (s *Store) ParkedJobs(ctx context.Context, limit int) ([]bot.Job, error) {
	list, err := all(ctx, s, scan.ParkedJob, `SELECT id, kind, person, at, attempts FROM jobs WHERE NOT dead AND why = $1 ORDER BY at, id LIMIT $2`, parking.Why, bound(limit))
	return list, wrap("parked jobs", err)
}

// RetryJob makes a parked job due.
func (s *Store) RetryJob(ctx context.Context, id string) (bool, error) {
	n, err := s.changeJobs(ctx, "retry", `UPDATE jobs SET due = clock_timestamp(), attempts = 0, why = '' WHERE id = $1 AND NOT dead AND why = $2`, id, parking.Why)
	return n > 0, err
}
