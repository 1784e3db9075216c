package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/outside"
	"maru/memory/scan"
)

var _ outside.Store = (*Store)(nil)

const tokenColumns = `id, hash, expires, body`

// PutToken stores a new token. Writes of one owner are serialised, so that the count holds until the commit.
func (s *Store) PutToken(ctx context.Context, t outside.Token, most int) error {
	op, team := newOp(), t.Home.Thread().TeamKey()
	body, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("pgstore: put token: %w", err)
	}
	full := false
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "tokens of "+team+"/"+t.Owner.ID); err != nil {
				return err
			}
			var n int
			if err := tx.QueryRow(ctx, `SELECT count(*) FROM outside_tokens WHERE team = $1 AND owner = $2 AND expires > $3 AND op <> $4`, team, t.Owner.ID, t.Created, op).Scan(&n); err != nil {
				return err
			}
			if full = n >= most; full {
				return nil
			}
			_, err := tx.Exec(ctx, `INSERT INTO outside_tokens (id, hash, team, owner, created, expires, body, op) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
				t.ID, t.Hash, team, t.Owner.ID, t.Created, t.Expires, body, op)
			return err
		})
	})
	if err == nil && full {
		err = outside.ErrFull
	}
	return wrap("put token", err)
}

// TokenByHash returns a token.
func (s *Store) TokenByHash(ctx context.Context, hash string) (outside.Token, error) {
	t, err := one(ctx, s, scan.Token, `SELECT `+tokenColumns+` FROM outside_tokens WHERE hash = $1`, hash)
	return t, wrap("token", err)
}

// Tokens lists a person's tokens.
func (s *Store) Tokens(ctx context.Context, h outside.Home, person string) ([]outside.Token, error) {
	list, err := all(ctx, s, scan.Token, `SELECT `+tokenColumns+` FROM outside_tokens WHERE team = $1 AND owner = $2 ORDER BY created, id`, h.Thread().TeamKey(), person)
	return list, wrap("tokens", err)
}

// DropToken removes a person's token.
func (s *Store) DropToken(ctx context.Context, h outside.Home, person, id string) (bool, error) {
	there := false
	err := s.try(ctx, func(ctx context.Context, again bool) error {
		tag, err := s.pool.Exec(ctx, `DELETE FROM outside_tokens WHERE team = $1 AND owner = $2 AND id = $3`, h.Thread().TeamKey(), person, id)
		there = tag.RowsAffected() > 0 || again && there
		return err
	})
	if err != nil {
		return false, fmt.Errorf("pgstore: drop token: %w", err)
	}
	return there, nil
}

const filedColumns = `id, key, contents, receipt, body`

// FileRequest stores a request with its item.
func (s *Store) FileRequest(ctx context.Context, f outside.Filed, it bot.Item) (outside.Filed, bool, error) {
	op, team := newOp(), f.Home.Thread().TeamKey()
	body, err := json.Marshal(f)
	var args named
	if err == nil {
		args, err = s.putArgs(it, op)
	}
	if err != nil {
		return outside.Filed{}, false, fmt.Errorf("pgstore: file request: %w", err)
	}
	fresh := false
	err = s.try(ctx, func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			var won string
			err := tx.QueryRow(ctx, `INSERT INTO outside_requests (id, team, owner, key, contents, thread, body, op) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
				ON CONFLICT (team, owner, key) DO UPDATE SET op = outside_requests.op RETURNING op`, f.ID, team, f.Person, f.Key, f.Contents, f.Thread.Key(), body, op).Scan(&won)
			if fresh = won == op; err != nil || !fresh {
				return err
			}
			_, err = tx.Exec(ctx, `WITH cond AS (SELECT 1)`+sqlPut, args)
			return err
		})
	})
	var stored outside.Filed
	if err == nil {
		stored, err = one(ctx, s, scan.Filed, `SELECT `+filedColumns+` FROM outside_requests WHERE team = $1 AND owner = $2 AND key = $3`, team, f.Person, f.Key)
	}
	if err == nil && stored.Contents != f.Contents {
		err = outside.ErrOther
	}
	if err != nil {
		return outside.Filed{}, false, fmt.Errorf("pgstore: file request: %w", err)
	}
	return stored, fresh, nil
}

// FiledByID returns a request.
func (s *Store) FiledByID(ctx context.Context, id string) (outside.Filed, error) {
	f, err := one(ctx, s, scan.Filed, `SELECT `+filedColumns+` FROM outside_requests WHERE id = $1`, id)
	return f, wrap("request", err)
}

// Receipted stores a request's receipt.
func (s *Store) Receipted(ctx context.Context, id, receipt string) (string, error) {
	var stored string
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		return s.pool.QueryRow(ctx, `UPDATE outside_requests SET receipt = CASE receipt WHEN '' THEN $2 ELSE receipt END WHERE id = $1 RETURNING receipt`, id, receipt).Scan(&stored)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = bot.ErrNotFound
	}
	return stored, wrap("receipt", err)
}
