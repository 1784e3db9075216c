package place_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
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

// together is a replica's record. Its first read of settings waits until the other replica has read as well.
type together struct {
	place.Record
	once sync.Once
	all  *sync.WaitGroup
}

func (r *together) SettingsOf(ctx context.Context, places []string) ([]bot.Setting, error) {
	list, err := r.Record.SettingsOf(ctx, places)
	r.once.Do(func() {
		r.all.Done()
		r.all.Wait()
	})
	return list, err
}

// TestReplicasKeepBothPermissions has two replicas read a channel's permissions before either of them writes.
func TestReplicasKeepBothPermissions(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (one, other place.Record){
		"sqlite": func(t *testing.T) (one, other place.Record) {
			s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s, s
		},
		"postgres": func(t *testing.T) (one, other place.Record) {
			cfg := pgstore.Config{URL: servers.Postgres(t), Schema: servers.Name(), Timeout: time.Minute}
			both := make([]*pgstore.Store, 2)
			for i := range both {
				var err error
				if both[i], err = pgstore.Open(t.Context(), cfg); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = both[i].Close() })
			}
			return both[0], both[1]
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := time.Now()
			at := bot.Thread{Platform: "slack", Team: "T1", Channel: "C1"}
			one, other := open(t)
			for _, last := range []string{"allow", "end"} {
				var read, done sync.WaitGroup
				read.Add(2)
				replica := func(of place.Record) *place.Rules {
					return place.New(place.Config{Record: &together{Record: of, all: &read}, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
				}
				a, b := replica(one), replica(other)
				done.Go(func() {
					if err := a.Allow(t.Context(), at, place.Allowed{Tool: "of a, before it can " + last, Digest: "d", By: "slack/T1/U1", At: now, Days: 7}); err != nil {
						t.Error(err)
					}
				})
				done.Go(func() {
					var err error
					if last == "allow" {
						err = b.Allow(t.Context(), at, place.Allowed{Tool: "of b", Digest: "d", By: "slack/T1/U2", At: now, Days: 7})
					} else {
						_, err = b.Disallow(t.Context(), at, bot.User{ID: "U2"}, "of b")
					}
					if err != nil {
						t.Error(err)
					}
				})
				done.Wait()
			}
			list, err := place.New(place.Config{Record: one, Now: func() time.Time { return now }}).AllowedIn(t.Context(), at)
			if err != nil || len(list) != 2 || list[0].Tool == "of b" || list[1].Tool == "of b" {
				t.Errorf("permissions %+v, %v", list, err)
			}
		})
	}
}
