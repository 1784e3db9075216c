package opensearch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/opensearch"
	"maru/rag/opensearch/opensearchfake"
	"maru/rag/ragtest"
	"maru/rag/vec"
)

func fill(t *testing.T, x rag.Index) {
	t.Helper()
	put := func(scope, source string, passages ...string) {
		doc, chunks := ragtest.Doc(scope, source, passages...)
		doc.Title = ""
		for i := range chunks {
			chunks[i].Context = ""
		}
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatal(err)
		}
	}
	put("public", "vacation", "Full-time staff may take fifteen days of vacation each year.")
	put("private", "board", "The board takes thirty days of vacation.")
	for d := range 6 {
		var noise []string
		for i := range 10 {
			noise = append(noise, fmt.Sprintf("Note number %d about the printer and other matters.", 10*d+i))
		}
		put("public", fmt.Sprint("noise", d), noise...)
	}
}

func source(t *testing.T, x rag.Index, q rag.Query) string {
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

// TestVectors asks in Korean for an English passage: only vectors find it. The
// model fails first, and a document is written while it is embedded.
func TestVectors(t *testing.T) {
	t.Parallel()
	onBoth(t, vectors)
}

func vectors(t *testing.T, c cluster) {
	var calls atomic.Int64
	var away atomic.Bool
	away.Store(true)
	known := ragtest.Concepts(&calls)
	embedding, goOn := make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	cfg := c.config()
	cfg.EmbedModel, cfg.Embed = "concepts", func(ctx context.Context, texts, _ []string) ([][]float32, error) {
		if away.Load() {
			return nil, errors.New("connection refused")
		}
		if strings.Contains(texts[0], "Full-time") && !once.Swap(true) {
			close(embedding)
			<-goOn
		}
		return known(ctx, texts, nil)
	}
	x := openWith(t, cfg)
	fill(t, x)
	if got := source(t, x, rag.Query{Text: "days of vacation", Scopes: []string{"public"}}); got != "vacation" {
		t.Errorf("without the model: %q", got)
	}
	away.Store(false)
	fill(t, x) // a new document makes it try again at once
	<-embedding
	fill(t, x) // the document that is being embedded is written again
	close(goOn)
	ask := rag.Query{Text: "휴가는 얼마나 되나요?", Scopes: []string{"public"}}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Minute); source(t, x, ask) != "vacation"; <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("the vectors do not answer")
		}
	}
	for _, q := range []rag.Query{
		{Text: ask.Text, Scopes: []string{"empty"}},
		{Text: ask.Text, Scopes: []string{"public"}, Documents: []string{rag.DocumentID("public", "noise1"), rag.DocumentID("private", "board")}},
		{Text: ask.Text, Scopes: []string{"public"}, Tags: []string{"hr"}},
	} {
		if got := source(t, x, q); got != "" {
			t.Errorf("%+v found %s", q, got)
		}
	}
}

// slowMapping holds back the request that makes the field of vectors.
type slowMapping struct {
	begun, goOn chan struct{}
	once        sync.Once
}

// RoundTrip implements http.RoundTripper.
func (s *slowMapping) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/_mapping") {
		s.once.Do(func() { close(s.begun) })
		<-s.goOn
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestSearchWhileTheFieldIsMade asks while the cluster takes its time to make the field
// of vectors: keywords answer.
func TestSearchWhileTheFieldIsMade(t *testing.T) {
	t.Parallel()
	slow := &slowMapping{begun: make(chan struct{}), goOn: make(chan struct{})}
	x, err := opensearch.Open(t.Context(), opensearch.Config{
		URL: opensearchfake.New(t).URL, HTTP: &http.Client{Transport: slow}, EmbedModel: "concepts", Embed: ragtest.Concepts(new(atomic.Int64)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	doc, chunks := ragtest.Doc("public", "leave", "연차는 15일입니다.")
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	<-slow.begun
	found := make(chan int, 1)
	go func() {
		hits, _ := x.Search(t.Context(), rag.Query{Text: "연차", Scopes: []string{"public"}}) // what it found says whether it failed
		found <- len(hits)
	}()
	select {
	case n := <-found:
		if n != 1 {
			t.Errorf("%d hits", n)
		}
	case <-time.After(20 * time.Second):
		t.Error("the search waits for the field")
	}
	close(slow.goOn)
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, c cluster) {
		ragtest.RunEmbedded(t, func(t *testing.T, embed rag.Embed, model string) rag.Index {
			cfg := c.config()
			cfg.Embed, cfg.EmbedModel = embed, model
			return openWith(t, cfg)
		})
	})
}

// TestWhatWasLearnedOutlivesARestart: it lies in the index, an exam adds nothing to it, nobody takes it for a document,
// and a damaged one is learned again.
func TestWhatWasLearnedOutlivesARestart(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, c cluster) {
		var at atomic.Value
		cfg := c.config()
		cfg.EmbedModel, cfg.Embed = "concepts", ragtest.Concepts(new(atomic.Int64))
		cfg.HTTP = &http.Client{Transport: through(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/_doc/learned-") {
				at.Store(r.URL.Path)
			}
			return http.DefaultTransport.RoundTrip(r)
		})}
		stored := func() (sure float64) {
			path, _ := at.Load().(string)
			if path == "" {
				return 0
			}
			var got struct {
				Source struct{ Record string } `json:"_source"`
			}
			var learned struct{ Sure float64 }
			if err := errors.Join(json.Unmarshal(call(t, http.MethodGet, c.url+path, nil), &got), json.Unmarshal([]byte(got.Source.Record), &learned)); err != nil {
				t.Fatal(err)
			}
			return learned.Sure
		}
		ask := func(x rag.Index, n int, exam bool) {
			for range n {
				if got := source(t, x, rag.Query{Text: "days of vacation", Scopes: []string{"public"}, Exam: exam}); got != "vacation" {
					t.Fatalf("found %q", got)
				}
			}
		}
		x := openWith(t, cfg)
		fill(t, x)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for e, deadline := (vec.Coverage{}), time.Now().Add(10*time.Minute); !e.Complete() || e.All == 0; <-tick.C {
			var err error
			if e, err = x.Embedded(t.Context()); err != nil || time.Now().After(deadline) {
				t.Fatal(e, err)
			}
		}
		ask(x, 20, true)
		if err := x.Close(); err != nil || stored() != 0 {
			t.Fatalf("after an exam: %v lessons, %v", stored(), err)
		}
		x = openWith(t, cfg)
		ask(x, 17, false)
		if n := stored(); n < 16 {
			t.Errorf("%v lessons while it runs", n)
		}
		if err := x.Close(); err != nil || stored() != 17 {
			t.Errorf("%v lessons at the end, %v", stored(), err)
		}
		x = openWith(t, cfg)
		ask(x, 1, false)
		if err := x.Close(); err != nil || stored() != 18 {
			t.Errorf("%v lessons after a restart, %v", stored(), err)
		}
		path, _ := at.Load().(string)
		call(t, http.MethodPut, c.url+path, []byte(`{"id": "learned", "record": "{"}`))
		x = openWith(t, cfg)
		ask(x, 1, false)
		if scopes, err := x.Scopes(t.Context()); err != nil || strings.Join(scopes, " ") != "private public" {
			t.Errorf("scopes %q, %v", scopes, err)
		}
		if err := x.Close(); err != nil || stored() != 1 {
			t.Errorf("%v lessons after damage, %v", stored(), err)
		}
	})
}
