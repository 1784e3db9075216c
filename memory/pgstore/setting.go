package pgstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/audit"
)

// scanSetting reads the columns of a setting.
func scanSetting(r pgx.CollectableRow) (bot.Setting, error) {
	var v bot.Setting
	var value []byte
	err := r.Scan(&v.Place, &v.Key, &value, &v.By, &v.At)
	v.Value, v.At = value, v.At.UTC()
	return v, err
}

// SettingsOf returns the settings of these places.
func (s *Store) SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error) {
	if len(places) == 0 {
		return nil, nil
	}
	list, err := all(ctx, s, scanSetting, `SELECT place, key, value, setter, at FROM settings WHERE place = ANY($1) ORDER BY place, key`, places)
	return list, wrap("settings", err)
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
	op := newOp()
	err = s.tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, done, err := appended(ctx, tx, op); err != nil || done {
			set = done
			return err
		}
		if err := s.lockSettings(ctx, tx, list); err != nil {
			return err
		}
		found := make([][]byte, len(list))
		for i, v := range list {
			err := tx.QueryRow(ctx, `SELECT value FROM settings WHERE place = $1 AND key = $2`, v.Place, v.Key).Scan(&found[i])
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			if set = fits == nil || fits(i, found[i]); !set {
				return nil
			}
		}
		set = true
		for i, v := range list {
			if err := s.putSetting(ctx, tx, v, found[i], op+strings.Repeat("+", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: set setting: %w", err)
	}
	return set, nil
}

// lockSettings locks keys, in order, until the transaction ends. Row locks are not enough: the first value of a key has no row to
// lock, and two concurrent writers would both report that there was none before.
func (s *Store) lockSettings(ctx context.Context, tx pgx.Tx, list []bot.Setting) error {
	keys := make([]string, len(list))
	for i, v := range list {
		keys[i] = "maru/setting/" + s.cfg.Schema + "/" + v.Place + "/" + v.Key
	}
	slices.Sort(keys)
	for _, key := range keys {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, key); err != nil {
			return err
		}
	}
	return nil
}

// putSetting sets or removes a value and writes its audit entry.
func (s *Store) putSetting(ctx context.Context, tx pgx.Tx, v bot.Setting, before []byte, op string) (err error) {
	if v.Value == nil {
		_, err = tx.Exec(ctx, `DELETE FROM settings WHERE place = $1 AND key = $2`, v.Place, v.Key)
	} else {
		_, err = tx.Exec(ctx, `INSERT INTO settings (place, key, value, setter, at) VALUES ($1, $2, $3, $4, coalesce($5::timestamptz, now()))
			ON CONFLICT (place, key) DO UPDATE SET value = excluded.value, setter = excluded.setter, at = excluded.at`,
			v.Place, v.Key, text(v.Value), v.By, stamp(v.At))
	}
	if err != nil {
		return err
	}
	e, err := v.AuditEntry(before)
	if err != nil {
		return err
	}
	_, err = s.appendAudit(ctx, tx, e, op)
	return err
}

// tx runs do in a transaction and retries it after a lost connection: do must recognise the effects of an earlier
// attempt.
func (s *Store) tx(ctx context.Context, do func(ctx context.Context, tx pgx.Tx) error) error {
	return s.try(ctx, func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return do(ctx, tx) })
	})
}

// AppendAudit adds an entry to the audit log.
func (s *Store) AppendAudit(ctx context.Context, e audit.Entry) (audit.Entry, error) {
	op := newOp()
	var stored audit.Entry
	err := s.tx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		prior, done, err := appended(ctx, tx, op)
		if err != nil || done {
			stored = prior
			return err
		}
		stored, err = s.appendAudit(ctx, tx, e, op)
		return err
	})
	return stored, wrap("append audit", err)
}

const auditColumns = `seq, at, team, who, what, detail, prev, hash`

// scanAudit reads the columns of an audit entry.
func scanAudit(r pgx.CollectableRow) (audit.Entry, error) {
	var e audit.Entry
	var detail []byte
	err := r.Scan(&e.Seq, &e.At, &e.Team, &e.Who, &e.What, &detail, &e.Prev, &e.Hash)
	e.At, e.Detail = e.At.UTC(), detail
	return e, err
}

// appended returns the entry of a call whose reply was lost.
func appended(ctx context.Context, tx pgx.Tx, op string) (audit.Entry, bool, error) {
	rows, err := tx.Query(ctx, `SELECT `+auditColumns+` FROM audit WHERE op = $1`, op)
	if err != nil {
		return audit.Entry{}, false, err
	}
	list, err := pgx.CollectRows(rows, scanAudit)
	if err != nil || len(list) == 0 {
		return audit.Entry{}, false, err
	}
	return list[0], true, nil
}

// appendAudit links an entry to its team's chain and stores it. Entries of a team are serialised over all
// replicas.
func (s *Store) appendAudit(ctx context.Context, tx pgx.Tx, e audit.Entry, op string) (audit.Entry, error) {
	if err := s.lockAudit(ctx, tx, e.Team); err != nil {
		return e, err
	}
	var now time.Time
	err := tx.QueryRow(ctx, `SELECT nextval('audit_seq'), clock_timestamp(), coalesce((SELECT hash FROM audit WHERE team = $1 ORDER BY seq DESC LIMIT 1), '')`,
		e.Team).Scan(&e.Seq, &now, &e.Prev)
	if err != nil {
		return e, err
	}
	if e.At.IsZero() {
		e.At = now
	}
	e.At = e.At.UTC().Truncate(time.Microsecond) // the precision of the column
	if e.Hash, err = e.Sum(); err != nil {
		return e, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO audit (`+auditColumns+`, op) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		e.Seq, e.At, e.Team, e.Who, e.What, text(e.Detail), e.Prev, e.Hash, op)
	return e, err
}

// AuditLog returns the entries of a team after a Seq, oldest first.
func (s *Store) AuditLog(ctx context.Context, team string, after int64, limit int) ([]audit.Entry, error) {
	list, err := all(ctx, s, scanAudit, `SELECT `+auditColumns+` FROM audit WHERE team = $1 AND seq > $2 ORDER BY seq LIMIT $3`, team, after, bound(limit))
	return list, wrap("audit log", err)
}

// AuditTail returns the newest entries of a team, newest first.
func (s *Store) AuditTail(ctx context.Context, team string, limit int) ([]audit.Entry, error) {
	list, err := all(ctx, s, scanAudit, `SELECT `+auditColumns+` FROM audit WHERE team = $1 ORDER BY seq DESC LIMIT $2`, team, bound(limit))
	return list, wrap("audit log", err)
}

// AuditTeams lists the teams that have an audit log.
func (s *Store) AuditTeams(ctx context.Context) ([]string, error) {
	list, err := all(ctx, s, pgx.RowTo[string], `SELECT DISTINCT team FROM audit ORDER BY team`)
	return list, wrap("teams of the audit log", err)
}
