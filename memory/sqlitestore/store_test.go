package sqlitestore_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"maru/bot"
	"maru/bot/audit"
	"maru/datatest"
	"maru/memory/memtest"
	"maru/memory/schema"
	"maru/memory/sqlitestore"
)

func ctxOfChild() context.Context { return context.Background() }

// empty is the file of a record in which nothing is: making one costs more than most tests
// do with it.
var empty = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "maru.db")
	s, err := sqlitestore.Open(context.Background(), sqlitestore.Config{Path: path})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// open gives a store in a folder of its own.
func open(t testing.TB, full bool) *sqlitestore.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "maru.db")
	file, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path, Full: full})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestRecord(t *testing.T) {
	t.Parallel()
	memtest.RunRecord(t, func(t *testing.T) bot.Record { return open(t, false) })
}

func TestSecondOwnerIsTurnedAwayWithTheFoldersName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "maru.db")
	first, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
	if !errors.Is(err, sqlitestore.ErrInUse) {
		t.Fatalf("error %v, want ErrInUse", err)
	}
	for _, want := range []string{filepath.Dir(path), fmt.Sprint(os.Getpid())} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
	if err != nil {
		t.Fatalf("open after close: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestReopenKeepsEverythingAndTokensGrow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "이름 with ?strange%20#letters.db")
	key := bot.Thread{Platform: "web", Team: "local", Channel: "c", ID: "1"}.Key()
	var last int64
	for i := range 3 {
		s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), bot.Item{ID: fmt.Sprint(i), Thread: key, Entry: &bot.Entry{ID: fmt.Sprint(i), Text: "x"}}); err != nil {
			t.Fatal(err)
		}
		l, ok, err := s.Claim(t.Context(), key, "w", time.Minute)
		if err != nil || !ok || l.Token <= last {
			t.Fatalf("claim %d: token %d after %d, %v, %v", i, l.Token, last, ok, err)
		}
		last = l.Token
		if err := s.Release(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		list, err := s.Transcript(t.Context(), key, 10)
		if err != nil || len(list) != i+1 {
			t.Fatalf("transcript has %d entries, %v", len(list), err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), bot.Item{ID: "late", Thread: key}); !errors.Is(err, sqlitestore.ErrClosed) {
			t.Errorf("put after close: %v", err)
		}
	}
	st, err := os.Stat(path)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", st.Mode(), err)
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("a closed store leaves its write-ahead log behind")
	}
}

func TestFileOfANewerProgramIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "maru.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path}); !errors.Is(err, schema.ErrNewer) {
		t.Errorf("error %v, want ErrNewer", err)
	}
}

func TestFileThatIsNoDatabaseIsAnErrorAndLeavesItAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "maru.db")
	text := strings.Repeat("this is not a database\n", 100)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path}); err == nil {
		t.Error("opened a text file")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file was changed (%v)", err)
	}
}

// One writer's fault stays its own: those that share its transaction commit.
func TestFaultInABatchStaysWithItsCaller(t *testing.T) {
	t.Parallel()
	s := open(t, false)
	key := bot.Thread{Platform: "web", Team: "local", Channel: "c"}.Key()
	bad := json.RawMessage(`not json`) // the audit entry of a setting cannot be made from it
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if i%5 == 0 {
				if err := s.SetSetting(t.Context(), bot.Setting{Place: fmt.Sprint(i), Key: "k", Value: bad}); err == nil {
					t.Error("a setting that is no JSON was taken")
				}
				return
			}
			if fresh, err := s.Put(t.Context(), bot.Item{ID: fmt.Sprint(i), Thread: key}); err != nil || !fresh {
				t.Errorf("put %d: %v, %v", i, fresh, err)
			}
		})
	}
	wg.Wait()
	if n, _, err := s.Pending(t.Context(), ""); err != nil || n != 160 {
		t.Errorf("pending %d, %v; want 160", n, err)
	}
	list, err := s.SettingsOf(t.Context(), []string{"0", "5", "10"})
	if err != nil || len(list) != 0 {
		t.Errorf("settings %v, %v; want none", list, err)
	}
}

// A caller that gives up while others write leaves no trace, or the whole.
func TestCancelledWritersNeitherBlockNorHalfWrite(t *testing.T) {
	t.Parallel()
	s := open(t, false)
	key := bot.Thread{Platform: "web", Team: "local", Channel: "c"}.Key()
	var wg sync.WaitGroup
	var mu sync.Mutex
	taken := 0
	for i := range 300 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			if i%3 == 0 {
				go cancel()
			}
			defer cancel()
			fresh, err := s.Put(ctx, bot.Item{ID: fmt.Sprint(i), Thread: key, Entry: &bot.Entry{ID: fmt.Sprint(i)}})
			switch {
			case err == nil && fresh:
				mu.Lock()
				taken++
				mu.Unlock()
			case !errors.Is(err, context.Canceled):
				t.Errorf("put %d: %v, %v", i, fresh, err)
			}
		})
	}
	wg.Wait()
	n, _, err := s.Pending(t.Context(), "")
	if err != nil || n != taken {
		t.Errorf("pending %d, %v; %d were acknowledged", n, err, taken)
	}
	list, err := s.Transcript(t.Context(), key, 1000)
	if err != nil || len(list) != taken {
		t.Errorf("%d entries, %v; %d were acknowledged", len(list), err, taken)
	}
}

// The lock is ours, so the leases of the process before are nobody's.
func TestLeasesOfADeadProcessEndWhenTheNextOneStarts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "maru.db")
	key := bot.Thread{Platform: "web", Team: "local", Channel: "c", ID: "1"}.Key()
	var last int64
	for range 2 {
		s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), bot.Item{ID: "1", Thread: key}); err != nil {
			t.Fatal(err)
		}
		l, ok, err := s.Claim(t.Context(), "", "w", time.Hour)
		if err != nil || !ok || l.Token <= last {
			t.Fatalf("claim: %+v, %v, %v; want a lease at once", l, ok, err)
		}
		last = l.Token
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAuditLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "maru.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.AppendAudit(t.Context(), audit.Entry{Team: "slack/T", What: "w"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PruneAudit(t.Context(), "slack/T", time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AppendAudit(t.Context(), audit.Entry{Team: "slack/T", What: "w"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		"UPDATE audit SET who = 'x'", "DELETE FROM audit", "DELETE FROM audit WHERE what = 'w'", "DELETE FROM audit WHERE what = 'audit.prune'",
	} {
		if _, err := db.ExecContext(t.Context(), q); err == nil {
			t.Errorf("%s was possible", q)
		}
	}
}

// Not parallel: nothing else may run while goroutines are counted.
func TestCloseLeavesNothingBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before)
}

// The write-ahead log is moved into the database while writes go on, not only
// when the store closes.
func TestWriteAheadLogIsCopiedBesideTheWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "maru.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	size := func() int64 {
		t.Helper()
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return st.Size()
	}
	for before, n := size(), 0; size() == before; n++ {
		if err := s.SetNote(t.Context(), fmt.Sprint(n), "value"); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := s.Note(t.Context(), "0"); err != nil || v != "value" {
		t.Errorf("note %q, %v", v, err)
	}
}

// TestClicksOnApprovals counts 20,000 clicks of many people on two hundred
// approvals at once.
func TestClicksOnApprovals(t *testing.T) {
	t.Parallel()
	s, each := open(t, false), 100
	if datatest.Short(t) {
		each = 20
	}
	decided, lost := memtest.Clicks(t, s, s, 200, each)
	t.Logf("%d clicks: %d decisions, %d told who was quicker", decided+lost, decided, lost)
}
