package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

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
	err = s.write.run(ctx, func(t *tx) error {
		if err := held(t, l); err != nil {
			return err
		}
		st, err := t.stmt(`SELECT ` + replyColumns + ` FROM replies WHERE run = ?`)
		if err != nil {
			return err
		}
		stored, err = scanReply(st.QueryRowContext(context.Background(), r.Run))
		if created = errors.Is(err, sql.ErrNoRows); err != nil && !created {
			return err
		}
		first, err := alone(t, l.Thread, r.Run)
		if err != nil || !created {
			stored.First = first
			return err
		}
		if r.At.IsZero() {
			r.At = s.cfg.Now()
		}
		if r.State == "" {
			r.State = bot.ReplyOpen
		}
		r.Thread, r.At = l.Thread, fromMicros(micros(r.At))
		stored = r
		stored.First = first
		return saveReply(t, r, l.Thread, r.At)
	})
	if err != nil {
		return bot.Reply{}, false, fmt.Errorf("sqlitestore: open reply: %w", err)
	}
	return stored, created, nil
}

// alone reports whether a thread has no other reply.
func alone(t *tx, thread, run string) (bool, error) {
	var one int
	err := t.get(`SELECT 1 FROM replies WHERE thread = ? AND run <> ? LIMIT 1`, []any{thread, run}, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return false, err
}

// saveReply writes a complete reply; an empty Ref keeps the stored one.
func saveReply(t *tx, r bot.Reply, thread string, now time.Time) error {
	th, err := bot.ParseThread(thread)
	if err != nil {
		return err
	}
	ref, err := json.Marshal(r.Ref)
	if err != nil {
		return err
	}
	if r.At.IsZero() {
		r.At = now
	}
	_, err = t.exec(`INSERT INTO replies (run, thread, platform, item, ref, state, card, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET state = excluded.state, card = excluded.card, ref = CASE WHEN ? THEN ref ELSE excluded.ref END`,
		r.Run, thread, th.Platform, r.Item, ref, string(r.State), blob(r.Card), micros(r.At), flag(r.Ref.IsZero()))
	return err
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
	if err != nil {
		return fmt.Errorf("sqlitestore: set ref: %w", err)
	}
	return nil
}

// Reply returns the reply of a run.
func (s *Store) Reply(ctx context.Context, run string) (bot.Reply, error) {
	r, err := one(ctx, s, scanReply, `SELECT `+replyColumns+` FROM replies WHERE run = ?`, run)
	if err != nil {
		return bot.Reply{}, fmt.Errorf("sqlitestore: reply: %w", err)
	}
	return r, nil
}

// OpenReplies lists the replies of a thread that are not final, oldest first.
func (s *Store) OpenReplies(ctx context.Context, thread string) ([]bot.Reply, error) {
	list, err := all(ctx, s, scanReply, `SELECT `+replyColumns+` FROM replies WHERE thread = ? AND state = 'open' ORDER BY at, run`, thread)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: open replies: %w", err)
	}
	return list, nil
}
