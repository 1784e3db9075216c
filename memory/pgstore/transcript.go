package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/memory/scan"
)

// scanEntry reads the columns of an entry.
func scanEntry(r pgx.CollectableRow) (bot.Entry, error) {
	var e bot.Entry
	var sources []byte
	err := r.Scan(&e.ID, &e.Thread, &e.Own, &e.Author, &e.User, &e.Text, &e.Run, &sources, &e.At, &e.Deleted)
	e.Sources, e.At = sources, e.At.UTC()
	return e, err
}

// maxTranscript limits the entries of a thread read at once, for pages that show long threads.
const maxTranscript = 10_000

// Transcript returns the last entries of a thread, oldest first.
func (s *Store) Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error) {
	limit = cmp.Or(max(limit, 0), maxList)
	list, err := all(ctx, s, scanEntry, `SELECT id, thread, own, author, person, text, run, sources, at, deleted FROM entries
		WHERE thread = $1 ORDER BY at DESC, seq DESC LIMIT $2`, thread, min(limit, maxTranscript))
	if err != nil {
		return nil, fmt.Errorf("pgstore: transcript: %w", err)
	}
	slices.Reverse(list)
	return list, nil
}

// SaidIn returns the last messages of people in a thread, oldest first, without their sources.
func (s *Store) SaidIn(ctx context.Context, thread string, limit int) ([]bot.Entry, error) {
	list, err := all(ctx, s, scanEntry, `SELECT id, thread, own, author, person, text, run, NULL::bytea, at, deleted FROM entries
		WHERE thread = $1 AND NOT own AND NOT deleted AND text <> '' ORDER BY at DESC, seq DESC LIMIT $2`, thread, min(limit, maxTranscript))
	if err != nil {
		return nil, fmt.Errorf("pgstore: said in a thread: %w", err)
	}
	slices.Reverse(list)
	return list, nil
}

// Entry returns one entry of a thread.
func (s *Store) Entry(ctx context.Context, thread, id string) (bot.Entry, error) {
	e, err := one(ctx, s, scanEntry, `SELECT id, thread, own, author, person, text, run, sources, at, deleted FROM entries
		WHERE thread = $1 AND id = $2`, thread, id)
	return e, wrap("entry", err)
}

// Known reports whether the bot takes part in a thread.
func (s *Store) Known(ctx context.Context, thread string) (bool, error) {
	known, err := one(ctx, s, pgx.RowTo[bool], `SELECT EXISTS (SELECT 1 FROM threads WHERE key = $1 AND known)`, thread)
	if err != nil {
		return false, fmt.Errorf("pgstore: known: %w", err)
	}
	return known, nil
}

// Threads lists the threads of a channel, newest first.
func (s *Store) Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error) {
	list, err := all(ctx, s, scan.Thread, `SELECT platform, team, channel, id, direct, title, created, updated FROM threads
		WHERE known AND platform = $1 AND team = $2 AND channel = $3 ORDER BY updated DESC LIMIT $4`, platform, team, channel, bound(limit))
	return list, wrap("threads", err)
}

// Amend changes the text of an entry or, when deleted, clears it, together with the copies in finished items, and puts an
// item.
func (s *Store) Amend(ctx context.Context, thread, id string, c bot.Change, with *bot.Item) (fresh bool, err error) {
	op, args, then := newOp(), named{"thread": thread, "id": ""}, ` SELECT count(*) FROM cond`
	if with != nil {
		if args, err = s.putArgs(*with, op); err != nil {
			return false, fmt.Errorf("pgstore: amend: %w", err)
		}
		then = sqlPut
	}
	args["entry"], args["new"], args["edited"] = id, clean(c.Text), stamp(c.At)
	query := sqlReword
	if c.Deleted {
		query = sqlErase
	}
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		var n int
		if with == nil {
			err := s.pool.QueryRow(ctx, query+then, args).Scan(&n)
			if fresh = n > 0; err == nil && !fresh {
				return bot.ErrNotFound
			}
			return err
		}
		b := &pgx.Batch{}
		b.Queue(query+then, args)
		b.Queue(`SELECT op = $2 FROM items WHERE id = $1`, with.ID, op).QueryRow(func(r pgx.Row) error { return r.Scan(&fresh) })
		if err := s.batch(ctx, b); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return bot.ErrNotFound // the entry: with it there would be the item
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: amend: %w", err)
	}
	return fresh, nil
}

// sqlReword and sqlErase change an entry, once for an item: sqlPut, which follows them, puts it if they did.
const (
	sqlReword = `WITH quoting AS (DELETE FROM exchanges WHERE thread = @thread), cond AS (
		UPDATE entries SET text = @new, edited = coalesce(@edited, edited) WHERE thread = @thread AND id = @entry AND NOT deleted
			AND (@edited::timestamptz IS NULL OR edited IS NULL OR edited <= @edited) AND NOT EXISTS (SELECT 1 FROM items WHERE id = @id) RETURNING 1
	)`
	sqlErase = `WITH quoting AS (DELETE FROM exchanges WHERE thread = @thread), copies AS (
		UPDATE items SET body = NULL WHERE thread = @thread AND id = @entry AND state <> 0
	), worded AS (
		DELETE FROM notes WHERE key = '` + bot.NoteWorded + `' || @entry
	), cond AS (
		UPDATE entries SET text = '', sources = NULL, deleted = true WHERE thread = @thread AND id = @entry
			AND NOT EXISTS (SELECT 1 FROM items WHERE id = @id) RETURNING 1
	)`
)

// Forget removes a thread with all of its data, including the agents' logs. The ids of its items stay for a while,
// so that a redelivered message does not bring it back, as does its fencing token.
func (s *Store) Forget(ctx context.Context, thread string) error {
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		b := &pgx.Batch{}
		b.Queue(`UPDATE threads SET known = false, title = '', since = NULL, owner = '', until = '-infinity', op = '',
			token = nextval('lease_tokens'), updated = now() WHERE key = $1`, thread)
		b.Queue(`UPDATE items SET state = 1, body = NULL, why = '', ended = now() WHERE thread = $1`, thread)
		for _, q := range []string{
			`DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWorded + `' || id FROM entries WHERE thread = $1
				UNION ALL SELECT '` + bot.NoteHalt + `' || run FROM replies WHERE thread = $1
				UNION ALL SELECT '` + bot.NoteWhole + `' || id FROM approvals WHERE thread = $1 UNION ALL SELECT '` + bot.NoteHeard + `' || $1)`,
			`DELETE FROM replies WHERE thread = $1`, `DELETE FROM entries WHERE thread = $1`, `DELETE FROM runs WHERE thread = $1`, sqlDropExchanges,
			`DELETE FROM approvals WHERE thread = $1`, `DELETE FROM ratings WHERE thread = $1`, `DELETE FROM artifacts WHERE thread = $1`, `DELETE FROM settings WHERE place = $1`, `DELETE FROM schedules WHERE thread = $1`, `DELETE FROM outside_requests WHERE thread = $1`, `DELETE FROM log WHERE thread = $1 OR thread >= $1 || '#' AND thread < $1 || '$'`, // "$" follows "#": the agents' logs of the thread
		} {
			b.Queue(q, thread)
		}
		return s.batch(ctx, b)
	})
	return wrap("forget", err)
}

// SaveRun stores or replaces the trace of a run.
func (s *Store) SaveRun(ctx context.Context, r bot.Run) error {
	return s.saveRun(ctx, r, sqlSaveRun, named{})
}

const sqlSaveRun = `INSERT INTO runs (id, thread, agent, person, status, started, ended, worked, usage, trace)
	VALUES (@run, @thread, @agent, @person, @status, @started, @ended, @worked, @usage, @trace)
	ON CONFLICT (id) DO UPDATE SET thread = excluded.thread, agent = excluded.agent, person = excluded.person, status = excluded.status,
		started = excluded.started, ended = excluded.ended, worked = excluded.worked, usage = excluded.usage, trace = excluded.trace`

// saveRun counts a run's cost and saves the run by a statement that may have arguments of its own.
func (s *Store) saveRun(ctx context.Context, r bot.Run, query string, args named) error {
	args["run"], args["thread"], args["agent"], args["person"], args["status"] = r.ID, r.Thread, r.Agent, r.User, r.Status
	args["started"], args["ended"], args["worked"] = stamp(r.Started), stamp(r.Ended), r.Worked.Microseconds()
	args["usage"], args["trace"] = []byte(r.Usage), []byte(r.Trace)
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		b := &pgx.Batch{}
		if r.Day != "" { // before the run is saved: counts the difference to the last saved cost
			b.Queue(sqlCount, countArgs(r))
		}
		b.Queue(query, args)
		return s.batch(ctx, b)
	})
	return wrap("save run", err)
}

const runColumns = `id, thread, agent, person, status, started, ended, worked, usage, trace`

// scanRun reads the columns of a run.
func scanRun(r pgx.CollectableRow) (bot.Run, error) {
	var v bot.Run
	var started, ended *time.Time
	var worked int64
	var usage, trace []byte
	err := r.Scan(&v.ID, &v.Thread, &v.Agent, &v.User, &v.Status, &started, &ended, &worked, &usage, &trace)
	v.Started, v.Ended, v.Usage, v.Trace = when(started), when(ended), usage, trace
	v.Worked = time.Duration(worked) * time.Microsecond
	return v, err
}

// RunByID returns a run.
func (s *Store) RunByID(ctx context.Context, id string) (bot.Run, error) {
	r, err := one(ctx, s, scanRun, `SELECT `+runColumns+` FROM runs WHERE id = $1`, id)
	return r, wrap("run", err)
}

// RunsOf lists the runs of a thread, newest first.
func (s *Store) RunsOf(ctx context.Context, thread string, limit int) ([]bot.Run, error) {
	list, err := all(ctx, s, scanRun, `SELECT `+runColumns+` FROM runs WHERE thread = $1 ORDER BY started DESC NULLS LAST, id LIMIT $2`, thread, bound(limit))
	return list, wrap("runs", err)
}

// Note returns an adapter's note, "" if there is none.
func (s *Store) Note(ctx context.Context, key string) (string, error) {
	v, err := one(ctx, s, pgx.RowTo[string], `SELECT value FROM notes WHERE key = $1`, key)
	if errors.Is(err, bot.ErrNotFound) {
		return "", nil
	}
	return v, wrap("note", err)
}

// NotesOf returns the notes of keys that have one.
func (s *Store) NotesOf(ctx context.Context, keys []string) (map[string]string, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	list, err := all(ctx, s, scan.Pair, `SELECT key, value FROM notes WHERE key = ANY($1)`, keys)
	if err != nil {
		return nil, fmt.Errorf("pgstore: notes: %w", err)
	}
	out := make(map[string]string, len(list))
	for _, kv := range list {
		out[kv[0]] = kv[1]
	}
	return out, nil
}

// SetNote stores a value; "" removes the note.
func (s *Store) SetNote(ctx context.Context, key, value string) error {
	query, args := `INSERT INTO notes (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, []any{key, clean(value)}
	if value == "" {
		query, args = `DELETE FROM notes WHERE key = $1`, []any{key}
	}
	return s.exec(ctx, "set note", query, args...)
}

// SwapNote stores a value if the note holds before, or the value: so a retry after a lost reply succeeds.
func (s *Store) SwapNote(ctx context.Context, key, before, value string) (done bool, err error) {
	before, value = clean(before), clean(value)
	query, args := `UPDATE notes SET value = $3 WHERE key = $1 AND value IN ($2, $3)`, []any{key, before, value}
	switch {
	case value == "":
		query, args = `DELETE FROM notes WHERE key = $1 AND value = $2`, args[:2]
	case before == "":
		query, args = `INSERT INTO notes (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE notes.value = excluded.value`, []any{key, value}
	}
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, query, args...)
		done = tag.RowsAffected() > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: swap note: %w", err)
	}
	if done || value != "" {
		return done, nil
	}
	now, err := s.Note(ctx, key)
	return now == "", err
}

// FirstNote stores a note if there is none and returns the stored one.
func (s *Store) FirstNote(ctx context.Context, key, value string) (string, error) {
	if err := s.exec(ctx, "first note", `INSERT INTO notes (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`, key, clean(value)); err != nil {
		return "", err
	}
	return s.Note(ctx, key)
}
