package sqlitestore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
)

// TestBlanksFollowTheFile: a reader finds a note once its writer has returned, also with concurrent writers that share commits.
// While nothing is added, lookups are answered from the cache.
func TestBlanksFollowTheFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := Open(ctx, Config{Path: filepath.Join(t.TempDir(), "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	turn := func(r *rand.Rand, writer int) error {
		key := fmt.Sprintf("kind%d/%d", r.IntN(3), writer)
		value := []string{"", "1"}[r.IntN(2)]
		if err := s.SetNote(ctx, key, value); err != nil {
			return err
		}
		got, err := s.NotesOf(ctx, []string{"kind9/0", key})
		if err == nil && got[key] != value {
			err = fmt.Errorf("note %s is %q, want %q", key, got[key], value)
		}
		return err
	}
	var all sync.WaitGroup
	failed := make([]error, 4)
	for i := range failed {
		all.Go(func() {
			r := rand.New(rand.NewPCG(7, uint64(i)))
			for range 200 {
				failed[i] = errors.Join(failed[i], turn(r, i))
			}
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kind1/1", "/of no kind"} {
		if err := s.SetNote(ctx, key, "1"); err != nil {
			t.Fatal(err)
		}
		if got, err := s.NotesOf(ctx, []string{key}); err != nil || got[key] != "1" {
			t.Errorf("note %s: %v, %v", key, got, err)
		}
	}
	for range 2 {
		if got, err := s.NotesOf(ctx, []string{"kind9/0", "kind9/1"}); err != nil || len(got) != 0 {
			t.Fatalf("notes %v, %v", got, err)
		}
	}
	if none, known, _ := s.write.blanks.Get("kind9/"); !none || !known {
		t.Errorf("of an absent kind: none %v, known %v", none, known)
	}
}
