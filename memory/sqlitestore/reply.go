package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"maru/bot"
)

const replyColumns = `run, thread, item, ref, state, card, at`

// scanReply reads the columns of a reply.
func scanReply(r scanner) (bot.Reply, error) {
	var v bot.Reply
	var ref, card []byte
	var state string
	var at int64
	if err := r.Scan(&v.Run, &v.Thread, &v.Item, &ref, &state, &card, &at); err != nil {
		return bot.Reply{}, err
	}
	v.State, v.Card, v.At = bot.ReplyState(state), card, fromMicros(at)
	if err := json.Unmarshal(ref, &v.Ref); err != nil {
		return bot.Reply{}, fmt.Errorf("decode the ref of %s: %w", v.Run, err)
	}
	return v, nil
}

// Open returns the reply of a run; it creates a missing one.
func (s *Store) Open(ctx context.Context, l bot.Lease, r bot.Reply) (stored bot.Reply, created bool, err error) {
	if r.Run == "" {
		return bot.Reply{}, false, errors.New("sqlitestore: open reply: it names no run")
	}
	r.State = cmp.Or(r.State, bot.ReplyOpen)
	r.Thread = l.Thread
	err = s.write.run(ctx, func(t *tx) error {
		first, err := alone(t, l, r.Run)
		if err != nil {
			return err
		}
		stored = r
		if stored.At.IsZero() {
			stored.At = s.cfg.Now()
		}
		stored.At = fromMicros(micros(stored.At))
		if created, err = saveReply(t, stored, false); err != nil || created {
			stored.First = first
			return err
		}
		st, err := t.stmt(`SELECT ` + replyColumns + ` FROM replies WHERE run = ?`)
		if err != nil {
			return err
		}
		stored, err = scanReply(st.QueryRowContext(context.Background(), r.Run))
		stored.First = first
		return err
	})
	if err != nil {
		return bot.Reply{}, false, fmt.Errorf("sqlitestore: open reply: %w", err)
	}
	return stored, created, nil
}

// alone reports whether the thread of a held lease has no reply but that of run.
func alone(t *tx, l bot.Lease, run string) (first bool, err error) {
	err = t.get(`SELECT NOT EXISTS (SELECT 1 FROM replies WHERE thread = ?1 AND run <> ?2) FROM threads WHERE key = ?1 AND token = ?3 AND owner <> ''`,
		[]any{l.Thread, run, l.Token}, &first)
	if errors.Is(err, sql.ErrNoRows) {
		return false, bot.ErrFenced
	}
	return first, err
}

// saveReply writes a complete reply and reports whether it did. It replaces the run's reply only if told to, and then an empty Ref keeps
// the stored one.
func saveReply(t *tx, r bot.Reply, replace bool) (bool, error) {
	th, err := bot.ParseThread(r.Thread)
	if err != nil {
		return false, err
	}
	ref, err := json.Marshal(r.Ref)
	if err != nil {
		return false, err
	}
	n, err := t.exec(`INSERT INTO replies (run, thread, platform, item, ref, state, card, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET state = excluded.state, card = excluded.card, ref = CASE WHEN ? THEN ref ELSE excluded.ref END WHERE ?`,
		r.Run, r.Thread, th.Platform, r.Item, ref, string(r.State), blob(r.Card), micros(r.At), flag(r.Ref.IsZero()), flag(replace))
	return n > 0, err
}

// SetRef stores the posted message of a reply.
func (s *Store) SetRef(ctx context.Context, l bot.Lease, run string, ref bot.Ref) error {
	raw, err := json.Marshal(ref)
	if err != nil {
		return fmt.Errorf("sqlitestore: set ref: %w", err)
	}
	err = s.write.run(ctx, func(t *tx) error {
		if err := held(t, l); err != nil {
			return err
		}
		n, err := t.exec(`UPDATE replies SET ref = ? WHERE run = ? AND thread = ?`, raw, run, l.Thread)
		if err == nil && n == 0 {
			return bot.ErrNotFound
		}
		return err
	})
	return wrap("set ref", err)
}

// Reply returns the reply of a run.
func (s *Store) Reply(ctx context.Context, run string) (bot.Reply, error) {
	r, err := one(ctx, s, scanReply, `SELECT `+replyColumns+` FROM replies WHERE run = ?`, run)
	return r, wrap("reply", err)
}

// OpenReplies lists the replies of a thread that are not final, oldest first.
func (s *Store) OpenReplies(ctx context.Context, thread string) ([]bot.Reply, error) {
	return all(ctx, s, "open replies", scanReply, `SELECT `+replyColumns+` FROM replies WHERE thread = ? AND state = 'open' ORDER BY at, run`, thread)
}
