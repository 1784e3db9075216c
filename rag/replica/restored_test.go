package replica_test

import (
	"slices"
	"testing"

	"maru/rag"
)

// TestRestoredDatabase: the database is restored to a time before, and others add documents
// to it before this replica comes back with all that it had followed since.
func TestRestoredDatabase(t *testing.T) {
	t.Parallel()
	cfg, dir := config(t), t.TempDir()
	a := open(t, cfg, dir)
	put(t, a, "team", "first", "규정 하나")
	put(t, a, "team", "second", "규정 둘")
	exec(t.Context(), t, cfg, `SET search_path = `+cfg.Schema+`; CREATE TABLE dump_log AS TABLE rag_log;
		CREATE TABLE dump_documents AS TABLE rag_documents; CREATE TABLE dump_followers AS TABLE rag_followers`)
	put(t, a, "team", "third", "규정 셋")
	put(t, a, "team", "fourth", "규정 넷")
	if gone, err := a.Delete(t.Context(), "team", rag.DocumentID("team", "first")); err != nil || !gone {
		t.Fatalf("delete: %v %v", gone, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	exec(t.Context(), t, cfg, `SET search_path = `+cfg.Schema+`; TRUNCATE rag_log, rag_documents, rag_followers;
		INSERT INTO rag_log TABLE dump_log; INSERT INTO rag_documents TABLE dump_documents; INSERT INTO rag_followers TABLE dump_followers`)
	b := open(t, cfg, "")
	for _, name := range []string{"fifth", "sixth", "seventh", "eighth"} { // the log is further than it ever was
		put(t, b, "other", name, "규정 "+name)
	}
	a = open(t, cfg, dir)
	holds(t, a, "team", "first", "second")
	holds(t, a, "other", "eighth", "fifth", "seventh", "sixth")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, b, "team", "ninth", "규정 아홉")
	a = open(t, cfg, dir) // and goes on from there
	holds(t, a, "team", "first", "ninth", "second")
}

// holds fails unless the documents of a scope are these.
func holds(t *testing.T, x rag.Index, scope string, want ...string) {
	t.Helper()
	docs, err := x.Documents(t.Context(), []string{scope})
	var got []string
	for _, d := range docs {
		got = append(got, d.Source)
	}
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s holds %q, %v; want %q", scope, got, err, want)
	}
}
