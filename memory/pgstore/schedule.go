package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/calendar"
	"maru/memory/scan"
)

var _ calendar.Store = (*Store)(nil)

const scheduleColumns = `id, version, state, due, body`

// PutSchedule stores a schedule if the row is at its version.
func (s *Store) PutSchedule(ctx context.Context, r calendar.Row, limits calendar.Limits) (int64, error) {
	op := newOp()
	var lost error
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		lost = nil
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			if err := roomForSchedule(ctx, tx, r, limits); errors.Is(err, calendar.ErrFull) {
				lost = err
				return nil
			} else if err != nil {
				return err
			}
			ok, err := saveSchedule(ctx, tx, r, op)
			if err == nil && !ok {
				lost = calendar.ErrChanged
			}
			return err
		})
	})
	if err = errors.Join(err, lost); err != nil {
		return 0, fmt.Errorf("pgstore: put schedule: %w", err)
	}
	return r.Version + 1, nil
}

// roomForSchedule returns ErrFull if a schedule starts to count towards a limit that is reached. It serialises the
// schedules of a channel and of an owner, so that the count holds until the commit.
func roomForSchedule(ctx context.Context, tx pgx.Tx, r calendar.Row, limits calendar.Limits) error {
	if !r.State.Counts() {
		return nil
	}
	var before string
	err := tx.QueryRow(ctx, `SELECT state FROM schedules WHERE id = $1`, r.ID).Scan(&before)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	if calendar.State(before).Counts() { // counted already
		return nil
	}
	for _, c := range []struct { // always in this order, to prevent deadlocks
		most  int
		key   string
		where string
		args  []any
		full  error
	}{
		{limits.Channel, "schedules/" + r.Channel(), `channel = $1`, []any{r.Channel()}, calendar.ErrFull},
		{limits.Person, "schedules of " + r.Thread.Person(r.Owner), `team = $1 AND owner = $2`, []any{r.Thread.TeamKey(), r.Owner.ID}, calendar.ErrPersonFull},
	} {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, c.key); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM schedules WHERE state IN ('active', 'paused') AND `+c.where, c.args...).Scan(&n); err != nil {
			return err
		}
		if c.most > 0 && n >= c.most {
			return c.full
		}
	}
	return nil
}

// saveSchedule writes a row if the stored one is at its version, or was written by the same op before.
func saveSchedule(ctx context.Context, tx pgx.Tx, r calendar.Row, op string) (bool, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	args := named{
		"id": r.ID, "version": r.Version, "state": string(r.State), "due": stamp(r.Due), "team": r.Thread.TeamKey(), "channel": r.Channel(),
		"thread": r.Thread.Key(), "owner": r.Owner.ID, "source": r.Source, "created": r.Created, "body": body, "op": op,
	}
	query := `UPDATE schedules SET version = @version::bigint + 1, state = @state, due = @due, team = @team, channel = @channel, thread = @thread,
		owner = @owner, source = @source, created = @created, body = @body, op = @op WHERE id = @id AND version = @version`
	if r.Version == 0 {
		query = `INSERT INTO schedules (id, version, state, due, team, channel, thread, owner, source, created, body, op)
			VALUES (@id, @version::bigint + 1, @state, @due, @team, @channel, @thread, @owner, @source, @created, @body, @op) ON CONFLICT (id) DO NOTHING`
	}
	tag, err := tx.Exec(ctx, query, args)
	if err != nil || tag.RowsAffected() == 1 {
		return err == nil, err
	}
	var last string
	err = tx.QueryRow(ctx, `SELECT op FROM schedules WHERE id = $1`, r.ID).Scan(&last)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return last == op, err
}

// FireSchedule stores a schedule and commits an item with it, if the row is at its version.
func (s *Store) FireSchedule(ctx context.Context, r calendar.Row, it bot.Item) (bool, error) {
	op := newOp()
	args, err := s.putArgs(it, op)
	if err != nil {
		return false, fmt.Errorf("pgstore: fire schedule: %w", err)
	}
	var won bool
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
			if won, err = saveSchedule(ctx, tx, r, op); err != nil || !won {
				return err
			}
			_, err = tx.Exec(ctx, `WITH cond AS (SELECT 1)`+sqlPut, args)
			return err
		})
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: fire schedule: %w", err)
	}
	return won, nil
}

// DropSchedule removes a schedule.
func (s *Store) DropSchedule(ctx context.Context, id string) (bool, error) {
	n, err := s.dropSchedules(ctx, `DELETE FROM schedules WHERE id = $1`, id)
	return n > 0, err
}

// DropDrafts removes old drafts.
func (s *Store) DropDrafts(ctx context.Context, before time.Time) (int, error) {
	return s.dropSchedules(ctx, `DELETE FROM schedules WHERE state NOT IN ('active', 'paused') AND created < $1`, before)
}

func (s *Store) dropSchedules(ctx context.Context, query string, args ...any) (int, error) {
	var n int64
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, query, args...)
		n = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("pgstore: drop schedules: %w", err)
	}
	return int(n), nil
}

// ScheduleByID returns a schedule.
func (s *Store) ScheduleByID(ctx context.Context, id string) (calendar.Row, error) {
	r, err := one(ctx, s, scan.Schedule, `SELECT `+scheduleColumns+` FROM schedules WHERE id = $1`, id)
	return r, wrap("schedule", err)
}

// DueSchedules lists due schedules, longest overdue first.
func (s *Store) DueSchedules(ctx context.Context, now time.Time, limit int) ([]calendar.Row, error) {
	return s.schedules(ctx, `state = 'active' AND due <= $1 ORDER BY due, id LIMIT $2`, now, bound(limit))
}

// Schedules lists the schedules of a channel or of an owner.
func (s *Store) Schedules(ctx context.Context, channel, team, owner string, limit int) ([]calendar.Row, error) {
	return s.schedules(ctx, `state IN ('active', 'paused') AND (channel = $1 OR $3 <> '' AND team = $2 AND owner = $3) ORDER BY created, id LIMIT $4`,
		channel, team, owner, bound(limit))
}

// AllSchedules lists the schedules of all workspaces.
func (s *Store) AllSchedules(ctx context.Context) ([]calendar.Row, error) {
	return s.schedules(ctx, `state IN ('active', 'paused') ORDER BY created, id`)
}

// SourceSchedules lists the schedules of workflows' triggers.
func (s *Store) SourceSchedules(ctx context.Context) ([]calendar.Row, error) {
	return s.schedules(ctx, `source <> '' ORDER BY created, id`)
}

func (s *Store) schedules(ctx context.Context, where string, args ...any) ([]calendar.Row, error) {
	list, err := all(ctx, s, scan.Schedule, `SELECT `+scheduleColumns+` FROM schedules WHERE `+where, args...)
	return list, wrap("schedules", err)
}
