package sqlitestore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/bot"
	"maru/memory/scan"
)

// TeamsWith lists the workspaces with data of a user id, in threads or under the person's name.
func (s *Store) TeamsWith(ctx context.Context, platform, user string) ([]string, error) {
	prefix, id, _ := strings.Cut(bot.Thread{Platform: platform, Team: user}.TeamKey(), "/") // as in a person's name
	list, err := all(ctx, s, "workspaces with a person", scan.TeamOf, `SELECT team, '' FROM threads t WHERE known = 1 AND platform = ?1 AND (
			EXISTS (SELECT 1 FROM entries WHERE thread = t.key AND user = ?2)
			OR EXISTS (SELECT 1 FROM runs WHERE thread = t.key AND user = ?2)
			OR EXISTS (SELECT 1 FROM ratings WHERE thread = t.key AND who = ?2))
		UNION SELECT '', team || '/' FROM usage WHERE team >= ?3 || '/' AND team < ?3 || '0' AND person = ?2
		UNION SELECT '', team || '/' FROM (SELECT team, owner FROM schedules UNION SELECT team, owner FROM outside_tokens UNION SELECT team, owner FROM outside_requests)
			WHERE team >= ?3 || '/' AND team < ?3 || '0' AND owner = ?2
		UNION SELECT '', person FROM (SELECT person FROM memories UNION SELECT person FROM jobs
			UNION SELECT substr(place, 6) FROM settings WHERE place >= 'user:' AND place < 'user;' AND NOT (key = 'memory' AND CAST(value AS TEXT) = 'false'))
			WHERE person >= ?3 || '/' AND person < ?3 || '0' AND substr(person, -length(?4) - 1) = '/' || ?4`, platform, user, prefix, id)
	if err != nil {
		return nil, err
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// ThreadsWith lists the threads of a workspace in which a person took part. It scans the workspace's threads:
// forgetting people is rare, and an index would cost every message.
func (s *Store) ThreadsWith(ctx context.Context, platform, team, user string) ([]bot.ThreadWith, error) {
	return all(ctx, s, "threads with a person", scan.ThreadWith, `SELECT platform, team, channel, id, direct,
			NOT EXISTS (SELECT 1 FROM entries WHERE thread = t.key AND own = 0 AND user NOT IN (?3, ''))
			AND NOT EXISTS (SELECT 1 FROM runs WHERE thread = t.key AND user NOT IN (?3, ''))
		FROM threads t WHERE known = 1 AND platform = ?1 AND team = ?2 AND (
			EXISTS (SELECT 1 FROM entries WHERE thread = t.key AND user = ?3)
			OR EXISTS (SELECT 1 FROM runs WHERE thread = t.key AND user = ?3)
			OR EXISTS (SELECT 1 FROM ratings WHERE thread = t.key AND who = ?3))`, platform, team, user)
}

// Withdraw removes a person's data from a thread.
func (s *Store) Withdraw(ctx context.Context, thread, user string) (bot.Withdrawal, error) {
	if err := s.stock(ctx); err != nil {
		return bot.Withdrawal{}, err
	}
	var w bot.Withdrawal
	err := s.write.run(ctx, func(t *tx) error {
		w = bot.Withdrawal{}
		runs, err := theirs(t, thread, user, &w)
		if err != nil {
			return err
		}
		if w.Runs, w.Answers, err = dropRuns(t, runs); err != nil {
			return err
		}
		if err := s.freeThread(t, thread, user, w.Newest, w.Messages); err != nil {
			return err
		}
		for _, st := range []struct {
			count *int
			query string
			args  []any
		}{
			{new(int), `DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWhole + `' || id FROM approvals WHERE run IN (SELECT value FROM json_each(?)))`, []any{list(runs)}},
			{&w.Approvals, `DELETE FROM approvals WHERE run IN (SELECT value FROM json_each(?))`, []any{list(runs)}},
			{new(int), sqlDropExchanges, []any{thread}},
			{&w.Ratings, `DELETE FROM ratings WHERE thread = ? AND (who = ? OR run IN (SELECT value FROM json_each(?)))`, []any{thread, user, list(runs)}},
			{new(int), `UPDATE entries SET text = '', author = '', user = '', sources = NULL, deleted = 1 WHERE thread = ? AND own = 0 AND user = ?`, []any{thread, user}},
			// Of all deleted messages, since a run may have noted one again before it was stopped.
			{new(int), `DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWorded + `' || id FROM entries WHERE thread = ? AND deleted = 1
				UNION ALL SELECT '` + bot.NoteHalt + `' || value FROM json_each(?))`, []any{thread, list(runs)}},
		} {
			n, err := t.exec(st.query, st.args...)
			if err != nil {
				return err
			}
			*st.count = int(n)
		}
		return nil
	})
	return w, wrap("withdraw a person", err)
}

// theirs finds a person's messages in a thread, and the runs that answer them.
func theirs(t *tx, thread, user string, w *bot.Withdrawal) (runs []string, err error) {
	into := func(list *[]string) func(scanner) error {
		return func(r scanner) error {
			v, err := scanText(r)
			*list = append(*list, v)
			return err
		}
	}
	if err := t.each(into(&w.Messages), `SELECT id FROM entries WHERE thread = ? AND own = 0 AND user = ?`, thread, user); err != nil {
		return nil, err
	}
	if err := t.each(into(&runs), `SELECT id FROM runs WHERE thread = ?1 AND user = ?2
		UNION SELECT run FROM replies WHERE thread = ?1 AND item IN (SELECT value FROM json_each(?3))`, thread, user, list(w.Messages)); err != nil {
		return nil, err
	}
	err = t.get(`SELECT coalesce((SELECT user = ?2 FROM entries WHERE thread = ?1 AND own = 0 ORDER BY at DESC, seq DESC LIMIT 1), 0)
		OR coalesce((SELECT user = ?2 FROM runs WHERE thread = ?1 ORDER BY started DESC LIMIT 1), 0)`, []any{thread, user}, &w.Newest)
	return runs, err
}

// dropRuns removes runs with their replies and clears the questions they answered.
func dropRuns(t *tx, runs []string) (dropped, answers int, err error) {
	for _, st := range []struct {
		count *int
		query string
	}{
		{&answers, `UPDATE entries SET text = '', sources = NULL, deleted = 1 WHERE own = 1 AND deleted = 0 AND run IN (SELECT value FROM json_each(?))`},
		{new(int), `DELETE FROM reply_messages WHERE run IN (SELECT value FROM json_each(?))`},
		{new(int), `DELETE FROM replies WHERE run IN (SELECT value FROM json_each(?))`},
		{&dropped, `DELETE FROM runs WHERE id IN (SELECT value FROM json_each(?))`},
	} {
		n, err := t.exec(st.query, list(runs))
		if err != nil {
			return 0, 0, err
		}
		*st.count = int(n)
	}
	return dropped, answers, nil
}

// freeThread ends a person's items in a thread and its lease, which fences pending writes; it clears a title in their
// words.
func (s *Store) freeThread(t *tx, thread, user string, newest bool, messages []string) error {
	_, err := t.exec(`UPDATE items SET state = 1, body = NULL, why = '', ended = ? WHERE thread = ? AND body IS NOT NULL AND (id IN (SELECT value FROM json_each(?))
		OR kind IN ('message', 'change') AND json_extract(CAST(body AS TEXT), '$.user.id') = ?)`, micros(s.cfg.Now()), thread, list(messages), user)
	if err != nil {
		return err
	}
	if len(messages) == 0 && !newest {
		return nil
	}
	token, err := s.tokens.take()
	if err != nil {
		return err
	}
	_, err = t.exec(`UPDATE threads SET owner = '', until = 0, token = ?1, since = (SELECT min(at) FROM items WHERE thread = ?2 AND state = 0),
		title = CASE WHEN (SELECT user = ?3 FROM entries WHERE thread = ?2 AND own = 0 ORDER BY at, seq LIMIT 1) THEN '' ELSE title END WHERE key = ?2`,
		token, thread, user)
	return err
}

// Unname removes a person's name from sums and notes.
func (s *Store) Unname(ctx context.Context, platform, team, user string) (int, error) {
	n := 0
	key := bot.Thread{Platform: platform, Team: team}.TeamKey()
	err := s.write.run(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO usage (day, team, channel, person, agent, runs, failed, took, calls, input, output, cached, cost)
			SELECT day, team, channel, '', agent, runs, failed, took, calls, input, output, cached, cost FROM usage WHERE team = ? AND person = ?
			ON CONFLICT (team, day, channel, person, agent) DO UPDATE SET
				runs = runs + excluded.runs, failed = failed + excluded.failed, took = took + excluded.took, calls = calls + excluded.calls,
				input = input + excluded.input, output = output + excluded.output, cached = cached + excluded.cached, cost = cost + excluded.cost`, key, user)
		if err != nil {
			return err
		}
		used, err := t.exec(`DELETE FROM usage WHERE team = ? AND person = ?`, key, user)
		if err != nil {
			return err
		}
		end := "/" + team + "/" + user
		notes, err := t.exec(`DELETE FROM notes WHERE key >= ?1 || '/' AND key < ?1 || '0' AND substr(key, -length(?2)) = ?2`, platform, end)
		if err != nil {
			return err
		}
		n = int(used + notes)
		for _, table := range []string{"schedules", "outside_tokens", "outside_requests"} {
			own, err := t.exec(`DELETE FROM `+table+` WHERE team = ? AND owner = ?`, key, user)
			if err != nil {
				return err
			}
			n += int(own)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: unname: %w", err)
	}
	return n, nil
}

// Scrub copies the write-ahead log into the database and truncates it. Deleted text in the database is
// overwritten, since secure_delete is on.
func (s *Store) Scrub(ctx context.Context) error {
	var busy, pages, moved int
	if err := s.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return fmt.Errorf("sqlitestore: scrub: %w", err)
	}
	if busy != 0 {
		return fmt.Errorf("sqlitestore: scrub: the write-ahead log is in use")
	}
	return nil
}
