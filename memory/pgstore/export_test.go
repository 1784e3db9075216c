package pgstore

import "context"

// RaiseFence makes the thread's lease as new as fence, for graphtest.Fencer.
func (s *Store) RaiseFence(ctx context.Context, thread string, fence int64) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO threads (key, platform, team, channel, id, direct, known, created, updated, owner, token)
		VALUES ($1, '', '', '', '', false, true, now(), now(), 'w', $2) ON CONFLICT (key) DO UPDATE SET token = excluded.token`, conversation(thread), fence)
	return err
}
