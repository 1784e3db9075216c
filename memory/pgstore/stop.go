package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Working reports whether somebody has a live lease of a thread.
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
			), called AS (SELECT pg_notify($2, $1) FROM asked)
			SELECT true FROM called`, thread, s.channel(), why).Scan(&found)
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

// TakeStops returns the threads that their owner is asked to stop. A mark for
// an earlier lease is taken away and not returned.
func (s *Store) TakeStops(ctx context.Context, owner string) (map[string]string, error) {
	type stop struct{ Thread, Why string }
	list, err := all(ctx, s, pgx.RowToStructByPos[stop], `WITH taken AS (
			DELETE FROM stops s USING threads t WHERE t.key = s.thread AND (t.owner = $1 OR t.token <> s.token)
			RETURNING t.key, s.why, t.owner = $1 AND t.token = s.token AS ours
		) SELECT key, why FROM taken WHERE ours`, owner)
	if err != nil {
		return nil, fmt.Errorf("pgstore: take stops: %w", err)
	}
	stops := make(map[string]string, len(list))
	for _, s := range list {
		stops[s.Thread] = s.Why
	}
	return stops, nil
}
