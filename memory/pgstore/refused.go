package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// refusals maps the SQLSTATEs of exhausted resources to message codes.
var refusals = map[string]string{
	"53100": "store_full", // disk full
	"53200": "store_busy", // out of memory
	"53300": "store_busy", // too many connections
}

// refusal is such an error.
type refusal struct {
	error

	code string
}

// Unwrap returns the server's error.
func (r *refusal) Unwrap() error { return r.error }

// PeopleCode names the sentence for people.
func (r *refusal) PeopleCode() string { return r.code }

// unreached is the code of an error that came because the server cannot be reached.
const unreached = "store_away"

// logRefusalsEvery is how often the log tells of refusals, which come with every write.
const logRefusalsEvery = time.Minute

// refused tells a refusal, and a server that cannot be reached, from other errors, and
// the log of the first now and then.
func (s *Store) refused(ctx context.Context, err error) error {
	if err == nil {
		if s.away.Load() {
			s.away.Store(false)
		}
		return nil
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok && ctx.Err() == nil && isTransient(err), !ok && s.away.Load() && errors.Is(err, context.DeadlineExceeded):
		return &refusal{error: err, code: unreached}
	case !ok || refusals[pg.Code] == "":
		return err
	}
	now := time.Now().UnixNano()
	if last := s.refusedAt.Load(); now-last > int64(logRefusalsEvery) && s.refusedAt.CompareAndSwap(last, now) {
		s.cfg.Log.ErrorContext(ctx, "the database refuses to work", "code", pg.Code, "err", err)
	}
	return &refusal{error: err, code: refusals[pg.Code]}
}
