package sqlitestore

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/bot"
	"maru/bot/outside"
	"maru/memory/scan"
)

var _ outside.Store = (*Store)(nil)

const tokenColumns = `id, hash, expires, body`

// PutToken stores a new token.
func (s *Store) PutToken(ctx context.Context, t outside.Token, most int) error {
	team := t.Home.Thread().TeamKey()
	body, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("sqlitestore: put token: %w", err)
	}
	err = s.write.run(ctx, func(x *tx) error {
		var n int
		if err := x.get(`SELECT count(*) FROM outside_tokens WHERE team = ? AND owner = ? AND expires > ?`, []any{team, t.Owner.ID, micros(t.Created)}, &n); err != nil {
			return err
		}
		if n >= most {
			return outside.ErrFull
		}
		_, err := x.exec(`INSERT INTO outside_tokens (id, hash, team, owner, created, expires, body) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			t.ID, t.Hash, team, t.Owner.ID, micros(t.Created), micros(t.Expires), body)
		return err
	})
	return wrap("put token", err)
}

// TokenByHash returns a token.
func (s *Store) TokenByHash(ctx context.Context, hash string) (outside.Token, error) {
	t, err := one(ctx, s, scan.Token, `SELECT `+tokenColumns+` FROM outside_tokens WHERE hash = ?`, hash)
	return t, wrap("token", err)
}

// Tokens lists a person's tokens.
func (s *Store) Tokens(ctx context.Context, h outside.Home, person string) ([]outside.Token, error) {
	return all(ctx, s, "tokens", scan.Token, `SELECT `+tokenColumns+` FROM outside_tokens WHERE team = ? AND owner = ? ORDER BY created, id`, h.Thread().TeamKey(), person)
}

// DropToken removes a person's token.
func (s *Store) DropToken(ctx context.Context, h outside.Home, person, id string) (bool, error) {
	var n int64
	err := s.write.run(ctx, func(x *tx) (err error) {
		n, err = x.exec(`DELETE FROM outside_tokens WHERE team = ? AND owner = ? AND id = ?`, h.Thread().TeamKey(), person, id)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: drop token: %w", err)
	}
	return n > 0, nil
}

const filedColumns = `id, key, contents, receipt, body`

// FileRequest stores a request with its item.
func (s *Store) FileRequest(ctx context.Context, f outside.Filed, it bot.Item) (outside.Filed, bool, error) {
	fresh := false
	team := f.Home.Thread().TeamKey()
	body, err := json.Marshal(f)
	if err != nil {
		return outside.Filed{}, false, fmt.Errorf("sqlitestore: file request: %w", err)
	}
	err = s.write.run(ctx, func(x *tx) error {
		n, err := x.exec(`INSERT INTO outside_requests (id, team, owner, key, contents, thread, body) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (team, owner, key) DO NOTHING`,
			f.ID, team, f.Person, f.Key, f.Contents, f.Thread.Key(), body)
		if fresh = n == 1; err != nil || !fresh {
			return err
		}
		_, err = put(x, it, s.cfg.Now())
		return err
	})
	var stored outside.Filed
	if err == nil {
		stored, err = one(ctx, s, scan.Filed, `SELECT `+filedColumns+` FROM outside_requests WHERE team = ? AND owner = ? AND key = ?`, team, f.Person, f.Key)
	}
	if err == nil && stored.Contents != f.Contents {
		err = outside.ErrOther
	}
	if err != nil {
		return outside.Filed{}, false, fmt.Errorf("sqlitestore: file request: %w", err)
	}
	return stored, fresh, nil
}

// FiledByID returns a request.
func (s *Store) FiledByID(ctx context.Context, id string) (outside.Filed, error) {
	f, err := one(ctx, s, scan.Filed, `SELECT `+filedColumns+` FROM outside_requests WHERE id = ?`, id)
	return f, wrap("request", err)
}

// Receipted stores a request's receipt.
func (s *Store) Receipted(ctx context.Context, id, receipt string) (string, error) {
	err := s.write.run(ctx, func(x *tx) error {
		_, err := x.exec(`UPDATE outside_requests SET receipt = ? WHERE id = ? AND receipt = ''`, receipt, id)
		return err
	})
	var f outside.Filed
	if err == nil {
		f, err = s.FiledByID(ctx, id)
	}
	if err != nil {
		return "", fmt.Errorf("sqlitestore: receipt: %w", err)
	}
	return f.Receipt, nil
}
