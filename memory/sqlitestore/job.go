package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"maru/bot"
)

// putJobs adds jobs that do not exist yet.
func putJobs(t *tx, jobs []bot.Job, now time.Time) error {
	for _, j := range jobs {
		at := j.At
		if at.IsZero() {
			at = now
		}
		_, err := t.exec(`INSERT INTO jobs (id, kind, person, body, at, due, attempts, dead, why) VALUES (?, ?, ?, ?, ?, ?, 0, 0, '')
			ON CONFLICT (id) DO NOTHING`, j.ID, j.Kind, j.Person, []byte(j.Body), micros(at), max(micros(at), micros(now)))
		if err != nil {
			return err
		}
	}
	return nil
}

// ClaimJob leases the job that has been due longest, excluding some kinds, for ttl.
func (s *Store) ClaimJob(ctx context.Context, ttl time.Duration, but ...string) (bot.Job, bool, error) {
	var j bot.Job
	err := s.write.run(ctx, func(t *tx) error {
		j = bot.Job{}
		now := s.cfg.Now()
		var body []byte
		var at int64
		err := t.get(`SELECT id, kind, person, body, at, attempts, attempts > 0 AND why = '' FROM jobs WHERE dead = 0 AND due <= ? AND kind NOT IN (SELECT value FROM json_each(?)) ORDER BY due, id LIMIT 1`,
			[]any{micros(now), list(but)}, &j.ID, &j.Kind, &j.Person, &body, &at, &j.Attempts, &j.Lapsed)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		j.Body, j.At = body, fromMicros(at)
		_, err = t.exec(`UPDATE jobs SET attempts = attempts + 1, why = '', due = ? WHERE id = ?`, micros(now.Add(ttl)), j.ID)
		return err
	})
	if err != nil {
		return bot.Job{}, false, fmt.Errorf("sqlitestore: claim job: %w", err)
	}
	return j, j.ID != "", nil
}

// EndJob removes a completed job.
func (s *Store) EndJob(ctx context.Context, id string) error {
	return s.changeJob(ctx, "end", `DELETE FROM jobs WHERE id = ?`, id)
}

// DelayJob extends the lease of a job.
func (s *Store) DelayJob(ctx context.Context, id string, by time.Duration, why string) error {
	return s.changeJob(ctx, "delay", `UPDATE jobs SET due = ?1, why = ?2, attempts = max(attempts - (?2 = ?4), 0) WHERE id = ?3 AND dead = 0`, micros(s.cfg.Now().Add(by)), why, id, bot.JobWaits)
}

// BuryJob keeps the row of a job that failed too often, without its body.
func (s *Store) BuryJob(ctx context.Context, id, why string) error {
	return s.changeJob(ctx, "bury", `UPDATE jobs SET dead = 1, why = ?, body = x'', due = ? WHERE id = ?`, why, micros(s.cfg.Now()), id)
}

func (s *Store) changeJob(ctx context.Context, what, query string, args ...any) error {
	err := s.write.run(ctx, func(t *tx) error {
		_, err := t.exec(query, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlitestore: %s job: %w", what, err)
	}
	return nil
}

// PendingJobs returns the number of pending jobs and the time of the oldest.
func (s *Store) PendingJobs(ctx context.Context) (int, time.Time, error) {
	type waiting struct {
		n      int
		oldest time.Time
	}
	w, err := one(ctx, s, func(r scanner) (waiting, error) {
		var w waiting
		var at sql.NullInt64
		err := r.Scan(&w.n, &at)
		w.oldest = fromMicros(at.Int64)
		return w, err
	}, `SELECT count(*), min(at) FROM jobs WHERE dead = 0 AND why <> 'parked'`)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("sqlitestore: pending jobs: %w", err)
	}
	return w.n, w.oldest, nil
}

// DropJobs removes a person's jobs.
func (s *Store) DropJobs(ctx context.Context, person string) (int, error) {
	var n int64
	err := s.write.run(ctx, func(t *tx) (err error) {
		n, err = t.exec(`DELETE FROM jobs WHERE person = ?`, person)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: drop jobs: %w", err)
	}
	return int(n), nil
}
