package sqlitestore

import (
	"context"
	"time"

	"maru/bot"
)

// SaveRun stores or replaces the trace of a run.
func (s *Store) SaveRun(ctx context.Context, r bot.Run) error {
	return s.SaveRunWith(ctx, r, time.Time{}, nil)
}

// saveRun saves a run, mostly one that is new, and its cost.
func saveRun(t *tx, r bot.Run) error {
	args := []any{r.ID, r.Thread, r.Agent, r.User, r.Status, micros(r.Started), micros(r.Ended), r.Worked.Microseconds(), blob(r.Usage), blob(r.Trace)}
	n, err := t.exec(`INSERT INTO runs (id, thread, agent, user, status, started, ended, worked, usage, trace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, args...)
	if err != nil {
		return err
	}
	if err := count(t, r, n > 0); err != nil || n > 0 {
		return err
	}
	_, err = t.exec(`UPDATE runs SET thread = ?2, agent = ?3, user = ?4, status = ?5, started = ?6, ended = ?7, worked = ?8, usage = ?9, trace = ?10 WHERE id = ?1`, args...)
	return err
}

const runColumns = `id, thread, agent, user, status, started, ended, worked, usage, trace`

// scanRun reads the columns of a run.
func scanRun(r scanner) (bot.Run, error) {
	var v bot.Run
	var started, ended, worked int64
	var usage, trace []byte
	err := r.Scan(&v.ID, &v.Thread, &v.Agent, &v.User, &v.Status, &started, &ended, &worked, &usage, &trace)
	v.Started, v.Ended, v.Usage, v.Trace = fromMicros(started), fromMicros(ended), usage, trace
	v.Worked = time.Duration(worked) * time.Microsecond
	return v, err
}

// RunByID returns a run.
func (s *Store) RunByID(ctx context.Context, id string) (bot.Run, error) {
	r, err := one(ctx, s, scanRun, `SELECT `+runColumns+` FROM runs WHERE id = ?`, id)
	return r, wrap("run", err)
}

// RunsOf lists the runs of a thread, newest first.
func (s *Store) RunsOf(ctx context.Context, thread string, limit int) ([]bot.Run, error) {
	return all(ctx, s, "runs", scanRun, `SELECT `+runColumns+` FROM runs WHERE thread = ? ORDER BY started DESC, id LIMIT 0 + ?`, thread, bound(limit))
}
