package pgstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	keepDone = 3 * 24 * time.Hour // retention of a finished item's id
	keepDead = 30 * 24 * time.Hour
	sweepAt  = time.Hour
)

// channel returns the notification channel of the replicas that share the schema.
func (s *Store) channel() string { return "maru_inbox_" + s.cfg.Schema }

// stopMark ends a notification of a stop request. An earlier program takes it for part of a thread's key.
const stopMark = "\x1f"

// Wake returns a channel with the keys of threads that got an item by another store, or a stop request by any. It uses
// its own connection and closes the channel when that is lost or ctx ends. A slow reader loses keys and blocks nobody.
func (s *Store) Wake(ctx context.Context) (<-chan string, error) {
	pc, err := s.cfg.pool()
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, pc.ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("pgstore: listen: %w", err)
	}
	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{s.channel()}.Sanitize()); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx)) // nothing was written
		return nil, fmt.Errorf("pgstore: listen: %w", err)
	}
	keys := make(chan string, 256)
	go func() { // ends with ctx or the connection and closes keys
		defer close(keys)
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		for {
			n, err := conn.WaitForNotification(ctx)
			if err != nil {
				return
			}
			key, stop := strings.CutSuffix(n.Payload, stopMark)
			// After a failover another replica may get the process ID of a connection that died unnoticed: its item is then
			// found by the poll.
			if _, own := s.own.Load(n.PID); own && !stop {
				continue
			}
			select {
			case keys <- key:
			default:
			}
		}
	}()
	return keys, nil
}

// keep runs maintenance until ctx ends.
func (s *Store) keep(ctx context.Context) {
	sweep := time.NewTicker(sweepAt)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.cfg.Log.WarnContext(ctx, "sweep record", "err", err)
			}
		}
	}
}

// Sweep removes items finished long ago, dead and parked items and dead jobs after a month, and the remains of
// forgotten threads. The store runs it every hour; concurrent sweeps of replicas are safe.
func (s *Store) Sweep(ctx context.Context) error {
	for _, st := range []struct {
		query  string
		before time.Duration
	}{
		{`DELETE FROM items WHERE seq IN (SELECT seq FROM items WHERE state <> 0 AND ended < now() - $1::interval AND state = 1 LIMIT 1000 FOR UPDATE SKIP LOCKED)`, keepDone},
		{`DELETE FROM items WHERE seq IN (SELECT seq FROM items WHERE state <> 0 AND ended < now() - $1::interval AND state IN (2, 3) LIMIT 1000 FOR UPDATE SKIP LOCKED)`, keepDead},
		{`DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE dead AND due < now() - $1::interval LIMIT 1000 FOR UPDATE SKIP LOCKED)`, keepDead},
		{`DELETE FROM threads WHERE NOT known AND since IS NULL AND updated < now() - $1::interval`, keepDone},
	} {
		for {
			tag, err := s.pool.Exec(ctx, st.query, st.before)
			if err != nil {
				return fmt.Errorf("pgstore: sweep: %w", err)
			}
			if tag.RowsAffected() < 1000 {
				break
			}
		}
	}
	return nil
}
