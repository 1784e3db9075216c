package sqlitestore

import (
	"context"
	"os"
	"time"
)

const (
	keepDone = 3 * 24 * time.Hour // retention of a finished item's id
	keepDead = 30 * 24 * time.Hour
	sweepAt  = time.Hour
	// Checkpoints are frequent and small, because a writer waits for the copying: with checkpoints every 500
	// commits, one message in a hundred waited 20 ms.
	drainAt  = 50 * time.Millisecond
	drainFew = 64       // commits after which the write-ahead log is checkpointed
	drainOld = 600      // ticks after which it is checkpointed for fewer commits
	walHard  = 64 << 20 // bytes of the log at which one checkpoint blocks the writer
)

// keep runs maintenance until ctx ends: it checkpoints the write-ahead log beside the writer and sweeps expired data.
func (s *Store) keep(ctx context.Context) {
	look, sweep := time.NewTicker(drainAt), time.NewTicker(sweepAt)
	defer look.Stop()
	defer sweep.Stop()
	var drained int64 // commits at the last checkpoint
	looks := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			looks++
			n := s.write.commits.Load()
			if few := n-drained < drainFew; n == drained || few && looks < drainOld {
				continue
			}
			s.drain(ctx)
			drained, looks = n, 0
		case <-sweep.C:
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.cfg.Log.WarnContext(ctx, "sweep record", "err", err)
			}
		}
	}
}

// drain checkpoints the write-ahead log. PASSIVE waits for nobody and does not block the writer; the log restarts
// at the first write after a complete copy. If that has not happened for long, TRUNCATE blocks the writer once.
func (s *Store) drain(ctx context.Context) {
	mode := "PASSIVE"
	if st, err := os.Stat(s.cfg.Path + "-wal"); err == nil && st.Size() > walHard {
		mode = "TRUNCATE"
	}
	if _, err := s.db.ExecContext(ctx, "PRAGMA wal_checkpoint("+mode+")"); err != nil && ctx.Err() == nil {
		s.cfg.Log.WarnContext(ctx, "checkpoint write-ahead log", "err", err)
	}
}

// Sweep removes items finished long ago, dead and parked items and dead jobs after a month, and the remains of
// forgotten threads. The store runs it every hour.
func (s *Store) Sweep(ctx context.Context) error {
	now := s.cfg.Now()
	for _, st := range []struct {
		query  string
		before time.Duration
	}{
		{`DELETE FROM items WHERE seq IN (SELECT seq FROM items WHERE state <> 0 AND ended < ? AND state = 1 LIMIT 1000)`, keepDone},
		{`DELETE FROM items WHERE seq IN (SELECT seq FROM items WHERE state <> 0 AND ended < ? AND state IN (2, 3) LIMIT 1000)`, keepDead},
		{`DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE dead = 1 AND due < ? LIMIT 1000)`, keepDead},
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
