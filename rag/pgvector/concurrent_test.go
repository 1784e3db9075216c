package pgvector_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/handbook"
	"maru/rag"
	"maru/rag/load"
	"maru/rag/local"
	"maru/rag/ragtest"
)

// TestManyWriters lets writers of two programs put, move and delete the same few
// documents of three scopes, some of them cut off in the middle, while readers
// look. No reader meets half an edition, nobody waits in a circle, and what the
// scopes count is what is there.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	cfg := debian(t)
	one, two := open(t, cfg), open(t, cfg)
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for _, x := range []rag.Index{one, two} {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				whole(t, x)
			}
		})
		for w := range 3 {
			writers.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(w), 9))
				for i := range 25 {
					write(t, x, rnd, fmt.Sprint(w, "-", i))
				}
			})
		}
	}
	writers.Wait()
	close(stop)
	readers.Wait()

	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var wrong int
	err = conn.QueryRow(t.Context(), strings.ReplaceAll(`SELECT count(*) FROM {s}.rag_index_scopes s
		LEFT JOIN (SELECT scope, count(*) AS n, sum(length) AS l FROM {s}.rag_index_passages GROUP BY scope) p USING (scope)
		WHERE s.passages <> coalesce(p.n, 0) OR s.tokens <> coalesce(p.l, 0)`, "{s}", cfg.Schema)).Scan(&wrong)
	if err != nil || wrong > 0 {
		t.Errorf("%d scopes count what is not there, %v", wrong, err)
	}
}

// write does something to one of four documents, sometimes without patience.
func write(t *testing.T, x rag.Index, rnd *rand.Rand, edition string) {
	ctx, cancel := t.Context(), context.CancelFunc(func() {})
	if hurried := rnd.IntN(4) == 0; hurried {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rnd.IntN(4000))*time.Microsecond)
	}
	defer cancel()
	scope := fmt.Sprint("team/", rnd.IntN(3))
	doc, chunks := ragtest.Doc(scope, fmt.Sprint("doc", rnd.IntN(4)), "연차 판 "+edition+" 가", "연차 판 "+edition+" 나")
	var err error
	switch rnd.IntN(5) {
	case 0:
		_, err = x.Delete(ctx, scope, doc.ID)
	case 1: // a document that goes to another scope
		doc.Scope = fmt.Sprint("team/", rnd.IntN(3))
		err = x.Put(ctx, doc, chunks)
	default:
		err = x.Put(ctx, doc, chunks)
	}
	if err != nil && ctx.Err() == nil {
		t.Errorf("edition %s: %v", edition, err)
	}
}

// whole looks at every document: two passages of one edition, or none.
func whole(t *testing.T, x rag.Index) {
	hits, err := x.Search(t.Context(), rag.Query{Text: "연차 판", Scopes: []string{"team/0", "team/1", "team/2"}, Limit: 100, Repeats: true, Threshold: -1})
	if err != nil {
		t.Error(err)
		return
	}
	editions := map[string][]string{}
	for _, h := range hits {
		editions[h.Document.ID] = append(editions[h.Document.ID], strings.Fields(h.Chunk.Text)[2])
	}
	for id, e := range editions {
		if len(e) != 2 || e[0] != e[1] {
			t.Errorf("a reader met %v of %s", e, id)
		}
	}
}

// TestEmbeddedOnce lets two programs embed for one index: each text is embedded
// by one of them, and both find by vectors.
func TestEmbeddedOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	cfg := debian(t)
	cfg.Embed, cfg.EmbedModel = ragtest.Concepts(&calls), "concepts-1"
	one, two := open(t, cfg), open(t, cfg)
	fill(t, one)
	eventually(t, "63 vectors", func() bool { return calls.Load() >= 63 })
	before := calls.Load()
	if before != 63 {
		t.Errorf("%d texts were embedded, want 63", before)
	}
	for _, x := range []rag.Index{one, two} {
		ask := rag.Query{Text: "휴가는 얼마나 되나요?", Scopes: []string{"public"}}
		eventually(t, "found by vectors", func() bool { return first(t, x, ask) == "vacation" })
	}
}

// TestAgreesWithLocal asks the handbook's headings of this index and of the
// local one: what comes first is the same, and so is how sure both are.
func TestAgreesWithLocal(t *testing.T) {
	t.Parallel()
	here, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = here.Close() })
	there := open(t, debian(t))
	loader := load.New(load.Config{})
	var questions []string
	err = fs.WalkDir(handbook.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(handbook.Files(), path)
		if err != nil {
			return err
		}
		doc, chunks, err := loader.Load(t.Context(), path, data)
		if err != nil {
			return err
		}
		doc, chunks = rag.Own(doc, chunks, "public")
		for _, c := range chunks {
			if len(c.Heading) > 1 {
				questions = append(questions, c.Heading[len(c.Heading)-1])
			}
		}
		for _, x := range []rag.Index{here, there} {
			if err := x.Put(t.Context(), doc, chunks); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(questions) < 20 {
		t.Fatalf("%d questions, %v", len(questions), err)
	}
	other := 0
	for _, q := range questions {
		query := rag.Query{Text: q, Scopes: []string{"public"}, Limit: 5}
		a, err := here.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		b, err := there.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if len(a) != len(b) || len(a) > 0 && (a[0].Chunk.ID != b[0].Chunk.ID || a[0].Score-b[0].Score > 1e-9 || b[0].Score-a[0].Score > 1e-9) {
			other++
			t.Logf("%s: %d here, %d there", q, len(a), len(b))
		}
	}
	if 50*other > len(questions) { // lengths are kept in one byte here and as they are there
		t.Errorf("%d of %d answers differ", other, len(questions))
	}
}
