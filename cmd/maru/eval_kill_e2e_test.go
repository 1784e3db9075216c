package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/memory/memtest/servers"
	"maru/rag/opensearch/opensearchfake"
)

// TestKilledEvaluationLeavesNoIndex kills the measurement of a set while it embeds passages. The next one with the same
// data folder removes its index from the server.
func TestKilledEvaluationLeavesNoIndex(t *testing.T) {
	t.Parallel()
	unraced(t)
	set := t.TempDir()
	write(t, filepath.Join(set, "corpus.jsonl"), `{"_id":"p","title":"Parking","text":"Parking costs fifty euros a month."}`+"\n")
	write(t, filepath.Join(set, "queries.jsonl"), `{"_id":"1","text":"how much is parking a month"}`+"\n")
	write(t, filepath.Join(set, "qrels.tsv"), "query-id\tcorpus-id\tscore\n1\tp\t1\n")
	cluster, pg := opensearchfake.New(t), servers.StartPostgres(t)
	schemas := func() []string {
		db, err := pgx.Connect(t.Context(), pg.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
		rows, err := db.Query(t.Context(), `SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'maru-eval-%'`)
		if err != nil {
			t.Fatal(err)
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	for _, c := range []struct {
		index, url string
		left       func() []string
	}{
		{"opensearch", cluster.URL, cluster.Indexes},
		{"pgvector", pg.URL, schemas},
	} {
		asked, over := make(chan bool, 1), make(chan bool)
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			select {
			case asked <- true:
			default:
			}
			<-over
		}))
		env := []string{"DATA_DIR=" + t.TempDir(), "MARU_INDEX=" + c.index, "MARU_INDEX_URL=" + c.url}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "eval", set) //nolint:gosec // the program itself
		cmd.Env = append(slices.Clone(env), childEnv+"=1", "HOME="+t.TempDir(), "OPENAI_EMBEDDING_MODEL=own-e5", "OPENAI_EMBEDDING_BASE_URL="+slow.URL+"/v1")
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-asked:
		case <-time.After(atMost):
			t.Errorf("%s: nothing is embedded", c.index)
		}
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // killed
		close(over)
		slow.Close()
		if left := c.left(); len(left) != 1 {
			t.Fatalf("%s: after the kill there are %v: %s", c.index, left, errs.String())
		}
		if code, _, stderr := runHere(t, "", env, "eval", set); code != 0 || len(c.left()) > 0 {
			t.Errorf("%s: exit %d, left %v: %s", c.index, code, c.left(), stderr)
		}
	}
}
