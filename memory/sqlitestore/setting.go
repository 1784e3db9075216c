package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/audit"
	"maru/memory/scan"
)

// scanSetting reads the columns of a setting.
func scanSetting(r scanner) (bot.Setting, error) {
	var v bot.Setting
	var value []byte
	var at int64
	err := r.Scan(&v.Place, &v.Key, &value, &v.By, &at)
	v.Value, v.At = value, fromMicros(at)
	return v, err
}

// SettingsOf returns the settings of places.
func (s *Store) SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error) {
	if len(places) == 0 {
		return nil, nil
	}
	args := make([]any, len(places))
	for i, p := range places {
		args[i] = p
	}
	return all(ctx, s, "settings", scanSetting, `SELECT place, key, value, setter, at FROM settings WHERE place IN (?`+
		strings.Repeat(", ?", len(places)-1)+`) ORDER BY place, key`, args...)
}

// SetSetting sets or removes a value and writes the audit entry with it.
func (s *Store) SetSetting(ctx context.Context, v bot.Setting) error {
	_, err := s.setSettings(ctx, []bot.Setting{v}, nil)
	return err
}

// SwapSettings is SetSetting of several if the present values are those of before.
func (s *Store) SwapSettings(ctx context.Context, list []bot.Setting, before []json.RawMessage) (bool, error) {
	return s.setSettings(ctx, list, func(i int, now []byte) bool { return bytes.Equal(now, before[i]) })
}

// setSettings sets or removes values if each present one fits, and reports whether they do. With nil, any do.
func (s *Store) setSettings(ctx context.Context, list []bot.Setting, fits func(i int, now []byte) bool) (set bool, err error) {
	err = s.write.run(ctx, func(t *tx) error {
		found := make([][]byte, len(list))
		for i, v := range list {
			err := t.get(`SELECT value FROM settings WHERE place = ? AND key = ?`, []any{v.Place, v.Key}, &found[i])
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if set = fits == nil || fits(i, found[i]); !set {
				return nil
			}
		}
		set = true
		for i, v := range list {
			if err := putSetting(t, v, found[i], s.cfg.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: set setting: %w", err)
	}
	return set, nil
}

// putSetting sets or removes a value and writes its audit entry.
func putSetting(t *tx, v bot.Setting, before []byte, now time.Time) (err error) {
	if v.At.IsZero() {
		v.At = now
	}
	if v.Value == nil {
		_, err = t.exec(`DELETE FROM settings WHERE place = ? AND key = ?`, v.Place, v.Key)
	} else {
		_, err = t.exec(`INSERT INTO settings (place, key, value, setter, at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (place, key) DO UPDATE SET value = excluded.value, setter = excluded.setter, at = excluded.at`,
			v.Place, v.Key, blob(v.Value), v.By, micros(v.At))
	}
	if err != nil {
		return err
	}
	e, err := v.AuditEntry(before)
	if err != nil {
		return err
	}
	_, err = appendAudit(t, e, now)
	return err
}

// AppendAudit adds an entry to the audit log.
func (s *Store) AppendAudit(ctx context.Context, e audit.Entry) (audit.Entry, error) {
	var stored audit.Entry
	err := s.write.run(ctx, func(t *tx) (err error) {
		stored, err = appendAudit(t, e, s.cfg.Now())
		return err
	})
	return stored, wrap("append audit", err)
}

// appendAudit links an entry to its team's chain and stores it.
func appendAudit(t *tx, e audit.Entry, now time.Time) (audit.Entry, error) {
	if e.At.IsZero() {
		e.At = now
	}
	e.At = fromMicros(micros(e.At))
	e.Prev = ""
	err := t.get(`SELECT hash FROM audit WHERE team = ? ORDER BY seq DESC LIMIT 1`, []any{e.Team}, &e.Prev)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return e, err
	}
	if err := t.get(`SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0) + 1`, nil, &e.Seq); err != nil {
		return e, err
	}
	if e.Hash, err = e.Sum(); err != nil {
		return e, err
	}
	_, err = t.exec(`INSERT INTO audit (seq, at, team, who, what, detail, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		e.Seq, micros(e.At), e.Team, e.Who, e.What, blob(e.Detail), e.Prev, e.Hash)
	return e, err
}

// scanAudit reads the columns of an audit entry.
func scanAudit(r scanner) (audit.Entry, error) {
	var e audit.Entry
	var detail []byte
	var at int64
	err := r.Scan(&e.Seq, &at, &e.Team, &e.Who, &e.What, &detail, &e.Prev, &e.Hash)
	e.At, e.Detail = fromMicros(at), detail
	return e, err
}

const auditColumns = `seq, at, team, who, what, detail, prev, hash`

// AuditLog returns the entries of a team after a Seq, oldest first.
func (s *Store) AuditLog(ctx context.Context, team string, after int64, limit int) ([]audit.Entry, error) {
	return all(ctx, s, "audit log", scanAudit, `SELECT `+auditColumns+` FROM audit WHERE team = ? AND seq > ? ORDER BY seq LIMIT 0 + ?`,
		team, after, bound(limit))
}

// AuditTail returns the newest entries of a team, newest first.
func (s *Store) AuditTail(ctx context.Context, team string, limit int) ([]audit.Entry, error) {
	return all(ctx, s, "audit log", scanAudit, `SELECT `+auditColumns+` FROM audit WHERE team = ? ORDER BY seq DESC LIMIT 0 + ?`, team, bound(limit))
}

// AuditTeams lists the teams that have an audit log.
func (s *Store) AuditTeams(ctx context.Context) ([]string, error) {
	return all(ctx, s, "teams of the audit log", scanText, `SELECT DISTINCT team FROM audit ORDER BY team`)
}

// Note returns an adapter's note, "" if there is none.
func (s *Store) Note(ctx context.Context, key string) (string, error) {
	v, err := one(ctx, s, scanText, `SELECT value FROM notes WHERE key = ?`, key)
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
	if none, err := s.noNotes(ctx, keys); err != nil || none {
		return nil, err
	}
	raw, err := json.Marshal(keys)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: notes: %w", err)
	}
	list, err := all(ctx, s, "notes", scan.Pair, `SELECT key, value FROM notes WHERE key IN (SELECT value FROM json_each(?))`, string(raw))
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(list))
	for _, kv := range list {
		out[kv[0]] = kv[1]
	}
	return out, nil
}

// SetNote stores a value; "" removes the note.
func (s *Store) SetNote(ctx context.Context, key, value string) error {
	query, args := `INSERT INTO notes (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, []any{key, value}
	if value == "" {
		query, args = `DELETE FROM notes WHERE key = ?`, []any{key}
	}
	_, err := s.change(ctx, "set note", query, args...)
	return err
}

// SwapNote stores a value if the note holds before, or the value.
func (s *Store) SwapNote(ctx context.Context, key, before, value string) (done bool, err error) {
	err = s.write.run(ctx, func(t *tx) error {
		var now string
		if err := t.get(`SELECT value FROM notes WHERE key = ?`, []any{key}, &now); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		done = now == before || now == value
		switch {
		case !done || now == value:
			return nil
		case value == "":
			_, err = t.exec(`DELETE FROM notes WHERE key = ?`, key)
		default:
			_, err = t.exec(`INSERT INTO notes (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: swap note: %w", err)
	}
	return done, nil
}

// FirstNote stores a note if there is none and returns the stored one.
func (s *Store) FirstNote(ctx context.Context, key, value string) (string, error) {
	err := s.write.run(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO notes (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING`, key, value)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("sqlitestore: first note: %w", err)
	}
	return s.Note(ctx, key)
}
