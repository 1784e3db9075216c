package pgstore

import "context"

// RaiseFence makes the thread's lease as new as fence, for graphtest.Fencer.
func (s *Store) RaiseFence(ctx context.Context, thread string, fence int64) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO threads (key, platform, team, channel, id, direct, known, created, updated, owner, token)
		VALUES ($1, '', '', '', '', false, true, now(), now(), 'w', $2) ON CONFLICT (key) DO UPDATE SET token = excluded.token`, conversation(thread), fence)
	return err
}

// PIDs are the server's processes behind the connections that are idle.
func (s *Store) PIDs(ctx context.Context) []uint32 {
	var pids []uint32
	for _, c := range s.pool.AcquireAllIdle(ctx) {
		pids = append(pids, c.Conn().PgConn().PID())
		c.Release()
	}
	return pids
}
