package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// try calls do, and retries it for a while after a lost connection or if the database asks for a retry. again
// tells do that an earlier attempt may have been committed.
func (s *Store) try(ctx context.Context, do func(ctx context.Context, again bool) error) error {
	deadline := time.Now().Add(s.cfg.Patience)
	wait := 10 * time.Millisecond
	for again := false; ; again = true {
		err := do(ctx, again)
		if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
			s.away.Store(true)
		}
		if over := ctx.Err(); over != nil && err != nil && isTransient(err) { // the deadline passed during the attempt
			return s.refused(ctx, fmt.Errorf("%w (after %w)", over, err))
		}
		if err == nil || ctx.Err() != nil || !isTransient(err) || time.Now().Add(wait).After(deadline) {
			return s.refused(ctx, err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return s.refused(ctx, fmt.Errorf("%w (after %w)", ctx.Err(), err))
		case <-timer.C:
		}
		wait = min(wait*2, 250*time.Millisecond)
	}
}

// isTransient reports whether a retry may succeed.
func isTransient(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "40001", "40P01", // serialization failure, deadlock
			"53300",                   // too many connections
			"57P01", "57P02", "57P03", // shutdown, crash, starting up
			"55P03": // lock not available in time
			return true
		}
		return pg.Code[:2] == "08" // connection exceptions
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}

// batch sends statements in one round trip, as one transaction. Each statement sees its predecessors and everything
// committed before it started.
func (s *Store) batch(ctx context.Context, b *pgx.Batch) error {
	return s.pool.SendBatch(ctx, b).Close()
}

// isUnique reports whether err is a violation of a unique constraint.
func isUnique(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23505"
}
