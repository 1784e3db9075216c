package sqlitestore

import (
	"context"
	"os"
	"time"
)

const (
	keepDone = 3 * 24 * time.Hour // how long a done item's id is remembered
	keepDead = 30 * 24 * time.Hour
	sweepAt  = time.Hour
	walAt    = 200 * time.Millisecond
	walSoft  = 2 << 20 // bytes of write-ahead log from which it is moved into the database
)

// keep does the housekeeping until ctx ends: it moves the write-ahead log into
// the database beside the writer, and removes what has served its time.
func (s *Store) keep(ctx context.Context) {
	wal, sweep := time.NewTicker(walAt), time.NewTicker(sweepAt)
	defer wal.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wal.C:
			s.drain(ctx)
		case <-sweep.C:
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.cfg.Log.WarnContext(ctx, "sweep of the record failed", "err", err)
			}
		}
	}
}

// drain copies the write-ahead log into the database when it has grown. PASSIVE
// does not wait for anybody and lets the writer go on; the log starts over from
// its beginning at the first write that finds all of it copied. When that has
// not happened for long, TRUNCATE makes the writer wait once.
func (s *Store) drain(ctx context.Context) {
	st, err := os.Stat(s.cfg.Path + "-wal")
	if err != nil || st.Size() < walSoft {
		return
	}
	mode := "PASSIVE"
	if st.Size() > 32*walSoft {
		mode = "TRUNCATE"
	}
	if _, err := s.db.ExecContext(ctx, "PRAGMA wal_checkpoint("+mode+")"); err != nil && ctx.Err() == nil {
		s.cfg.Log.WarnContext(ctx, "copying the write-ahead log failed", "err", err)
	}
}

// Sweep removes items that were done long ago and what is left of forgotten
// threads. The store does it every hour.
func (s *Store) Sweep(ctx context.Context) error {
	now := s.cfg.Now()
	for _, st := range []struct {
		query  string
		before time.Duration
	}{
		{`DELETE FROM items WHERE seq IN (SELECT seq FROM items WHERE state <> 0 AND ended < ? AND state = 1 LIMIT 1000)`, keepDone},
		{`DELETE FROM items WHERE seq IN (SELECT seq FROM items WHERE state <> 0 AND ended < ? AND state = 2 LIMIT 1000)`, keepDead},
		{`DELETE FROM threads WHERE known = 0 AND since IS NULL AND updated < ?`, keepDone},
	} {
		for {
			var n int64
			err := s.write.run(ctx, func(t *tx) (err error) {
				n, err = t.exec(st.query, micros(now.Add(-st.before)))
				return err
			})
			if err != nil {
				return err
			}
			if n < 1000 {
				break
			}
		}
	}
	return nil
}
