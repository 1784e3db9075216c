package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Rate stores a person's rating of an answer.
func (s *Store) Rate(ctx context.Context, thread, run, who string, vote int) (up, down int, err error) {
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		b := &pgx.Batch{}
		if vote == 0 {
			b.Queue(`DELETE FROM ratings WHERE run = $1 AND who = $2`, run, who)
		} else {
			b.Queue(`INSERT INTO ratings (run, who, thread, vote, at) VALUES ($1, $2, $3, $4, now())
				ON CONFLICT (run, who) DO UPDATE SET vote = excluded.vote, at = excluded.at`, run, who, thread, min(max(vote, -1), 1))
		}
		b.Queue(`SELECT count(*) FILTER (WHERE vote > 0), count(*) FILTER (WHERE vote < 0) FROM ratings WHERE run = $1`, run).
			QueryRow(func(r pgx.Row) error { return r.Scan(&up, &down) })
		return s.batch(ctx, b)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("pgstore: rate: %w", err)
	}
	return up, down, nil
}

// Rested lists threads with logs due for pruning.
func (s *Store) Rested(ctx context.Context, before time.Time, limit int) ([]string, error) {
	list, err := all(ctx, s, pgx.RowTo[string], `SELECT key FROM threads
		WHERE known AND since IS NULL AND kept < updated AND updated < $1 ORDER BY updated LIMIT $2`, before, bound(limit))
	return list, wrap("rested threads", err)
}

// Kept marks a thread as pruned.
func (s *Store) Kept(ctx context.Context, thread string) error {
	return s.exec(ctx, "kept", `UPDATE threads SET kept = now() WHERE key = $1`, thread)
}
