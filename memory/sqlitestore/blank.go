package sqlitestore

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// mostBlanks limits the cached answers.
const mostBlanks = 4096

// blanks caches lookups that find nothing: people without memories, kinds of notes without a note. Every message asks, and the
// answer is usually no. A transaction that adds a memory or a note clears the cache before its writer returns; no other
// process writes the file.
type blanks struct {
	mu    sync.Mutex
	added uint64          // number of those transactions
	of    map[string]bool // by person, or by the prefix of notes' keys: true if there is none
}

// get returns the cached answer, and a version to pass to put.
func (k *blanks) get(of string) (none, known bool, at uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	none, known = k.of[of]
	return none, known, k.added
}

// put caches an answer, unless a transaction has added something since version at.
func (k *blanks) put(of string, none bool, at uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.added != at {
		return
	}
	if len(k.of) >= mostBlanks {
		clear(k.of)
	}
	if k.of == nil {
		k.of = map[string]bool{}
	}
	k.of[of] = none
}

// committed clears the cache after a transaction that adds memories or notes.
func (k *blanks) committed(t *tx) {
	if !t.fills {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.added++
	clear(k.of)
}

// fillsBlanks reports whether a statement adds memories or notes.
func fillsBlanks(query string) bool {
	return strings.Contains(query, "INTO memories ") || strings.Contains(query, "INTO notes ")
}

// blank reports whether an EXISTS query is false. Its answer is cached under of.
func (s *Store) blank(ctx context.Context, of, query string, args ...any) (bool, error) {
	none, known, at := s.write.blanks.get(of)
	if known {
		return none, ctx.Err()
	}
	some, err := one(ctx, s, func(r scanner) (v bool, err error) { return v, r.Scan(&v) }, query, args...)
	if err != nil {
		return false, fmt.Errorf("sqlitestore: look for any: %w", err)
	}
	s.write.blanks.put(of, !some, at)
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
