package local_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag"
	"maru/rag/local"
	"maru/rag/ragtest"
)

// childDir names the folder that the child of TestKillDuringPuts writes to.
const childDir = "MARU_TEST_INDEX_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := putForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if dir := os.Getenv(childModel); dir != "" {
		if err := reembedSlowly(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// putForever puts documents and says each number once Put has returned.
func putForever(dir string) error {
	ctx := context.Background()
	x, err := local.Open(ctx, local.Config{Dir: dir})
	if err != nil {
		return err
	}
	docs, err := x.Documents(ctx, []string{"public"})
	if err != nil {
		return err
	}
	for i := len(docs); ; i++ {
		passages := []string{strings.Repeat("연차 규정 낱말 ", 40) + strconv.Itoa(i)}
		for p := range 15 { // enough that files are written and merged meanwhile
			passages = append(passages, "문단 "+strconv.Itoa(p))
		}
		doc, chunks := ragtest.Doc("public", "doc"+strconv.Itoa(i), passages...)
		if err := x.Put(ctx, doc, chunks); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// TestKillDuringPuts kills the writer without warning, again and again. Every
// document whose Put returned must be there, whole, and the index must open.
func TestKillDuringPuts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	last := -1
	rounds := 6
	if datatest.Short(t) {
		rounds = 3
	}
	for round := range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(out)
		for n := 0; n < 100+60*round && sc.Scan(); n++ {
			if last, err = strconv.Atoi(sc.Text()); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for sc.Scan() { // acknowledged before the kill arrived
			if n, err := strconv.Atoi(sc.Text()); err == nil {
				last = n
			}
		}
		_ = cmd.Wait()
		x := open(t, local.Config{Dir: dir})
		docs, err := x.Documents(t.Context(), []string{"public"})
		if err != nil {
			t.Fatal(err)
		}
		// The one that was being written may be there, but nothing else.
		if len(docs) != last+1 && len(docs) != last+2 {
			t.Fatalf("round %d: %d documents, %d were acknowledged", round, len(docs), last+1)
		}
		for _, d := range docs {
			if _, _, err := x.Chunk(t.Context(), []string{"public"}, d.ID+"#15"); err != nil {
				t.Fatalf("%s is not whole: %v", d.Source, err)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTwoProgramsOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, local.Config{Dir: dir})
	_, err := local.Open(t.Context(), local.Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("second open: %v, want to be told of the other program", err)
	}
}

// TestDamage changes files of a closed index. A cut or zeroed tail of the log
// is what a crash leaves and opens with what came before; any other damage is
// reported, never silently lost.
func TestDamage(t *testing.T) {
	t.Parallel()
	fill := func(t *testing.T) (dir, log string) {
		dir = t.TempDir()
		x := open(t, local.Config{Dir: dir})
		for i := range 3 {
			doc, chunks := ragtest.Doc("public", fmt.Sprint("doc", i), "연차 규정")
			if err := x.Put(t.Context(), doc, chunks); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
		if err != nil || len(logs) != 1 {
			t.Fatalf("logs %v, %v", logs, err)
		}
		return dir, logs[0]
	}
	for _, c := range []struct {
		name   string
		damage func([]byte) []byte
		want   int // documents; -1: refused
	}{
		{"whole", func(b []byte) []byte { return b }, 3},
		{"cut_tail", func(b []byte) []byte { return b[:len(b)-5] }, 2},
		{"cut_to_nothing", func([]byte) []byte { return nil }, 0},
		{"zeroed_tail", func(b []byte) []byte { return append(b, make([]byte, 4096)...) }, 3},
		{"half_a_header", func(b []byte) []byte { return append(b, 1, 2, 3) }, 3},
		{"flipped_in_the_middle", func(b []byte) []byte { b[100] ^= 0xff; return b }, -1},
		{"longer_than_the_log", func(b []byte) []byte { b[3] = 0x7f; return b }, -1},
		{"no_length", func(b []byte) []byte { copy(b, make([]byte, 4)); return b }, -1},
		{"flipped_in_the_last", func(b []byte) []byte { b[len(b)-9] ^= 0xff; return b }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, log := fill(t)
			b, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(log, c.damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			x, err := local.Open(t.Context(), local.Config{Dir: dir})
			if c.want < 0 {
				if err == nil {
					_ = x.Close()
					t.Fatal("damage was not noticed")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = x.Close() }()
			docs, err := x.Documents(t.Context(), []string{"public"})
			if err != nil || len(docs) != c.want {
				t.Errorf("%d documents, %v; want %d", len(docs), err, c.want)
			}
			doc, chunks := ragtest.Doc("public", "after", "연차 규정")
			if err := x.Put(t.Context(), doc, chunks); err != nil {
				t.Errorf("put after damage: %v", err)
			}
		})
	}
}

// TestFlushAndMerge drives enough through an index that segments move to files
// and merge, with replacements and deletions throughout, and compares with a
// map after reopening.
func TestFlushAndMerge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open(t, local.Config{Dir: dir})
	alive := map[string]string{}
	for round := range 12 {
		var entries []local.Entry
		for i := range 500 {
			source := fmt.Sprint("doc", (round*300+i)%4000)
			text := fmt.Sprintf("연차 규정 %s 판본%d", source, round)
			doc, chunks := ragtest.Doc("public", source, text, "공통 문단 "+source)
			entries = append(entries, local.Entry{Document: doc, Chunks: chunks})
			alive[doc.ID] = text
		}
		if err := x.PutAll(t.Context(), entries); err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			id := entries[i*7].Document.ID
			if ok, err := x.Delete(t.Context(), "public", id); err != nil || !ok {
				t.Fatalf("delete: %v, %v", ok, err)
			}
			delete(alive, id)
		}
	}
	waitForFile(t, dir)
	for range 2 {
		docs, err := x.Documents(t.Context(), []string{"public"})
		if err != nil || len(docs) != len(alive) {
			t.Fatalf("%d documents, %v; want %d", len(docs), err, len(alive))
		}
		for _, d := range docs {
			c, _, err := x.Chunk(t.Context(), []string{"public"}, d.ID+"#0")
			if err != nil || c.Text != alive[d.ID] {
				t.Fatalf("%s: %q, %v; want %q", d.Source, c.Text, err, alive[d.ID])
			}
		}
		hits, err := x.Search(t.Context(), rag.Query{Text: "doc1234 판본11", Scopes: []string{"public"}, Limit: 3})
		if err != nil || len(hits) == 0 {
			t.Fatalf("search: %v, %v", hits, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = open(t, local.Config{Dir: dir})
	}
}

// waitForFile waits until the background work has written a segment file.
func waitForFile(t *testing.T, dir string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 24000 {
		segs, err := filepath.Glob(filepath.Join(dir, "*.seg"))
		if err != nil {
			t.Fatal(err)
		}
		if len(segs) > 0 {
			return
		}
		<-tick.C
	}
	t.Fatal("no segment file after 2 min")
}
