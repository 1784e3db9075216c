package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/memory/scan"
)

var _ calendar.Store = (*Store)(nil)

const scheduleColumns = `id, version, state, due, body`

// PutSchedule stores a schedule if the row is at its version.
func (s *Store) PutSchedule(ctx context.Context, r calendar.Row, limits calendar.Limits) (int64, error) {
	err := s.write.run(ctx, func(t *tx) error {
		if err := roomForSchedule(t, r, limits); err != nil {
			return err
		}
		ok, err := saveSchedule(t, r)
		if err == nil && !ok {
			err = calendar.ErrChanged
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: put schedule: %w", err)
	}
	return r.Version + 1, nil
}

// roomForSchedule returns ErrFull if a schedule starts to count towards a limit that is reached.
func roomForSchedule(t *tx, r calendar.Row, limits calendar.Limits) error {
	if !r.State.Counts() {
		return nil
	}
	var before string
	err := t.get(`SELECT state FROM schedules WHERE id = ?`, []any{r.ID}, &before)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if calendar.State(before).Counts() { // counted already
		return nil
	}
	for _, c := range []struct {
		most  int
		where string
		args  []any
		full  error
	}{
		{limits.Channel, `channel = ?`, []any{r.Channel()}, calendar.ErrFull},
		{limits.Person, `team = ? AND owner = ?`, []any{r.Thread.TeamKey(), r.Owner.ID}, calendar.ErrPersonFull},
	} {
		var n int
		if err := t.get(`SELECT count(*) FROM schedules WHERE state IN ('active', 'paused') AND `+c.where, c.args, &n); err != nil {
			return err
		}
		if c.most > 0 && n >= c.most {
			return c.full
		}
	}
	return nil
}

// saveSchedule writes a row if the stored one is at its version.
func saveSchedule(t *tx, r calendar.Row) (bool, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	args := []any{r.Version + 1, string(r.State), micros(r.Due), r.Thread.TeamKey(), r.Channel(), r.Thread.Key(), r.Owner.ID, r.Source, micros(r.Created), body, r.ID}
	query := `UPDATE schedules SET version = ?, state = ?, due = ?, team = ?, channel = ?, thread = ?, owner = ?, source = ?, created = ?, body = ?
		WHERE id = ? AND version = ?`
	if r.Version == 0 {
		query = `INSERT INTO schedules (version, state, due, team, channel, thread, owner, source, created, body, id)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`
	} else {
		args = append(args, r.Version)
	}
	n, err := t.exec(query, args...)
	return n == 1, err
}

// FireSchedule stores a schedule and commits an item with it, if the row is at its version.
func (s *Store) FireSchedule(ctx context.Context, r calendar.Row, it bot.Item) (bool, error) {
	var won bool
	err := s.write.run(ctx, func(t *tx) (err error) {
		if won, err = saveSchedule(t, r); err != nil || !won {
			return err
		}
		_, err = put(t, it, s.cfg.Now())
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: fire schedule: %w", err)
	}
	return won, nil
}

// DropSchedule removes a schedule.
func (s *Store) DropSchedule(ctx context.Context, id string) (bool, error) {
	n, err := s.dropSchedules(ctx, `DELETE FROM schedules WHERE id = ?`, id)
	return n > 0, err
}

// DropDrafts removes old drafts.
func (s *Store) DropDrafts(ctx context.Context, before time.Time) (int, error) {
	return s.dropSchedules(ctx, `DELETE FROM schedules WHERE state NOT IN ('active', 'paused') AND created < ?`, micros(before))
}

func (s *Store) dropSchedules(ctx context.Context, query string, args ...any) (int, error) {
	var n int64
	err := s.write.run(ctx, func(t *tx) (err error) {
		n, err = t.exec(query, args...)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: drop schedules: %w", err)
	}
	return int(n), nil
}

// ScheduleByID returns a schedule.
func (s *Store) ScheduleByID(ctx context.Context, id string) (calendar.Row, error) {
	r, err := one(ctx, s, scan.Schedule, `SELECT `+scheduleColumns+` FROM schedules WHERE id = ?`, id)
	return r, wrap("schedule", err)
}

// DueSchedules lists due schedules, longest overdue first.
func (s *Store) DueSchedules(ctx context.Context, now time.Time, limit int) ([]calendar.Row, error) {
	return s.schedules(ctx, `state = 'active' AND due <= ? ORDER BY due, id LIMIT ?`, micros(now), bound(limit))
}

// Schedules lists the schedules of a channel or of an owner.
func (s *Store) Schedules(ctx context.Context, channel, team, owner string, limit int) ([]calendar.Row, error) {
	return s.schedules(ctx, `state IN ('active', 'paused') AND (channel = ?1 OR ?3 <> '' AND team = ?2 AND owner = ?3) ORDER BY created, id LIMIT ?4`, channel, team, owner, bound(limit))
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
	return all(ctx, s, "schedules", scan.Schedule, `SELECT `+scheduleColumns+` FROM schedules WHERE `+where, args...)
}
