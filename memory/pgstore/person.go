package pgstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/memory/scan"
)

// TeamsWith lists the workspaces with data of a user id, in threads or under the person's name.
func (s *Store) TeamsWith(ctx context.Context, platform, user string) ([]string, error) {
	prefix, id, _ := strings.Cut(bot.Thread{Platform: platform, Team: user}.TeamKey(), "/") // as in a person's name
	list, err := all(ctx, s, scan.TeamOf, `SELECT team, '' FROM threads t WHERE known AND platform = $1 AND (
			EXISTS (SELECT 1 FROM entries WHERE thread = t.key AND person = $2)
			OR EXISTS (SELECT 1 FROM runs WHERE thread = t.key AND person = $2)
			OR EXISTS (SELECT 1 FROM ratings WHERE thread = t.key AND who = $2))
		UNION SELECT '', team || '/' FROM usage WHERE starts_with(team, $3 || '/') AND person = $2
		UNION SELECT '', team || '/' FROM (SELECT team, owner FROM schedules UNION SELECT team, owner FROM outside_tokens UNION SELECT team, owner FROM outside_requests) AS o
			WHERE starts_with(team, $3 || '/') AND owner = $2
		UNION SELECT '', person FROM (SELECT person FROM memories UNION SELECT person FROM jobs
			UNION SELECT substr(place, 6) FROM settings WHERE starts_with(place, 'user:') AND NOT (key = 'memory' AND value::text = 'false')) AS p
			WHERE starts_with(person, $3 || '/') AND right(person, length($4) + 1) = '/' || $4`, platform, user, prefix, id)
	if err != nil {
		return nil, fmt.Errorf("pgstore: workspaces with a person: %w", err)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// ThreadsWith lists the threads of a workspace in which a person took part. It scans the workspace's threads:
// forgetting people is rare, and an index would cost every message.
func (s *Store) ThreadsWith(ctx context.Context, platform, team, user string) ([]bot.ThreadWith, error) {
	list, err := all(ctx, s, scan.ThreadWith, `SELECT platform, team, channel, id, direct,
			NOT EXISTS (SELECT 1 FROM entries WHERE thread = t.key AND NOT own AND person NOT IN ($3, ''))
			AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = t.key AND person NOT IN ($3, ''))
		FROM threads t WHERE known AND platform = $1 AND team = $2 AND (
			EXISTS (SELECT 1 FROM entries WHERE thread = t.key AND person = $3)
			OR EXISTS (SELECT 1 FROM runs WHERE thread = t.key AND person = $3)
			OR EXISTS (SELECT 1 FROM ratings WHERE thread = t.key AND who = $3))`, platform, team, user)
	return list, wrap("threads with a person", err)
}

// Withdraw removes a person's data from a thread. It is idempotent: a retry after a lost commit counts too little and
// leaves nothing.
func (s *Store) Withdraw(ctx context.Context, thread, user string) (bot.Withdrawal, error) {
	var w bot.Withdrawal
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		w = bot.Withdrawal{}
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return withdraw(ctx, tx, thread, user, &w) })
	})
	return w, wrap("withdraw a person", err)
}

func withdraw(ctx context.Context, tx pgx.Tx, thread, user string, w *bot.Withdrawal) error {
	runs, err := theirs(ctx, tx, thread, user, w)
	if err != nil {
		return err
	}
	if err := freeThread(ctx, tx, thread, user, *w); err != nil {
		return err
	}
	for _, st := range []struct {
		count *int
		query string
		args  []any
	}{
		{&w.Answers, `UPDATE entries SET text = '', sources = NULL, deleted = true WHERE thread = $1 AND own AND NOT deleted AND run = ANY($2)`, []any{thread, runs}},
		{new(int), `DELETE FROM replies WHERE run = ANY($1)`, []any{runs}},
		{&w.Runs, `DELETE FROM runs WHERE id = ANY($1)`, []any{runs}},
		{new(int), `DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWhole + `' || id FROM approvals WHERE thread = $1 AND run = ANY($2))`, []any{thread, runs}},
		{&w.Approvals, `DELETE FROM approvals WHERE thread = $1 AND run = ANY($2)`, []any{thread, runs}},
		{new(int), sqlDropExchanges, []any{thread}},
		{&w.Ratings, `DELETE FROM ratings WHERE thread = $1 AND (who = $2 OR run = ANY($3))`, []any{thread, user, runs}},
		{new(int), `UPDATE entries SET text = '', author = '', person = '', sources = NULL, deleted = true WHERE thread = $1 AND NOT own AND person = $2`, []any{thread, user}},
		// Of all deleted messages, since a run may have noted one again before it was stopped.
		{new(int), `DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWorded + `' || id FROM entries WHERE thread = $1 AND deleted
			UNION ALL SELECT '` + bot.NoteHalt + `' || run FROM unnest($2::text[]) AS run)`, []any{thread, runs}},
	} {
		tag, err := tx.Exec(ctx, st.query, st.args...)
		if err != nil {
			return err
		}
		*st.count = int(tag.RowsAffected())
	}
	return nil
}

// theirs finds a person's messages in a thread, and the runs that answer them.
func theirs(ctx context.Context, tx pgx.Tx, thread, user string, w *bot.Withdrawal) (runs []string, err error) {
	texts := func(query string, args ...any) ([]string, error) {
		rows, err := tx.Query(ctx, query, args...)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[string])
	}
	// Concurrent puts and finishes of the thread wait.
	if _, err := texts(`SELECT key FROM threads WHERE key = $1 FOR UPDATE`, thread); err != nil {
		return nil, err
	}
	if w.Messages, err = texts(`SELECT id FROM entries WHERE thread = $1 AND NOT own AND person = $2`, thread, user); err != nil {
		return nil, err
	}
	if runs, err = texts(`SELECT id FROM runs WHERE thread = $1 AND person = $2
		UNION SELECT run FROM replies WHERE thread = $1 AND item = ANY($3)`, thread, user, w.Messages); err != nil {
		return nil, err
	}
	err = tx.QueryRow(ctx, `SELECT coalesce((SELECT person = $2 FROM entries WHERE thread = $1 AND NOT own ORDER BY at DESC, seq DESC LIMIT 1), false)
		OR coalesce((SELECT person = $2 FROM runs WHERE thread = $1 ORDER BY started DESC NULLS LAST LIMIT 1), false)`, thread, user).Scan(&w.Newest)
	return runs, err
}

// freeThread ends a person's items in a thread and its lease, which fences pending writes; it clears a title in their
// words.
func freeThread(ctx context.Context, tx pgx.Tx, thread, user string, w bot.Withdrawal) error {
	_, err := tx.Exec(ctx, `UPDATE items SET state = 1, body = NULL, why = '', ended = now() WHERE thread = $1 AND body IS NOT NULL AND (id = ANY($2)
		OR kind IN ('message', 'change') AND convert_from(body, 'UTF8')::json->'user'->>'id' = $3)`, thread, w.Messages, user)
	if err != nil || len(w.Messages) == 0 && !w.Newest {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE threads SET owner = '', until = '-infinity', op = '', token = nextval('lease_tokens'),
		since = (SELECT min(at) FROM items WHERE thread = $1 AND state = 0),
		title = CASE WHEN (SELECT person = $2 FROM entries WHERE thread = $1 AND NOT own ORDER BY at, seq LIMIT 1) THEN '' ELSE title END WHERE key = $1`,
		thread, user)
	return err
}

// Unname removes a person's name from sums and notes.
func (s *Store) Unname(ctx context.Context, platform, team, user string) (int, error) {
	key := bot.Thread{Platform: platform, Team: team}.TeamKey()
	n := 0
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			used, err := tx.Exec(ctx, `WITH gone AS (DELETE FROM usage WHERE team = $1 AND person = $2 RETURNING *)
				INSERT INTO usage AS v (day, team, channel, person, agent, runs, failed, took, calls, input, output, cached, cost)
				SELECT day, team, channel, '', agent, runs, failed, took, calls, input, output, cached, cost FROM gone
				ON CONFLICT (team, day, channel, person, agent) DO UPDATE SET
					runs = v.runs + excluded.runs, failed = v.failed + excluded.failed, took = v.took + excluded.took, calls = v.calls + excluded.calls,
					input = v.input + excluded.input, output = v.output + excluded.output, cached = v.cached + excluded.cached, cost = v.cost + excluded.cost`, key, user)
			if err != nil {
				return err
			}
			notes, err := tx.Exec(ctx, `DELETE FROM notes WHERE starts_with(key, $1 || '/') AND right(key, length($2)) = $2`, platform, "/"+team+"/"+user)
			if err != nil {
				return err
			}
			n = int(used.RowsAffected() + notes.RowsAffected())
			for _, table := range []string{"schedules", "outside_tokens", "outside_requests"} {
				own, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE team = $1 AND owner = $2`, key, user)
				if err != nil {
					return err
				}
				n += int(own.RowsAffected())
			}
			return nil
		})
	})
	if err != nil {
		return 0, fmt.Errorf("pgstore: unname: %w", err)
	}
	return n, nil
}

// Scrub does nothing: dead rows until VACUUM, the write-ahead log and backups are the operator's; see
// docs/operating.md.
func (s *Store) Scrub(context.Context) error { return nil }
