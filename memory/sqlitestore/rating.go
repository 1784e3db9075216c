package sqlitestore

import (
	"context"
	"fmt"
	"time"
)

// Rate stores a person's rating of an answer.
func (s *Store) Rate(ctx context.Context, thread, run, who string, vote int) (up, down int, err error) {
	err = s.write.run(ctx, func(t *tx) (err error) {
		if vote == 0 {
			_, err = t.exec(`DELETE FROM ratings WHERE run = ? AND who = ?`, run, who)
		} else {
			_, err = t.exec(`INSERT INTO ratings (run, who, thread, vote, at) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (run, who) DO UPDATE SET vote = excluded.vote, at = excluded.at`,
				run, who, thread, min(max(vote, -1), 1), micros(s.cfg.Now()))
		}
		if err != nil {
			return err
		}
		return t.get(`SELECT count(*) FILTER (WHERE vote > 0), count(*) FILTER (WHERE vote < 0) FROM ratings WHERE run = ?`, []any{run}, &up, &down)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("sqlitestore: rate: %w", err)
	}
	return up, down, nil
}

// Rested lists threads with logs due for pruning.
func (s *Store) Rested(ctx context.Context, before time.Time, limit int) ([]string, error) {
	return all(ctx, s, "rested threads", scanText, `SELECT key FROM threads
		WHERE known = 1 AND since IS NULL AND kept < updated AND updated < ? ORDER BY updated LIMIT 0 + ?`, micros(before), bound(limit))
}

// Kept marks a thread as pruned.
func (s *Store) Kept(ctx context.Context, thread string) error {
	_, err := s.change(ctx, "kept", `UPDATE threads SET kept = ? WHERE key = ?`, micros(s.cfg.Now()), thread)
	return err
}
