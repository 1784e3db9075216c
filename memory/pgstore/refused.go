package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"maru/bot"
)

// refusal is an error of a server that temporarily refuses work.
type refusal struct {
	error

	code bot.Code
}

// Unwrap returns the server's error.
func (r *refusal) Unwrap() error { return r.error }

// PeopleCode returns the message code for people.
func (r *refusal) PeopleCode() string { return string(r.code) }

// logRefusalsEvery is the interval of the log entries on refusals, which affect every write.
const logRefusalsEvery = time.Minute

// refused marks errors of a server that is unreachable or temporarily refuses work (bot.Error.OfRecord), and logs
// a full disk at intervals.
func (s *Store) refused(ctx context.Context, err error) error {
	if err == nil {
		if s.away.Load() {
			s.away.Store(false)
		}
		return nil
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		if ctx.Err() == nil && isTransient(err) || s.away.Load() && errors.Is(err, context.DeadlineExceeded) {
			return &refusal{error: err, code: bot.CodeStoreAway}
		}
		return err
	}
	told := bot.AsError(pg)
	if !told.OfRecord() {
		return err
	}
	if pg.Code[:2] == "53" {
		now := time.Now().UnixNano()
		if last := s.refusedAt.Load(); now-last > int64(logRefusalsEvery) && s.refusedAt.CompareAndSwap(last, now) {
			s.cfg.Log.ErrorContext(ctx, "database refuses work", "code", pg.Code, "err", err)
		}
	}
	return &refusal{error: err, code: told.Code}
}
