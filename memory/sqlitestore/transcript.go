package sqlitestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/bot"
	"maru/memory/scan"
)

// putEntry adds an entry of the transcript unless it exists.
func putEntry(t *tx, e bot.Entry, thread string, now time.Time) error {
	if e.At.IsZero() {
		e.At = now
	}
	return t.add(entryChange{entry: stored(e, thread)}, `INSERT INTO entries (thread, id, own, author, user, text, run, sources, at, deleted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread, id) DO NOTHING`,
		thread, e.ID, flag(e.Own), e.Author, e.User, e.Text, e.Run, blob(e.Sources), micros(e.At), flag(e.Deleted))
}

// stored returns an entry as it is read back.
func stored(e bot.Entry, thread string) bot.Entry {
	e.Thread, e.At = thread, fromMicros(micros(e.At))
	return e
}

// answerEntry adds the entry of a reply to item, or replaces its text. It never sorts before the question: the
// platform's clock may be ahead of ours.
func answerEntry(t *tx, e bot.Entry, thread, item string, now time.Time) error {
	if e.At.IsZero() {
		e.At = now
	}
	return t.add(entryChange{stored(e, thread), item}, `INSERT INTO entries (thread, id, own, author, user, text, run, sources, at, deleted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, max(?, coalesce((SELECT at FROM entries WHERE thread = ? AND id = ?), 0)), ?)
		ON CONFLICT (thread, id) DO UPDATE SET text = excluded.text, run = excluded.run, sources = excluded.sources WHERE deleted = 0`,
		thread, e.ID, flag(e.Own), e.Author, e.User, e.Text, e.Run, blob(e.Sources), micros(e.At), thread, item, flag(e.Deleted))
}

// scanEntry reads the columns of an entry.
func scanEntry(r scanner) (bot.Entry, error) {
	var e bot.Entry
	var sources []byte
	var at int64
	err := r.Scan(&e.ID, &e.Thread, &e.Own, &e.Author, &e.User, &e.Text, &e.Run, &sources, &at, &e.Deleted)
	e.Sources, e.At = sources, fromMicros(at)
	return e, err
}

// maxTranscript limits the entries of a thread read at once, for pages that show long threads.
const maxTranscript = 10_000

// Transcript returns the last entries of a thread, oldest first.
func (s *Store) Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error) {
	limit = cmp.Or(max(limit, 0), maxList)
	kept := s.write.tails
	if list, ok := kept.last(thread, min(limit, maxTranscript)); ok {
		return list, ctx.Err()
	}
	reading, most := kept.begin(thread), max(min(limit, maxTranscript), tailEntries)
	list, err := all(ctx, s, "transcript", scanEntry, `SELECT id, thread, own, author, user, text, run, sources, at, deleted FROM entries
		WHERE thread = ? ORDER BY at DESC, seq DESC LIMIT 0 + ?`, thread, most)
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	kept.end(thread, reading, list[max(0, len(list)-tailEntries):], len(list) < most && len(list) <= tailEntries)
	return list[max(0, len(list)-limit):], nil
}

// SaidIn returns the last messages of people in a thread, oldest first, without their sources.
func (s *Store) SaidIn(ctx context.Context, thread string, limit int) ([]bot.Entry, error) {
	limit = min(limit, maxTranscript)
	if list, ok := s.write.tails.all(thread); ok {
		list = slices.DeleteFunc(list, func(e bot.Entry) bool { return e.Own || e.Deleted || e.Text == "" })
		for i := range list {
			list[i].Sources = nil
		}
		return list[max(0, len(list)-limit):], ctx.Err()
	}
	list, err := all(ctx, s, "said in a thread", scanEntry, `SELECT id, thread, own, author, user, text, run, NULL, at, deleted FROM entries
		WHERE thread = ? AND own = 0 AND deleted = 0 AND text <> '' ORDER BY at DESC, seq DESC LIMIT 0 + ?`, thread, limit)
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	return list, nil
}

// Entry returns one entry of a thread.
func (s *Store) Entry(ctx context.Context, thread, id string) (bot.Entry, error) {
	if e, found, known := s.write.tails.entry(thread, id); found {
		return e, ctx.Err()
	} else if known {
		return bot.Entry{}, fmt.Errorf("sqlitestore: entry: %w", bot.ErrNotFound)
	}
	e, err := one(ctx, s, scanEntry, `SELECT id, thread, own, author, user, text, run, sources, at, deleted FROM entries
		WHERE thread = ? AND id = ?`, thread, id)
	return e, wrap("entry", err)
}

// Known reports whether the bot takes part in a thread.
func (s *Store) Known(ctx context.Context, thread string) (bool, error) {
	_, err := one(ctx, s, scanText, `SELECT key FROM threads WHERE key = ? AND known = 1`, thread)
	if errors.Is(err, bot.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("sqlitestore: known: %w", err)
	}
	return true, nil
}

// Threads lists the threads of a channel, newest first.
func (s *Store) Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error) {
	return all(ctx, s, "threads", scan.Thread, `SELECT platform, team, channel, id, direct, title, created, updated FROM threads
		WHERE known = 1 AND platform = ? AND team = ? AND channel = ? ORDER BY updated DESC LIMIT 0 + ?`, platform, team, channel, bound(limit))
}

// Amend changes the text of an entry or, when deleted, clears it, together with the copies in finished items, and puts an
// item.
func (s *Store) Amend(ctx context.Context, thread, id string, c bot.Change, with *bot.Item) (fresh bool, err error) {
	err = s.write.run(ctx, func(t *tx) error {
		if fresh = with == nil; !fresh {
			if fresh, err = put(t, *with, s.cfg.Now()); err != nil || !fresh {
				return err
			}
		}
		return amend(t, thread, id, c)
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: amend: %w", err)
	}
	return fresh, nil
}

func amend(t *tx, thread, id string, c bot.Change) error {
	query, args := `UPDATE entries SET text = ?1, edited = max(edited, ?2) WHERE thread = ?3 AND id = ?4 AND deleted = 0 AND (?2 = 0 OR ?2 >= edited)`,
		[]any{c.Text, micros(c.At), thread, id}
	if c.Deleted {
		query, args = `UPDATE entries SET text = '', sources = NULL, deleted = 1 WHERE thread = ? AND id = ?`, []any{thread, id}
	}
	n, err := t.exec(query, args...)
	if err != nil {
		return err
	}
	if n == 0 {
		return bot.ErrNotFound
	}
	if _, err := t.exec(sqlDropExchanges, thread); err != nil {
		return err
	}
	if !c.Deleted {
		return nil
	}
	if _, err := t.exec(`DELETE FROM notes WHERE key = ?`, bot.NoteWorded+id); err != nil {
		return err
	}
	_, err = t.exec(`UPDATE items SET body = NULL WHERE id = ? AND thread = ? AND state <> 0`, id, thread)
	return err
}

// sqlDropNotes deletes the notes about the texts of a thread.
const sqlDropNotes = `DELETE FROM notes WHERE key IN (SELECT '` + bot.NoteWorded + `' || id FROM entries WHERE thread = ?1
	UNION ALL SELECT '` + bot.NoteHalt + `' || run FROM replies WHERE thread = ?1
	UNION ALL SELECT '` + bot.NoteWhole + `' || id FROM approvals WHERE thread = ?1 UNION ALL SELECT '` + bot.NoteHeard + `' || ?1)`

// Forget removes a thread with all of its data, including the agents' logs. The ids of its items stay for a while,
// so that a redelivered message does not bring it back, as does its fencing token.
func (s *Store) Forget(ctx context.Context, thread string) error {
	if err := s.stock(ctx); err != nil {
		return err
	}
	err := s.write.run(ctx, func(t *tx) error {
		token, err := s.tokens.take()
		if err != nil {
			return err
		}
		now := micros(s.cfg.Now())
		for _, st := range []struct {
			query string
			args  []any
		}{
			{`UPDATE threads SET known = 0, title = '', since = NULL, owner = '', until = 0, token = ?, updated = ? WHERE key = ?`, []any{token, now, thread}},
			{`UPDATE items SET state = 1, body = NULL, why = '', ended = ? WHERE thread = ?`, []any{now, thread}},
			{sqlDropNotes, []any{thread}},
			{`DELETE FROM reply_messages WHERE run IN (SELECT run FROM replies WHERE thread = ?)`, []any{thread}},
			{`DELETE FROM replies WHERE thread = ?`, []any{thread}},
			{`DELETE FROM entries WHERE thread = ?`, []any{thread}},
			{`DELETE FROM runs WHERE thread = ?`, []any{thread}},
			{sqlDropExchanges, []any{thread}},
			{`DELETE FROM approvals WHERE thread = ?`, []any{thread}},
			{`DELETE FROM ratings WHERE thread = ?`, []any{thread}},
			{`DELETE FROM artifacts WHERE thread = ?`, []any{thread}},
			{`DELETE FROM settings WHERE place = ?`, []any{thread}},
			{`DELETE FROM schedules WHERE thread = ?`, []any{thread}},
			{`DELETE FROM outside_requests WHERE thread = ?`, []any{thread}},
			// "$" follows "#": the agents' logs of this conversation.
			{`DELETE FROM log WHERE thread = ? OR thread >= ? AND thread < ?`, []any{thread, thread + "#", thread + "$"}},
		} {
			if _, err := t.exec(st.query, st.args...); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("forget", err)
}
