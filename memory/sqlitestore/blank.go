package sqlitestore

import (
	"context"
	"fmt"
	"strings"
)

// Every message asks whether a person has memories and whether there are notes of a kind, and the answer is usually no, so that it
// is cached. A transaction that adds either clears the cache before its writer returns; no other process writes the file.

// blank reports whether an EXISTS query is false. Its answer is cached under of.
func (s *Store) blank(ctx context.Context, of, query string, args ...any) (bool, error) {
	none, known, at := s.write.blanks.Get(of)
	if known {
		return none, ctx.Err()
	}
	some, err := one(ctx, s, func(r scanner) (v bool, err error) { return v, r.Scan(&v) }, query, args...)
	if err != nil {
		return false, fmt.Errorf("sqlitestore: look for any: %w", err)
	}
	s.write.blanks.Put(of, !some, at)
	return !some, nil
}

// noNotes reports whether no note has the same kind as one of the keys. A kind is the part of a key before its first slash.
func (s *Store) noNotes(ctx context.Context, keys []string) (bool, error) {
	asked := ""
	for i, key := range keys {
		kind, _, ok := strings.Cut(key, "/")
		if !ok {
			return false, nil
		}
		if i > 0 && kind == asked {
			continue
		}
		none, err := s.blank(ctx, kind+"/", `SELECT EXISTS (SELECT 1 FROM notes WHERE key >= ?1 || '/' AND key < ?1 || '0')`, kind) // "0" follows "/"
		if err != nil || !none {
			return false, err
		}
		asked = kind
	}
	return true, nil
}
