package pgstore_test

import (
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestOneOwner(t *testing.T) {
	t.Parallel()
	s := open(t, config(t))
	own := func(owner string, ttl time.Duration) bool {
		t.Helper()
		ok, err := s.Own(t.Context(), "shard", owner, ttl)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	var all sync.WaitGroup
	var won atomic.Int32
	for n := range 8 {
		all.Go(func() {
			if own(string(rune('a'+n)), time.Hour) {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d owners", won.Load())
	}
	for _, owner := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		if err := s.Disown(t.Context(), "shard", owner); err != nil {
			t.Fatal(err)
		}
	}
	if !own("one", time.Hour) {
		t.Error("what is free cannot be had")
	}
	switch {
	case !own("one", time.Hour):
		t.Error("what is one's own cannot be prolonged")
	case own("two", time.Hour):
		t.Error("what is another's can be had")
	}
	if err := s.Disown(t.Context(), "shard", "two"); err != nil || own("two", time.Hour) {
		t.Errorf("somebody else gave it up: %v", err)
	}
	if !own("one", time.Microsecond) || !own("two", time.Hour) {
		t.Error("what has run out cannot be had")
	}
	if _, err := s.Own(t.Context(), "shard", "", time.Hour); err == nil {
		t.Error("nobody may own")
	}
}

func TestWhoOwnsNow(t *testing.T) {
	t.Parallel()
	s := open(t, config(t))
	if err := s.SetNote(t.Context(), "discord/seen", "not json"); err != nil { // notes are anything
		t.Fatal(err)
	}
	for name, ttl := range map[string]time.Duration{"seat/0": time.Hour, "seat/1": time.Microsecond, "other": time.Hour} {
		if ok, err := s.Own(t.Context(), name, "of "+name, ttl); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	got, err := s.Owned(t.Context(), []string{"seat/0", "seat/1", "seat/2", "discord/seen"})
	if want := map[string]string{"seat/0": "of seat/0"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("owners %v, want %v, %v", got, want, err)
	}
	if got, err := s.Owned(t.Context(), nil); err != nil || len(got) > 0 {
		t.Errorf("nothing is owned by %v, %v", got, err)
	}
}
