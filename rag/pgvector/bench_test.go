package pgvector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/pgvector"
)

// BenchmarkVectors asks passages with vectors of 384 values by words and by vectors,
// compared one by one in SQL and by HNSW. MARU_BENCH_PASSAGES says how many, 2,000
// unless told: the server of the tests is PostgreSQL compiled to WebAssembly, in
// which everything takes several times as long as in a native one.
func BenchmarkVectors(b *testing.B) {
	url := os.Getenv("MARU_TEST_PGVECTOR_URL")
	if url == "" {
		b.Skip("set MARU_TEST_PGVECTOR_URL to a PostgreSQL with the extension vector")
	}
	n, err := strconv.Atoi(os.Getenv("MARU_BENCH_PASSAGES"))
	if err != nil {
		n = 2000
	}
	join := "?"
	if strings.Contains(url, "?") {
		join = "&"
	}
	var embedded atomic.Int64
	cfg := pgvector.Config{
		URL: url + join + "default_query_exec_mode=exec", Schema: fmt.Sprintf("bench_%d", time.Now().UnixNano()), Conns: 1,
		Embed: spread(&embedded), EmbedModel: "bench", Poll: 50 * time.Millisecond, ExactUpTo: 10 * n,
	}
	x, err := pgvector.Open(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		exec(context.WithoutCancel(b.Context()), b, cfg, "DROP SCHEMA IF EXISTS "+cfg.Schema+" CASCADE")
	})
	start := time.Now()
	for d := range n / 100 {
		doc, chunks := rag.Own(rag.Document{Source: fmt.Sprint("doc", d), Title: fmt.Sprint("Document ", d)}, passages(d), "public")
		if err := x.Put(b.Context(), doc, chunks); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%d passages put in %s", n, time.Since(start))
	start = time.Now()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for left := 1; left > 0; <-tick.C {
		left = n - int(embedded.Load())
	}
	b.Logf("embedded after %s", time.Since(start))
	for _, way := range []struct {
		name      string
		exactUpTo int
	}{{"exact", 10 * n}, {"hnsw", 1}} {
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
		cfg.ExactUpTo = way.exactUpTo
		if x, err = pgvector.Open(b.Context(), cfg); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d/%s", n, way.name), func(b *testing.B) { ask(b, x) })
	}
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
}

// ask asks a hundred questions three times and reports the times by the clock.
func ask(b *testing.B, x *pgvector.Index) {
	for b.Loop() {
		var times []time.Duration
		for i := range 300 {
			start := time.Now()
			if _, err := x.Search(b.Context(), rag.Query{Text: passage(1_000_000 + i%100)[:60], Scopes: []string{"public"}, Limit: 20, Threshold: -1}); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
	}
}

// passages makes a hundred passages of a document.
func passages(document int) []rag.Chunk {
	out := make([]rag.Chunk, 100)
	for i := range out {
		text := passage(100*document + i)
		out[i] = rag.Chunk{Text: text, End: len(text)}
	}
	return out
}

// passage makes a text of forty words whose frequencies are Zipf's.
func passage(n int) string {
	rnd := rand.New(rand.NewPCG(uint64(n), 7))
	zipf := rand.NewZipf(rnd, 1.1, 4, 30_000)
	words := make([]string, 40)
	for i := range words {
		words[i] = fmt.Sprintf("w%xord", zipf.Uint64())
	}
	return strings.Join(words, " ")
}

// spread gives every text a vector of its own, and counts them.
func spread(count *atomic.Int64) rag.Embed {
	return func(_ context.Context, texts, _ []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, t := range texts {
			rnd := rand.New(rand.NewPCG(uint64(len(t)), uint64(count.Add(1))))
			out[i] = make([]float32, 384)
			for k := range out[i] {
				out[i][k] = float32(rnd.NormFloat64())
			}
		}
		return out, nil
	}
}
