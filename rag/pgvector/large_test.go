package pgvector_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/rag"
	"maru/rag/pgvector"
)

// largeURL names a PostgreSQL with the pgvector extension that may be kept busy for an hour.
// The tables stay for the next look: DROP SCHEMA maru_large_250000 CASCADE.
const largeURL = "MARU_LARGE_PGVECTOR_URL"

// TestLarge measures the index with 250,000 passages (MARU_LARGE_PASSAGES) and vectors of 384
// values, beyond what is compared one by one, and holds what it finds against the exact search:
//
//	MARU_LARGE_PGVECTOR_URL=postgres://… go test ./rag/pgvector -run TestLarge -v -timeout 2h
//
// The figures are in docs/evaluation.md.
func TestLarge(t *testing.T) {
	url := os.Getenv(largeURL)
	if url == "" {
		t.Skip("set " + largeURL + " to a PostgreSQL with the extension vector; it measures for an hour")
	}
	n, err := strconv.Atoi(os.Getenv("MARU_LARGE_PASSAGES"))
	if err != nil {
		n = 250_000
	}
	l := &large{t: t, n: n, world: newWorld(), cfg: pgvector.Config{URL: url, Schema: fmt.Sprint("maru_large_", n), EmbedModel: "made", Poll: 200 * time.Millisecond}}
	l.cfg.Embed = l.world.embed
	l.fill()
	l.sizes()
	l.cfg.ExactUpTo = math.MaxInt
	exact := l.open()
	l.cfg.ExactUpTo = 0
	x := l.open()
	for _, c := range []struct {
		name   string
		narrow func(*rag.Query)
		among  func(document int) bool // whose passages are asked about
		least  float64
	}{
		{"everything", func(*rag.Query) {}, nil, 0.93},
		{"scopes of 10 %", func(q *rag.Query) { q.Scopes = []string{"tenth"} }, isTenth, 0.95},
		{"scopes of 10 %, about others' things", func(q *rag.Query) { q.Scopes = []string{"tenth"} }, nil, 0.85},
		{"scopes of 1 %", func(q *rag.Query) { q.Scopes = []string{"hundredth"} }, isHundredth, 1},
		{"a tag of 10 %", func(q *rag.Query) { q.Tags = []string{"tenth"} }, nil, 0.95},
		{"a tag of 1 %", func(q *rag.Query) { q.Tags = []string{"hundredth"} }, nil, 0.95},
		{"one document", func(q *rag.Query) { q.Documents = []string{rag.DocumentID("rest", "doc76")} }, func(d int) bool { return d == 76 }, 0.95},
	} {
		l.compare(x, exact, c.name, c.narrow, c.among, c.least)
	}
	l.changes(x)
}

// large is the state of TestLarge.
type large struct {
	t     *testing.T
	n     int
	world *world
	cfg   pgvector.Config
}

const inDocument = 100 // passages

func isHundredth(document int) bool { return document%100 == 3 }
func isTenth(document int) bool     { return document%10 == 7 }

func (l *large) open() *pgvector.Index { return open(l.t, l.cfg) }

// row reads one row of the server.
func (l *large) row(sql string, into ...any) {
	l.t.Helper()
	conn, err := pgx.Connect(l.t.Context(), l.cfg.URL)
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() { _ = conn.Close(l.t.Context()) }()
	if err := conn.QueryRow(l.t.Context(), strings.ReplaceAll(sql, "{s}", l.cfg.Schema)).Scan(into...); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		l.t.Fatal(err)
	}
}

// fill puts what is missing and waits for the vectors and their index.
func (l *large) fill() {
	t, start := l.t, time.Now()
	x := l.open()
	defer func() { _ = x.Close() }()
	var have int
	l.row(`SELECT count(*) FROM {s}.rag_index_documents`, &have)
	for d := have; d < l.n/inDocument; d++ {
		doc, chunks := l.document(d, "")
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatal(err)
		}
	}
	if have*inDocument < l.n {
		t.Logf("put: %d passages in %.0f s, vectors behind them", l.n-have*inDocument, time.Since(start).Seconds())
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for vectors, indexed := 0, false; vectors < l.n || !indexed; <-tick.C {
		l.row(`SELECT count(*) FROM {s}.rag_index_points`, &vectors)
		l.row(`SELECT coalesce(bool_and(indisvalid), false) FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relnamespace = '{s}'::regnamespace AND relname LIKE 'rag_index_points_hnsw%'`, &indexed)
		if vectors == l.n && l.world.filled.IsZero() {
			l.world.filled = time.Now()
			t.Logf("vectors: all after %.0f s", time.Since(start).Seconds())
		}
	}
	t.Logf("ready after %.0f s", time.Since(start).Seconds())
}

// document makes a document of passages about one subject.
func (l *large) document(d int, edition string) (rag.Document, []rag.Chunk) {
	doc := rag.Document{Source: fmt.Sprint("doc", d), Title: "Report"}
	scope := "rest"
	if isTenth(d) {
		scope, doc.Tags = "tenth", []string{"tenth"}
	}
	if isHundredth(d) {
		scope, doc.Tags = "hundredth", []string{"hundredth"}
	}
	chunks := make([]rag.Chunk, inDocument)
	for i := range chunks {
		text := l.world.passage(d*inDocument+i) + edition
		chunks[i] = rag.Chunk{Text: text, End: len(text)}
	}
	return rag.Own(doc, chunks, scope)
}

// sizes tells what lies on the disk.
func (l *large) sizes() {
	for _, of := range []string{"TABLE:rag_index_passages", "TABLE:rag_index_vectors", "TABLE:rag_index_points", "INDEX:rag_index_passages_terms", "INDEX:rag_index_points_hnsw_1", "ALL:"} {
		kind, name, _ := strings.Cut(of, ":")
		what := map[string]string{"TABLE": `pg_table_size('{s}.` + name + `')`, "INDEX": `pg_relation_size('{s}.` + name + `')`,
			"ALL": `SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = '{s}'::regnamespace`}[kind]
		var bytes int64
		l.row(`SELECT (`+what+`)::bigint`, &bytes)
		l.t.Logf("disk: %-30s %6.0f MB", name, float64(bytes)/1e6)
	}
}

const asked = 30 // questions of a measurement

// compare asks by vectors alone, the index and an exact search, which of the nearest ten are
// found, and by words and vectors.
func (l *large) compare(x, exact *pgvector.Index, name string, narrow func(*rag.Query), among func(int) bool, least float64) {
	t := l.t
	var there, found int
	var vectors, hybrid, compared []time.Duration
	for i := range asked {
		about := l.world.pick(i, l.n, among)
		q := rag.Query{Text: l.world.question(about, i, false), Scopes: []string{"rest", "tenth", "hundredth"}, Limit: 10, Repeats: true, Threshold: -1}
		narrow(&q)
		got, took := l.nearest(x, q, 3)
		vectors = append(vectors, took)
		want, took := l.nearest(exact, q, 1)
		compared = append(compared, took)
		there += len(want)
		for _, w := range want {
			if slices.Contains(got, w) {
				found++
			}
		}
		q.Text = l.world.question(about, i, true)
		hybrid = append(hybrid, l.ask(x, q, 3))
	}
	recall := float64(found) / float64(max(there, 1))
	t.Logf("%-38s recall@10 %.4f of %d, by vectors %s, exact %s, by words and vectors %s", name, recall, there, middle(vectors), middle(compared), middle(hybrid))
	if recall < least {
		t.Errorf("%s: recall@10 is %.4f, want %.2f", name, recall, least)
	}
}

// nearest asks vectors alone so many times, and ask all there is; both return the shortest
// time: the machine may have other work.
func (l *large) nearest(x *pgvector.Index, q rag.Query, times int) (numbers []int64, took time.Duration) {
	took = shortest(times, func() (err error) {
		numbers, err = x.Nearest(l.t.Context(), q, 10)
		return err
	}, l.t)
	return numbers, took
}

func (l *large) ask(x *pgvector.Index, q rag.Query, times int) time.Duration {
	return shortest(times, func() error {
		_, err := x.Search(l.t.Context(), q)
		return err
	}, l.t)
}

func shortest(times int, do func() error, t *testing.T) (took time.Duration) {
	took = math.MaxInt64
	for range times {
		start := time.Now()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		took = min(took, time.Since(start))
	}
	return took
}

// changes replaces and deletes documents while questions are asked.
func (l *large) changes(x *pgvector.Index) {
	t := l.t
	var puts, deletes, searches []time.Duration
	var work sync.WaitGroup
	done := make(chan struct{})
	work.Go(func() {
		defer close(done)
		for d := range 30 {
			doc, chunks := l.document(10*d+1, " again")
			start := time.Now()
			if err := x.Put(t.Context(), doc, chunks); err != nil {
				t.Error(err)
			}
			puts = append(puts, time.Since(start))
			start = time.Now()
			if gone, err := x.Delete(t.Context(), doc.Scope, doc.ID); err != nil || !gone {
				t.Error(gone, err)
			}
			deletes = append(deletes, time.Since(start))
			doc, chunks = l.document(10*d+1, "")
			if err := x.Put(t.Context(), doc, chunks); err != nil {
				t.Error(err)
			}
		}
	})
	for i := 0; ; i++ {
		select {
		case <-done:
			work.Wait()
			t.Logf("while changing: put of %d passages %s, delete %s, %d searches %s", inDocument, middle(puts), middle(deletes), i, middle(searches))
			return
		default:
		}
		at := time.Now()
		if _, err := x.Search(t.Context(), rag.Query{Text: l.world.question(l.world.pick(i, l.n, nil), i%asked, true), Scopes: []string{"rest", "tenth", "hundredth"}, Limit: 10}); err != nil {
			t.Fatal(err)
		}
		searches = append(searches, time.Since(at))
	}
}

// middle is p50 and p99.
func middle(times []time.Duration) string {
	slices.Sort(times)
	ms := func(at int) float64 { return float64(times[at].Microseconds()) / 1000 }
	return fmt.Sprintf("%.1f/%.1f ms", ms(len(times)/2), ms(len(times)*99/100))
}

// world is a made model and what is written about in it: two thousand subjects in forty
// fields, each with words of its own. Vectors are around their subject, and those around their
// field, more along some directions than along others, as the vectors of models do.
type world struct {
	mu        sync.Mutex
	questions map[string]int // number of the passage that one is about
	filled    time.Time
}

const (
	fields, subjects = 40, 2000
	values           = 384
)

func newWorld() *world { return &world{questions: map[string]int{}} }

func subjectOf(passage int) int {
	return rand.New(rand.NewPCG(uint64(passage/inDocument), 5)).IntN(subjects) //nolint:gosec // G404: the same each time is wanted
}

// passage makes a text of forty words: half are everybody's, half the subject's.
func (w *world) passage(n int) string {
	rnd := rand.New(rand.NewPCG(uint64(n), 7)) //nolint:gosec // G404: the same each time is wanted
	all, own := rand.NewZipf(rnd, 1.1, 4, 30_000), rand.NewZipf(rnd, 1.2, 8, 300)
	words := make([]string, 40)
	for i := range words {
		if words[i] = fmt.Sprintf("w%xord", all.Uint64()); i%2 == 1 {
			words[i] = fmt.Sprintf("s%xof%x", own.Uint64(), subjectOf(n))
		}
	}
	return fmt.Sprintf("number%d %s", n, strings.Join(words, " "))
}

// pick chooses the passage that a question is about.
func (w *world) pick(i, n int, among func(int) bool) int {
	rnd := rand.New(rand.NewPCG(uint64(i), 11)) //nolint:gosec // G404: the same each time is wanted
	for {
		if at := rnd.IntN(n); among == nil || among(at/inDocument) {
			return at
		}
	}
}

// question asks about a passage, with words of it or with none that any has.
func (w *world) question(about, i int, words bool) string {
	text := fmt.Sprintf("unheard%dof%d", i, about)
	if words {
		list := strings.Fields(w.passage(about))
		text = strings.Join([]string{list[1+i%7], list[2+i%9], list[12+i%5], list[21], list[24+i%11]}, " ")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.questions[text] = about
	return text
}

// embed is the model.
func (w *world) embed(_ context.Context, texts, _ []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		w.mu.Lock()
		n, question := w.questions[text]
		w.mu.Unlock()
		if question {
			out[i] = w.vector(n, text, 0.6)
			continue
		}
		if _, err := fmt.Sscanf(text[strings.Index(text, "number"):], "number%d", &n); err != nil {
			return nil, err
		}
		out[i] = w.vector(n, "", 0)
	}
	return out, nil
}

// vector returns that of a passage, or of a question about it, which stands off it.
func (w *world) vector(n int, question string, off float64) []float32 {
	subject := subjectOf(n)
	out := make([]float32, values)
	add := func(kind, which uint64, much float64) {
		rnd := rand.New(rand.NewPCG(which, kind)) //nolint:gosec // G404: the same each time is wanted
		for i := range out {
			out[i] += float32(much * rnd.NormFloat64() / math.Sqrt(1+float64(i)/40))
		}
	}
	add(101, uint64(subject%fields), 0.7)
	add(102, uint64(subject), 0.8)
	add(103, uint64(n), 0.8)
	if question != "" {
		add(104, uint64(n)+uint64(len(question)), off)
	}
	return out
}
