package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

// jobArgs are the arguments of sqlFinish for follow-up jobs.
func jobArgs(args named, jobs []bot.Job) {
	n := len(jobs)
	ids, kinds, persons := make([]string, n), make([]string, n), make([]string, n)
	bodies, ats := make([][]byte, n), make([]*time.Time, n)
	for i, j := range jobs {
		ids[i], kinds[i], persons[i], bodies[i] = clean(j.ID), clean(j.Kind), clean(j.Person), j.Body
		if !j.At.IsZero() {
			ats[i] = &j.At
		}
	}
	args["j_ids"], args["j_kinds"], args["j_persons"], args["j_bodies"], args["j_ats"] = ids, kinds, persons, bodies, ats
}

// ClaimJob leases the job that has been due longest, excluding some kinds, for ttl. After a lost reply the job
// becomes visible again when the lease expires.
func (s *Store) ClaimJob(ctx context.Context, ttl time.Duration, but ...string) (bot.Job, bool, error) {
	scan := func(r pgx.CollectableRow) (bot.Job, error) {
		var j bot.Job
		var body []byte
		err := r.Scan(&j.ID, &j.Kind, &j.Person, &body, &j.At, &j.Attempts, &j.Lapsed)
		j.Body, j.At = body, j.At.UTC()
		return j, err
	}
	j, err := one(ctx, s, scan, `WITH next AS (
			SELECT id, attempts, why FROM jobs WHERE NOT dead AND due <= clock_timestamp() AND kind <> ALL($2) ORDER BY due, id LIMIT 1 FOR UPDATE SKIP LOCKED)
		UPDATE jobs j SET attempts = j.attempts + 1, why = '', due = clock_timestamp() + $1 FROM next WHERE j.id = next.id
		RETURNING j.id, j.kind, j.person, j.body, j.at, next.attempts, next.attempts > 0 AND next.why = ''`, ttl, append([]string{}, but...))
	if errors.Is(err, bot.ErrNotFound) {
		return bot.Job{}, false, nil
	}
	if err != nil {
		return bot.Job{}, false, fmt.Errorf("pgstore: claim job: %w", err)
	}
	return j, true, nil
}

// EndJob removes a completed job.
func (s *Store) EndJob(ctx context.Context, id string) error {
	_, err := s.changeJobs(ctx, "end", `DELETE FROM jobs WHERE id = $1`, id)
	return err
}

// DelayJob extends the lease of a job.
func (s *Store) DelayJob(ctx context.Context, id string, by time.Duration, why string) error {
	_, err := s.changeJobs(ctx, "delay", `UPDATE jobs SET due = clock_timestamp() + $2, why = $3,
		attempts = greatest(attempts - CASE WHEN $3 = $4 THEN 1 ELSE 0 END, 0) WHERE id = $1 AND NOT dead`, id, by, clean(why), bot.JobWaits)
	return err
}

// BuryJob keeps the row of a job that failed too often, without its body.
func (s *Store) BuryJob(ctx context.Context, id, why string) error {
	_, err := s.changeJobs(ctx, "bury", `UPDATE jobs SET dead = true, why = $2, body = '', due = clock_timestamp() WHERE id = $1`, id, clean(why))
	return err
}

// DropJobs removes a person's jobs.
func (s *Store) DropJobs(ctx context.Context, person string) (int, error) {
	return s.changeJobs(ctx, "drop", `DELETE FROM jobs WHERE person = $1`, person)
}

func (s *Store) changeJobs(ctx context.Context, what, query string, args ...any) (int, error) {
	var n int64
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, query, args...)
		n = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("pgstore: %s job: %w", what, err)
	}
	return int(n), nil
}

// PendingJobs returns the number of pending jobs and the time of the oldest.
func (s *Store) PendingJobs(ctx context.Context) (int, time.Time, error) {
	type waiting struct {
		n      int
		oldest *time.Time
	}
	w, err := one(ctx, s, func(r pgx.CollectableRow) (waiting, error) {
		var w waiting
		err := r.Scan(&w.n, &w.oldest)
		return w, err
	}, `SELECT count(*), min(at) FROM jobs WHERE NOT dead AND why <> 'parked'`)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("pgstore: pending jobs: %w", err)
	}
	return w.n, when(w.oldest), nil
}
