package place_test

import (
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/memory/sqlitestore"
)

// TestAPermissionCountsOnce: a decision that is applied again, as a repeated attempt of its run does, gives nothing back that somebody ended,
// and replaces no later decision; two at once are both kept.
func TestAPermissionCountsOnce(t *testing.T) {
	t.Parallel()
	record, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = record.Close() })
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	r := place.New(place.Config{Record: record, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	at := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}
	allow := func(a place.Allowed) {
		t.Helper()
		if err := r.Allow(t.Context(), at, a); err != nil {
			t.Error(err)
		}
	}
	list := func() []place.Allowed {
		t.Helper()
		l, err := r.AllowedIn(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first := place.Allowed{Tool: "find", Digest: "d", By: "slack/T1/U1", At: now.Add(-time.Minute), Days: 30}
	allow(first)
	if was, err := r.Disallow(t.Context(), at, bot.User{ID: "U2"}, "find"); err != nil || !was {
		t.Fatal(was, err)
	}
	if allow(first); len(list()) != 0 {
		t.Errorf("what was ended is back: %+v", list())
	}
	now = now.Add(time.Hour)
	later := place.Allowed{Tool: "find", Digest: "d", By: "slack/T1/U1", At: now, Days: 1}
	allow(later)
	if allow(first); len(list()) != 1 || list()[0].Days != 1 {
		t.Errorf("an older decision counts: %+v", list())
	}
	var both sync.WaitGroup
	for _, tool := range []string{"a", "b", "c", "d"} {
		both.Go(func() { allow(place.Allowed{Tool: tool, Digest: "d", By: "slack/T1/U1", At: now, Days: 7}) })
	}
	if both.Wait(); len(list()) != 5 {
		t.Errorf("of two at once one is lost: %+v", list())
	}
}
