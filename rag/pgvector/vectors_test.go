package pgvector_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/pgvector"
	"maru/rag/ragtest"
)

// add puts a document of one passage without a title, so that its words are its own.
func add(t *testing.T, x rag.Index, scope, source, text string, tags ...string) {
	t.Helper()
	doc, chunks := ragtest.Doc(scope, source, text)
	chunks[0].Context, doc.Title, doc.Tags = "", "", tags
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
}

// fill makes 63 passages, three of which mean something to concepts.
func fill(t *testing.T, x rag.Index) {
	t.Helper()
	add(t, x, "public", "vacation", "Full-time staff may take fifteen days of vacation each year.", "hr")
	add(t, x, "public", "car", "The car park is below the building.")
	add(t, x, "public", "salary", "Money arrives on the 25th: that is when everybody is paid.", "hr")
	doc, chunks := ragtest.Doc("public", "noise", make([]string, 60)...)
	doc.Title = ""
	for i := range chunks {
		chunks[i].Text, chunks[i].Context = fmt.Sprintf("Note number %d about the printer, the kitchen and other matters.", i), ""
	}
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
}

// eventually tries until the background embedder has caught up.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); <-tick.C {
		if ok() {
			return
		}
	}
	t.Fatalf("%s: not within two minutes", what)
}

// first returns the source of the best hit.
func first(t *testing.T, x rag.Index, q rag.Query) string {
	t.Helper()
	hits, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Document.Source
}

// ways are the three that vectors are searched.
var ways = []struct {
	name   string
	config func(*testing.T) pgvector.Config
	hnsw   bool
}{
	{"scan_in_process", func(t *testing.T) pgvector.Config { c := debian(t); c.Plain = true; return c }, false},
	{"exact_in_sql", pglite, false},
	{"hnsw", func(t *testing.T) pgvector.Config { c := pglite(t); c.ExactUpTo = 1; return c }, true},
}

// TestVectors asks in Korean for English passages, with scopes and filters.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			cfg := way.config(t)
			cfg.Embed, cfg.EmbedModel = ragtest.Concepts(&calls), "concepts-1"
			x := open(t, cfg)
			fill(t, x)
			add(t, x, "private", "secret", "The board takes thirty days of vacation.")
			ask := rag.Query{Text: "휴가는 얼마나 되나요?", Scopes: []string{"public"}}
			eventually(t, "a Korean question finds the English passage", func() bool { return first(t, x, ask) == "vacation" })
			eventually(t, "a vector of each passage", func() bool { return count(t, cfg, "rag_index_vectors") == 64 })
			if way.hnsw {
				eventually(t, "the HNSW index", func() bool { return hnsw(t, cfg) == 1 })
			}
			for _, c := range []struct {
				name   string
				narrow func(*rag.Query)
				want   string
			}{
				{"another_scope", func(q *rag.Query) { q.Scopes = []string{"empty"} }, ""},
				{"a_tag_it_has", func(q *rag.Query) { q.Tags = []string{"hr"} }, "vacation"},
				{"a_tag_it_has_not", func(q *rag.Query) { q.Tags = []string{"law"} }, ""},
				{"only_itself", func(q *rag.Query) { q.Documents = []string{rag.DocumentID("public", "vacation")} }, "vacation"},
				{"only_another", func(q *rag.Query) { q.Documents = []string{rag.DocumentID("public", "car")} }, ""},
				{"about_parking", func(q *rag.Query) { q.Text = "주차는 어디에 하나요?" }, "car"},
			} {
				q := ask
				c.narrow(&q)
				if got := first(t, x, q); got != c.want {
					t.Errorf("%s: found %q, want %q", c.name, got, c.want)
				}
			}
			asked := calls.Load()
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if way.hnsw { // a session of a native server counts when it has ended, which Close does not wait for
				eventually(t, "the HNSW index was asked", func() bool { return indexScans(t, cfg) > 0 })
			} else if !cfg.Plain && hnsw(t, cfg) > 0 {
				t.Error("few vectors have an HNSW index, which only costs time")
			}
			x = open(t, cfg)
			if got := first(t, x, ask); got != "vacation" || calls.Load() != asked+1 {
				t.Errorf("after reopening: found %q, embedded %d texts", got, calls.Load()-asked)
			}
		})
	}
}

// TestVectorsOfDeletedTexts: what is nowhere any more leaves the tables at a start at
// which there is much of it, and what stands is not embedded again.
func TestVectorsOfDeletedTexts(t *testing.T) {
	t.Parallel()
	for _, way := range ways[:2] {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			cfg := way.config(t)
			cfg.Embed, cfg.EmbedModel = ragtest.Concepts(&calls), "concepts-1"
			tables := []string{"rag_index_vectors"}
			if !cfg.Plain {
				tables = append(tables, "rag_index_points")
			}
			kept := func() (n []int) {
				for _, table := range tables {
					n = append(n, count(t, cfg, table))
				}
				return n
			}
			x := open(t, cfg)
			fill(t, x)
			eventually(t, "a vector of each passage", func() bool { return calls.Load() == 63 })
			if gone, err := x.Delete(t.Context(), "public", rag.DocumentID("public", "noise")); !gone || err != nil {
				t.Fatal(gone, err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if n := kept(); n[0] != 63 {
				t.Errorf("%v vectors before the start", n)
			}
			x = open(t, cfg)
			eventually(t, "the vectors of what stands", func() bool {
				return !slices.ContainsFunc(kept(), func(n int) bool { return n != 3 })
			})
			fill(t, x)
			eventually(t, "a vector of what came back", func() bool {
				return !slices.ContainsFunc(kept(), func(n int) bool { return n != 63 })
			})
			if n := calls.Load(); n != 123 {
				t.Errorf("%d texts were embedded", n)
			}
		})
	}
}

// TestOneEmbedsForAll puts into one replica while another has the lease: that one looks
// for it every few seconds, without being told to.
func TestOneEmbedsForAll(t *testing.T) {
	t.Parallel()
	cfg := debian(t)
	cfg.Plain, cfg.Poll = true, 0
	var one, other atomic.Int64
	cfg.EmbedModel, cfg.Embed = "concepts-1", ragtest.Concepts(&one)
	a := open(t, cfg)
	add(t, a, "public", "car", "The car park is below the building.")
	eventually(t, "the first vector", func() bool { return count(t, cfg, "rag_index_vectors") == 1 })
	cfg.Embed = ragtest.Concepts(&other)
	add(t, open(t, cfg), "public", "salary", "Money arrives on the 25th.")
	eventually(t, "the second vector", func() bool { return count(t, cfg, "rag_index_vectors") == 2 })
	if one.Load() != 2 || other.Load() != 0 {
		t.Errorf("%d texts were embedded by who has the lease, %d by the other", one.Load(), other.Load())
	}
}

// count tells how many rows a table has.
func count(t *testing.T, cfg pgvector.Config, table string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+cfg.Schema+"."+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// hnsw tells how many HNSW indexes there are.
func hnsw(t *testing.T, cfg pgvector.Config) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	err = conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_indexes WHERE schemaname = $1 AND indexname LIKE 'rag_index_points_hnsw%'`, pgx.QueryExecModeExec, cfg.Schema).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// indexScans tells how often the HNSW index was read.
func indexScans(t *testing.T, cfg pgvector.Config) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for range 2 { // a server tells what it had counted when the statement began
		if _, err := conn.Exec(t.Context(), `SELECT pg_stat_force_next_flush()`, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
		err = conn.QueryRow(t.Context(), `SELECT coalesce(sum(idx_scan), 0) FROM pg_stat_user_indexes WHERE schemaname = $1 AND indexrelname LIKE 'rag_index_points_hnsw%'`, pgx.QueryExecModeExec, cfg.Schema).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestWeakVectorsChangeNothing holds the hybrid ranking of a model that knows
// nothing, once some questions have shown that, against the lexical one.
func TestWeakVectorsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			cfg := way.config(t)
			plain := debian(t)
			var embedded atomic.Int64
			cfg.EmbedModel, cfg.Embed = "random", func(_ context.Context, texts, _ []string) ([][]float32, error) {
				out := make([][]float32, len(texts))
				for i, text := range texts {
					out[i] = ragtest.Noise(text)
				}
				embedded.Add(int64(len(texts)))
				return out, nil
			}
			words, both := open(t, plain), open(t, cfg)
			fill(t, words)
			fill(t, both)
			eventually(t, "vectors", func() bool { return embedded.Load() >= 63 })
			for range 30 {
				if _, err := both.Search(t.Context(), rag.Query{Text: "days of vacation", Scopes: []string{"public"}}); err != nil {
					t.Fatal(err)
				}
			}
			for _, q := range []string{"printer number 7", "days of vacation", "car park building", "비트코인 시세"} {
				query := rag.Query{Text: q, Scopes: []string{"public"}, Limit: 10, Repeats: true}
				want, err := words.Search(t.Context(), query)
				if err != nil {
					t.Fatal(err)
				}
				got, err := both.Search(t.Context(), query)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%q: random vectors changed the answer\n%v\n%v", q, got, want)
				}
			}
		})
	}
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			cfg := way.config(t)
			ragtest.RunEmbedded(t, func(t *testing.T, embed rag.Embed, model string) rag.Index {
				cfg.Embed, cfg.EmbedModel = embed, model
				return open(t, cfg)
			})
		})
	}
}
