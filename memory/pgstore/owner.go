package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// ownerPrefix is the key prefix of ownership notes.
const ownerPrefix = "owner/"

// Own acquires or renews ownership of a name for ttl; false means that another owner has it. The clock is the
// database's.
func (s *Store) Own(ctx context.Context, name, owner string, ttl time.Duration) (bool, error) {
	if name == "" || owner == "" || ttl <= 0 {
		return false, errors.New("pgstore: own needs a name, an owner and a time to live")
	}
	err := s.try(ctx, func(ctx context.Context, _ bool) error { // idempotent
		var one int
		return s.pool.QueryRow(ctx, `INSERT INTO notes (key, value)
			VALUES (@key, json_build_object('owner', @owner::text, 'until', now() + @ttl::interval))
			ON CONFLICT (key) DO UPDATE SET value = excluded.value
			WHERE notes.value::json->>'owner' = @owner OR (notes.value::json->>'until')::timestamptz <= now()
			RETURNING 1`, named{"key": ownerPrefix + name, "owner": owner, "ttl": ttl}).Scan(&one)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("pgstore: own %s: %w", name, err)
	}
	return true, nil
}

// Disown releases ownership; it never touches another owner's.
func (s *Store) Disown(ctx context.Context, name, owner string) error {
	return s.exec(ctx, "disown "+name, `DELETE FROM notes WHERE key = $1 AND value::json->>'owner' = $2`, ownerPrefix+name, owner)
}

// Owned returns the current owners by name, without unowned names.
func (s *Store) Owned(ctx context.Context, names []string) (map[string]string, error) {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = ownerPrefix + name
	}
	var owned map[string]string
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		rows, err := s.pool.Query(ctx, `SELECT key, value::json->>'owner' FROM notes
			WHERE key = ANY($1) AND CASE WHEN starts_with(key, 'owner/') THEN (value::json->>'until')::timestamptz > now() ELSE false END`, keys)
		if err != nil {
			return err
		}
		owned = map[string]string{}
		var key, owner string
		_, err = pgx.ForEachRow(rows, []any{&key, &owner}, func() error {
			owned[strings.TrimPrefix(key, ownerPrefix)] = owner
			return nil
		})
		return err
	})
	return owned, wrap("read owners", err)
}
