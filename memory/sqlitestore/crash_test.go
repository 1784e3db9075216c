package sqlitestore_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"maru/agent/graph"
	"maru/bot"
	"maru/memory/sqlitestore"
)

// childPath tells the test binary that it is the process to be killed.
const childPath = "MARU_SQLITESTORE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		writeUntilKilled(path, os.Getenv(childPath+"_ROUND"))
		return
	}
	os.Exit(m.Run())
}

// writeUntilKilled writes from several goroutines and says on stdout what was
// acknowledged, each line in one write.
func writeUntilKilled(path, round string) {
	s, err := sqlitestore.Open(ctxOfChild(), sqlitestore.Config{Path: path})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			th := bot.Thread{Platform: "slack", Team: "T", Channel: round, ID: strconv.Itoa(g)}
			for n := int64(1); ; n++ {
				id := fmt.Sprintf("%s/%d", th.Key(), n)
				if _, err := s.Put(ctxOfChild(), bot.Item{ID: id, Thread: th.Key(), Kind: bot.ItemMessage, Order: id, Entry: &bot.Entry{ID: id, Text: id}}); err != nil {
					fmt.Println("error", err)
					os.Exit(1)
				}
				fmt.Printf("put %s\n", id)
				r := graph.Record{Thread: th.Key(), Seq: n, Kind: graph.RecordStep, Body: []byte(`"` + id + `"`)}
				if err := s.Append(ctxOfChild(), 0, r); err != nil {
					fmt.Println("error", err)
					os.Exit(1)
				}
				fmt.Printf("log %s %d\n", th.Key(), n)
			}
		})
	}
	wg.Wait()
}

func TestKilledProcessLosesNothingItAcknowledged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "maru.db")
	said := acknowledged{map[string]bool{}, map[string]int64{}}
	for round := range 3 {
		killAfter(t, path, round, 20+rand.IntN(300), said)
		check(t, path, said)
	}
	t.Logf("%d messages and %d logs were acknowledged", len(said.puts), len(said.heads))
}

// acknowledged is what children said they had written.
type acknowledged struct {
	puts  map[string]bool
	heads map[string]int64 // the last record of each log
}

// killAfter runs a child, kills it when it has acknowledged n writes, and notes
// everything that it said.
func killAfter(t *testing.T, path string, round, n int, said acknowledged) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+path, childPath+"_ROUND="+strconv.Itoa(round))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for i := 0; lines.Scan(); i++ {
		f := strings.Fields(lines.Text())
		switch {
		case f[0] == "put":
			said.puts[f[1]] = true
		case f[0] == "log":
			seq, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			said.heads[f[1]] = seq
		default:
			t.Fatalf("child: %s", lines.Text())
		}
		if i == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
}

// check opens what the dead process left.
func check(t *testing.T, path string, said acknowledged) {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for id := range said.puts {
		fresh, err := s.Put(t.Context(), bot.Item{ID: id, Thread: id[:strings.LastIndex(id, "/")]})
		if err != nil || fresh {
			t.Fatalf("%s was acknowledged and is lost (%v)", id, err)
		}
	}
	for thread, seq := range said.heads {
		list, err := s.Load(t.Context(), thread, "")
		if err != nil || int64(len(list)) < seq {
			t.Fatalf("log of %s has %d records of %d that were acknowledged (%v)", thread, len(list), seq, err)
		}
		for i, r := range list {
			if want := fmt.Sprintf("%q", fmt.Sprintf("%s/%d", thread, i+1)); r.Seq != int64(i+1) || string(r.Body) != want {
				t.Fatalf("record %d of %s is %d with %s", i+1, thread, r.Seq, r.Body)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity check: %q, %v", verdict, err)
	}
}
