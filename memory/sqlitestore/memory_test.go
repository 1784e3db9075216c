package sqlitestore_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/memory/longterm"
	"maru/memory/memtest"
	"maru/memory/sqlitestore"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	var opened sync.Map // one file has one process: replicas share its store
	memtest.RunMemory(t, func(t *testing.T) longterm.Store {
		if s, ok := opened.Load(t.Name()); ok {
			return s.(*sqlitestore.Store).Memory()
		}
		s := open(t, false)
		opened.Store(t.Name(), s)
		return s.Memory()
	})
}

func TestMemoryByVectors(t *testing.T) {
	t.Parallel()
	memtest.RunMemoryVectors(t, open(t, false).Memory())
}

// A job whose process died is handed out at the next start, without waiting.
func TestJobsOfADeadProcessAreFreeAtOnce(t *testing.T) {
	t.Parallel()
	cfg := sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")}
	s, err := sqlitestore.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	th := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}
	if _, err := s.Put(t.Context(), bot.Item{ID: "i", Thread: th.Key(), Kind: bot.ItemMessage, Body: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	l, _, err := s.Claim(t.Context(), th.Key(), "w", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), l, "i", bot.Outcome{Jobs: []bot.Job{{ID: "j", Kind: "learn", Person: "u", Body: []byte("{}")}}}); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := s.ClaimJob(t.Context(), time.Hour); !ok || err != nil {
		t.Fatalf("claim: %v, %v", ok, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlitestore.Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // the last one
	if j, ok, err := s.ClaimJob(t.Context(), time.Hour); !ok || err != nil || j.Attempts != 1 {
		t.Errorf("after the restart: %+v, %v, %v", j, ok, err)
	}
	// One that waits for another try goes on waiting.
	if err := errors.Join(s.DelayJob(t.Context(), "j", time.Hour, "it failed"), s.Close()); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlitestore.Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if j, ok, err := s.ClaimJob(t.Context(), time.Hour); ok || err != nil {
		t.Errorf("tried again before its time: %+v, %v", j, err)
	}
}
