package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

// Working reports whether a thread has a live lease.
func (s *Store) Working(ctx context.Context, thread string) (bool, error) {
	working, err := one(ctx, s, pgx.RowTo[bool], `SELECT EXISTS (SELECT 1 FROM threads WHERE key = $1 AND owner <> '' AND until > now())`, thread)
	if err != nil {
		return false, fmt.Errorf("pgstore: working: %w", err)
	}
	return working, nil
}

// AskStop marks the live lease of a thread and wakes its owner.
func (s *Store) AskStop(ctx context.Context, thread, why string) (bool, error) {
	var found bool
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		err := s.pool.QueryRow(ctx, `WITH asked AS (
				INSERT INTO stops (thread, token, why) SELECT key, token, $3 FROM threads WHERE key = $1 AND owner <> '' AND until > now()
				ON CONFLICT (thread) DO UPDATE SET token = excluded.token, why = excluded.why RETURNING 1
			), called AS (SELECT pg_notify($2, $1 || $4) FROM asked)
			SELECT true FROM called`, thread, s.channel(), why, stopMark).Scan(&found)
		if errors.Is(err, pgx.ErrNoRows) {
			found, err = false, nil
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: ask to stop: %w", err)
	}
	return found, nil
}

// Stops returns the stop requests for an owner's threads. It removes those for earlier leases. The ID of a request
// is the transaction that made it.
func (s *Store) Stops(ctx context.Context, owner string) ([]bot.Stop, error) {
	list, err := all(ctx, s, pgx.RowToStructByPos[bot.Stop], `WITH old AS (
			DELETE FROM stops s USING threads t WHERE t.key = s.thread AND t.token <> s.token
		) SELECT s.thread, s.why, s.xmin::text FROM stops s JOIN threads t ON t.key = s.thread AND t.token = s.token WHERE t.owner = $1`, owner)
	return list, wrap("stops", err)
}

// HeardStops removes stop requests, unless a newer one has replaced them.
func (s *Store) HeardStops(ctx context.Context, stops []bot.Stop) error {
	threads, ids := make([]string, len(stops)), make([]string, len(stops))
	for i, x := range stops {
		threads[i], ids[i] = x.Thread, x.ID
	}
	return s.exec(ctx, "stops were heard", `DELETE FROM stops s USING unnest($1::text[], $2::text[]) AS heard (thread, id)
		WHERE s.thread = heard.thread AND s.xmin::text = heard.id`, threads, ids)
}
