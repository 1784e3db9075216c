package local_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag"
	"maru/rag/local"
)

// words are what benchmark passages are made of: the vocabulary of shared/data
// where it is beside the checkout, so that frequencies are those of real
// text, else made-up words with Zipf's frequencies.
type words struct {
	ko, en    []string
	questions []string
}

func readWords(b *testing.B) words {
	b.Helper()
	dir, _ := datatest.Find() // without it the words are made up
	w := words{ko: readField(dir, "korquad1-dev/corpus.jsonl"), en: readField(dir, "scifact/corpus.jsonl")}
	if len(w.ko) == 0 || len(w.en) == 0 {
		rnd := rand.New(rand.NewPCG(3, 4))
		zipf := rand.NewZipf(rnd, 1.1, 4, 30_000)
		for range 300_000 {
			n := zipf.Uint64()
			w.ko = append(w.ko, string([]rune{'가' + rune(n%11000), '나' + rune(n*7%9000), '은'}))
			w.en = append(w.en, fmt.Sprintf("w%x", n))
		}
	}
	for i := range 500 {
		w.questions = append(w.questions, strings.Join(w.ko[i*97%(len(w.ko)-8):][:6], " "), strings.Join(w.en[i*89%(len(w.en)-9):][:8], " "))
	}
	return w
}

func readField(dir, file string) []string {
	f, err := os.Open(filepath.Join(dir, file))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var out []string
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var d struct{ Text string }
		if json.Unmarshal(sc.Bytes(), &d) == nil {
			out = append(out, strings.Fields(d.Text)...)
		}
	}
	return out
}

// entries makes n passages of about 450 bytes, half Korean, 20 to a document, over ten scopes.
func (w words) entries(n int) []local.Entry {
	rnd := rand.New(rand.NewPCG(1, 2))
	var out []local.Entry
	for d := range (n + 19) / 20 {
		doc := rag.Document{Source: fmt.Sprint("doc", d), Title: fmt.Sprint("Document ", d)}
		if d%2 == 0 {
			doc.Tags = []string{"even"}
		}
		var chunks []rag.Chunk
		for range min(20, n-20*d) {
			from, size := w.ko, 36
			if rnd.IntN(2) == 0 {
				from, size = w.en, 70
			}
			// Runs of three words keep some of the language's order.
			var parts []string
			for len(parts) < size {
				at := rnd.IntN(len(from) - 3)
				parts = append(parts, from[at:at+3]...)
			}
			text := strings.Join(parts, " ")
			chunks = append(chunks, rag.Chunk{Text: text, End: len(text)})
		}
		doc, chunks = rag.Own(doc, chunks, fmt.Sprint("team", d%10))
		out = append(out, local.Entry{Document: doc, Chunks: chunks})
	}
	return out
}

func scopes(n int) []string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprint("team", i))
	}
	return s
}

// BenchmarkSearch asks real word sequences of 10,000 and 100,000 passages.
func BenchmarkSearch(b *testing.B) {
	w := readWords(b)
	for _, n := range []int{10_000, 100_000} {
		dir := b.TempDir()
		x, err := local.Open(b.Context(), local.Config{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		for part := range slices.Chunk(w.entries(n), 500) {
			if err := x.PutAll(b.Context(), part); err != nil {
				b.Fatal(err)
			}
		}
		if n == 100_000 {
			b.Run("100000/size", func(b *testing.B) {
				b.ReportMetric(float64(folderSize(b, dir, ""))/1e6, "MB-with-texts")
				b.ReportMetric(float64(x.IndexBytes())/1e6, "MB-index")
			})
		}
		for _, c := range []struct {
			name   string
			scopes int
			tags   []string
		}{{"all", 10, nil}, {"one_scope_of_ten", 1, nil}, {"a_tag_of_half", 10, []string{"even"}}} {
			b.Run(fmt.Sprintf("%d/%s", n, c.name), func(b *testing.B) {
				searchAll(b, x, w.questions, rag.Query{Scopes: scopes(c.scopes), Limit: 20, Threshold: -1, Tags: c.tags})
			})
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVectors asks 100,000 passages with vectors of 384 values by words and by
// an exact scan of all vectors. The embedder answers at once: what a model takes
// comes on top.
func BenchmarkVectors(b *testing.B) {
	w := readWords(b)
	dir := b.TempDir()
	x, err := local.Open(b.Context(), local.Config{Dir: dir, Embed: meaningless, EmbedModel: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = x.Close() })
	for part := range slices.Chunk(w.entries(100_000), 500) {
		if err := x.PutAll(b.Context(), part); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.EmbedNow(b.Context()); err != nil {
		b.Fatal(err)
	}
	questions := w.questions[:100]
	for _, scoped := range []int{10, 1} {
		b.Run(fmt.Sprintf("100000/scopes_%d_of_10", scoped), func(b *testing.B) {
			searchAll(b, x, questions, rag.Query{Scopes: scopes(scoped), Limit: 20, Threshold: -1})
			b.ReportMetric(float64(folderSize(b, dir, "vectors"))/1e6, "MB-vectors")
		})
	}
}

// meaningless gives texts vectors of 384 values that follow from their first bytes
// and their length.
func meaningless(_ context.Context, texts, _ []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		h := fnv.New64a()
		_, _ = h.Write([]byte(t))
		state := h.Sum64() | 1
		v := make([]float32, 384)
		for k := range v {
			sum := float32(0)
			for range 4 { // near enough to normal
				state = state*6364136223846793005 + 1442695040888963407
				sum += float32(int32(state >> 32))
			}
			v[k] = sum
		}
		out[i] = v
	}
	return out, nil
}

// rounds is how often each question is asked; the best time of it counts beside all times.
const rounds = 3

// searchAll asks every question and reports the times by the clock, by the
// processor's time of the thread, and by the best of each question's rounds.
func searchAll(b *testing.B, x *local.Index, questions []string, q rag.Query) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		var clock, cpu []time.Duration
		best := make([]time.Duration, len(questions))
		for round := range rounds {
			for i, text := range questions {
				q.Text = text
				start, before := time.Now(), spent(b, ofThread)
				if _, err := x.Search(b.Context(), q); err != nil {
					b.Fatal(err)
				}
				took := spent(b, ofThread) - before
				clock, cpu = append(clock, time.Since(start)), append(cpu, took)
				if round == 0 || took < best[i] {
					best[i] = took
				}
			}
		}
		report(b, clock, "")
		report(b, cpu, "cpu-")
		report(b, best, "best-cpu-")
	}
}

func report(b *testing.B, times []time.Duration, name string) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), name+"p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), name+"p99-µs")
}

// folderSize returns the size of a folder's files whose names begin so: of all, the index with
// the passages' texts.
func folderSize(b *testing.B, dir, prefix string) (bytes int64) {
	b.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		if i, err := f.Info(); err == nil && strings.HasPrefix(f.Name(), prefix) {
			bytes += i.Size()
		}
	}
	return bytes
}

// BenchmarkIngest puts documents of twenty passages: one by one, each on disk
// when its Put returns, and in batches.
func BenchmarkIngest(b *testing.B) {
	entries := readWords(b).entries(20_000)
	for _, c := range []struct {
		name  string
		batch int
	}{{"put", 1}, {"put_all_100", 100}} {
		b.Run(c.name, func(b *testing.B) {
			chunks, i := 0, 0
			before := spent(b, ofProcess)
			x, err := local.Open(b.Context(), local.Config{Dir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			for b.Loop() {
				part := entries[i%len(entries):][:min(c.batch, len(entries)-i%len(entries))]
				i += c.batch
				if err := x.PutAll(b.Context(), part); err != nil {
					b.Fatal(err)
				}
				chunks += 20 * len(part)
			}
			b.ReportMetric(float64(chunks)/time.Since(start).Seconds(), "chunks/s")
			b.ReportMetric(float64(chunks)/(spent(b, ofProcess)-before).Seconds(), "chunks/cpu-s")
			if err := x.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkResync adds 5,000 unchanged files of twenty passages again, as a
// look through a watched folder does.
func BenchmarkResync(b *testing.B) {
	x, err := local.Open(b.Context(), local.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = x.Close() })
	files := map[string][]byte{}
	entries := readWords(b).entries(100_000)
	for i := range entries {
		e := &entries[i]
		var data []byte
		for _, c := range e.Chunks {
			data = append(append(data, c.Text...), '\n')
		}
		sum := sha256.Sum256(data)
		e.Document.Hash = hex.EncodeToString(sum[:])
		files[e.Document.Source] = data
	}
	for part := range slices.Chunk(entries, 500) {
		if err := x.PutAll(b.Context(), part); err != nil {
			b.Fatal(err)
		}
	}
	in := rag.Ingester{Index: x, Now: time.Now}
	before := spent(b, ofProcess)
	n := 0
	for b.Loop() {
		for i, e := range entries {
			_, changed, err := in.Add(b.Context(), rag.File{Scope: e.Document.Scope, Name: e.Document.Source, Data: files[e.Document.Source]}, nil)
			if err != nil || changed {
				b.Fatalf("file %d: changed %v, %v", i, changed, err)
			}
		}
		n++
	}
	b.ReportMetric((spent(b, ofProcess)-before).Seconds()/float64(n), "cpu-s/resync")
}
