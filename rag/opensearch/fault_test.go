package opensearch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"maru/rag"
	"maru/rag/opensearch"
	"maru/rag/opensearch/opensearchfake"
	"maru/rag/ragtest"
)

func mustPut(t *testing.T, x rag.Index, name string, passages ...string) {
	t.Helper()
	doc, chunks := ragtest.Doc("public", name, passages...)
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
}

// TestLongQuestion: a pasted text of more words than OpenSearch has clauses in a query finds its passage.
func TestLongQuestion(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, c cluster) {
		x := c.open(t)
		mustPut(t, x, "leave", "연차 휴가는 매년 15일을 유급으로 줍니다.")
		mustPut(t, x, "parking", "주차장은 지하 2층입니다.")
		for name, text := range map[string]string{
			"korean":  "연차 휴가 " + strings.Repeat("오늘 회의에서 나온 이야기를 정리해서 보냅니다 그리고 다음 주에 다시 만나요 ", 100),
			"english": "연차 휴가 " + strings.Repeat("the quick brown fox jumps over a lazy dog again ", 200),
			"one":     "연차 휴가 " + strings.Repeat("가나다라마바사", 5000),
		} {
			if got := source(t, x, rag.Query{Text: text, Scopes: []string{"public"}, Threshold: -1}); got != "leave" {
				t.Errorf("%s found %q", name, got)
			}
		}
	})
}

// TestWithoutPlugins: without k-NN, without nori and without both it is searched by words, and the index says what it
// lacks; one that was made with them is as before.
func TestWithoutPlugins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		without []string
		lacks   string
	}{
		{nil, ""},
		{[]string{opensearchfake.KNN}, "install opensearch-knn"},
		{[]string{opensearchfake.Nori}, "install analysis-nori"},
		{[]string{opensearchfake.KNN, opensearchfake.Nori}, "install opensearch-knn install analysis-nori"},
	} {
		bare := fake(t)
		bare.fake.Without(c.without...)
		cfg := bare.config()
		var texts atomic.Int64
		cfg.EmbedModel, cfg.Embed = "concepts", ragtest.Concepts(&texts)
		for _, when := range []string{"new", "opened again"} {
			x := openWith(t, cfg)
			mustPut(t, x, "leave", "연차 휴가는 15일입니다.")
			if got := source(t, x, rag.Query{Text: "연차는 며칠?", Scopes: []string{"public"}}); got != "leave" {
				t.Errorf("%v, %s: found %q", c.without, when, got)
			}
			lacks := strings.Join(x.Lacks(), " ")
			for _, want := range strings.SplitAfter(c.lacks, "-knn ") {
				if !strings.Contains(lacks, strings.TrimSpace(want)) || c.lacks == "" && lacks != "" {
					t.Errorf("%v, %s: lacks %q, want %q", c.without, when, lacks, c.lacks)
				}
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(c.lacks, "knn") && texts.Load() > 0 {
			t.Errorf("%v: %d texts were embedded for nothing", c.without, texts.Load())
		}
	}
}

// TestForeignIndex: an index that somebody else made is refused and stays as it is; one index for each of two names.
func TestForeignIndex(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, c cluster) {
		call(t, http.MethodPut, c.index(), []byte(`{}`))
		before := string(call(t, http.MethodGet, c.index(), nil))
		if _, err := opensearch.Open(t.Context(), c.config()); err == nil || !strings.Contains(err.Error(), "MARU_INDEX_NAME") {
			t.Errorf("opened: %v", err)
		}
		if after := string(call(t, http.MethodGet, c.index(), nil)); after != before {
			t.Errorf("it was %s, and is %s", before, after)
		}
		a, b := c, c
		a.name, b.name = c.name+"-a", c.name+"-b"
		t.Cleanup(func() { a.drop(t); b.drop(t) })
		mustPut(t, a.open(t), "leave", "연차는 15일입니다.")
		if got := source(t, b.open(t), rag.Query{Text: "연차", Scopes: []string{"public"}, Threshold: -1}); got != "" {
			t.Errorf("the other index has %q", got)
		}
	})
}

// TestDeletedWhileRunning: an index that an operator deletes is made again as it was, by a question or by a write.
func TestDeletedWhileRunning(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, c cluster) {
		x := c.open(t)
		mustPut(t, x, "leave", "연차는 15일입니다.")
		ask := rag.Query{Text: "연차", Scopes: []string{"public"}, Threshold: -1}
		c.drop(t)
		if got := source(t, x, ask); got != "" {
			t.Errorf("found %q in a new index", got)
		}
		c.drop(t)
		doc, _ := ragtest.Doc("public", "leave")
		if gone, err := x.Delete(t.Context(), "public", doc.ID); gone || err != nil {
			t.Errorf("deleted: %v, %v", gone, err)
		}
		c.drop(t)
		mustPut(t, x, "leave", "연차는 16일입니다.")
		if got := source(t, x, ask); got != "leave" {
			t.Errorf("found %q", got)
		}
		if got := source(t, c.open(t), ask); got != "leave" {
			t.Errorf("a second program found %q", got)
		}
	})
}

// TestAlias: the name may be an alias, behind which an operator builds the index again.
func TestAlias(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, c cluster) {
		behind := c
		behind.name += "-1"
		t.Cleanup(func() { behind.drop(t) })
		mustPut(t, behind.open(t), "leave", "연차는 15일입니다.")
		call(t, http.MethodPut, behind.index()+"/_alias/"+c.name, nil)
		x := c.open(t)
		mustPut(t, x, "parking", "주차장은 지하 2층입니다.")
		for text, want := range map[string]string{"연차": "leave", "주차장": "parking"} {
			if got := source(t, x, rag.Query{Text: text, Scopes: []string{"public"}}); got != want {
				t.Errorf("%s found %q", text, got)
			}
		}
	})
}

// TestRefreshIsOurs: a write is seen at once, even where the index refreshes by itself never.
func TestRefreshIsOurs(t *testing.T) {
	t.Parallel()
	c := real(t)
	x := c.open(t)
	call(t, http.MethodPut, c.index()+"/_settings", []byte(`{"index": {"refresh_interval": "-1"}}`))
	mustPut(t, x, "leave", "연차는 15일입니다.")
	if got := source(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}}); got != "leave" {
		t.Errorf("found %q", got)
	}
}

// TestWritersShareARefresh: writes that end while a refresh runs share the next one.
func TestWritersShareARefresh(t *testing.T) {
	t.Parallel()
	s := opensearchfake.New(t)
	synctest.Test(t, func(t *testing.T) {
		const writers = 50
		begun, goOn := make(chan struct{}), make(chan struct{})
		var refreshes atomic.Int64
		direct := through(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/_refresh") && refreshes.Add(1) == 1 {
				close(begun)
				<-goOn
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w.Result(), nil
		})
		x, err := opensearch.Open(t.Context(), opensearch.Config{URL: "http://cluster", Poll: time.Hour, HTTP: &http.Client{Transport: direct}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = x.Close() }()
		var all sync.WaitGroup
		write := func(i int) {
			all.Go(func() {
				doc, chunks := ragtest.Doc("public", fmt.Sprint("doc", i), "연차는 15일입니다.")
				if err := x.Put(t.Context(), doc, chunks); err != nil {
					t.Error(err)
				}
			})
		}
		write(0)
		<-begun
		for i := 1; i < writers; i++ {
			write(i)
		}
		synctest.Wait() // all are written, and wait
		close(goOn)
		all.Wait()
		if n := refreshes.Load(); n != 2 {
			t.Errorf("%d refreshes for %d writes, want 2", n, writers)
		}
		docs, err := x.Documents(t.Context(), []string{"public"})
		if err != nil || len(docs) != writers {
			t.Errorf("%d documents, %v", len(docs), err)
		}
	})
}

// through is a function as [http.RoundTripper].
type through func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f through) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSlowWriteIsSentOnce: the time limit grows with what is sent, and after it the same is not sent again to a
// cluster that is still at work; a write that came through without an answer is a success.
func TestSlowWriteIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{true, false} {
		s := opensearchfake.New(t)
		synctest.Test(t, func(t *testing.T) {
			var puts atomic.Int64
			direct := through(func(r *http.Request) (*http.Response, error) {
				slow := strings.Contains(r.URL.Path, "/_doc/") && r.Method == http.MethodPut
				w := httptest.NewRecorder()
				if slow {
					puts.Add(1)
				}
				if !slow || stored {
					s.ServeHTTP(w, r)
				}
				if slow {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				return w.Result(), nil
			})
			x, err := opensearch.Open(t.Context(), opensearch.Config{URL: "http://cluster", Poll: time.Hour, HTTP: &http.Client{Transport: direct}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = x.Close() }()
			doc, chunks := ragtest.Doc("public", "book", strings.Repeat("가나다라 마바사아 자차카타 파하. ", 40_000))
			begun := time.Now()
			err = x.Put(t.Context(), doc, chunks)
			if took := time.Since(begun); puts.Load() != 1 || took < 31*time.Second || took > 5*time.Minute {
				t.Errorf("stored %v: sent %d times in %s", stored, puts.Load(), took)
			}
			if stored != (err == nil) {
				t.Errorf("stored %v: %v", stored, err)
			}
			hits, err := x.Search(t.Context(), rag.Query{Text: "가나다라", Scopes: []string{"public"}, Threshold: -1})
			if err != nil || stored != (len(hits) > 0) {
				t.Errorf("stored %v: %d hits, %v", stored, len(hits), err)
			}
		})
	}
}

// TestWordsOfTheCluster: what it says as a sentence, and what it says with a status alone, is told.
func TestWordsOfTheCluster(t *testing.T) {
	t.Parallel()
	c := fake(t)
	x := c.open(t)
	big, chunks := ragtest.Doc("public", "big", "연차")
	big.Title = strings.Repeat("가", 40<<20)
	if err := x.Put(t.Context(), big, chunks); !errors.Is(err, rag.ErrTooLarge) || !strings.Contains(err.Error(), "http.max_content_length") {
		t.Errorf("too large: %v", err)
	}
	c.fake.Heap(1 << 20)
	before := c.fake.Requests("_doc")
	big.Title = strings.Repeat("가", 1<<20)
	if err := x.Put(t.Context(), big, chunks); !errors.Is(err, rag.ErrTooLarge) || c.fake.Requests("_doc") != before+1 {
		t.Errorf("too large for the heap: %v after %d requests", err, c.fake.Requests("_doc")-before)
	}
	for _, id := range []string{".", "..", "a/b", "?", "#"} {
		if _, err := x.Document(t.Context(), []string{"public"}, id); !errors.Is(err, rag.ErrNotFound) {
			t.Errorf("document %q: %v", id, err)
		}
	}
	below := opensearch.Config{URL: c.url + "/sub"}
	if _, err := opensearch.Open(t.Context(), below); err == nil || !strings.Contains(err.Error(), "no handler found for uri [/sub/maru-documents]") {
		t.Errorf("below a path: %v", err)
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "Unauthorized by the proxy")
	}))
	t.Cleanup(page.Close)
	if _, err := opensearch.Open(t.Context(), opensearch.Config{URL: page.URL}); err == nil || !strings.Contains(err.Error(), "by the proxy") {
		t.Errorf("a page: %v", err)
	}
	var tries atomic.Int64
	counted := opensearch.Config{HTTP: &http.Client{Transport: through(func(r *http.Request) (*http.Response, error) {
		tries.Add(1)
		return http.DefaultTransport.RoundTrip(r)
	})}}
	signed := httptest.NewTLSServer(c.fake)
	t.Cleanup(signed.Close)
	for url, want := range map[string]string{signed.URL: "SSL_CERT_FILE", strings.Replace(c.url, "http:", "https:", 1): "speaks http"} {
		tries.Store(0)
		counted.URL = url
		if _, err := opensearch.Open(t.Context(), counted); err == nil || !strings.Contains(err.Error(), want) || tries.Load() != 1 {
			t.Errorf("%s: %v after %d tries", url, err, tries.Load())
		}
	}
}

// TestRights: a user who may read and write documents, and nothing else, can use an index that is there.
func TestRights(t *testing.T) {
	t.Parallel()
	c := fake(t)
	c.open(t)
	c.fake.ReadWriteOnly()
	x := c.open(t)
	for range 2 {
		mustPut(t, x, "leave", "연차는 15일입니다.")
		if got := source(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}}); got != "leave" {
			t.Errorf("found %q", got)
		}
	}
	foreign := c
	foreign.name = "other"
	if _, err := opensearch.Open(t.Context(), foreign.config()); err == nil {
		t.Error("an index that is not there was opened")
	}
}

// TestPing tells whether questions can be answered now.
func TestPing(t *testing.T) {
	t.Parallel()
	c := fake(t)
	x := c.open(t)
	if err := x.Ping(t.Context()); err != nil {
		t.Errorf("while it runs: %v", err)
	}
	for range 50 {
		c.fake.Fail(0, http.StatusServiceUnavailable)
	}
	if err := x.Ping(t.Context()); !errors.Is(err, rag.ErrUnavailable) {
		t.Errorf("while it is away: %v", err)
	}
}

func call(t *testing.T, method, url string, body []byte) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %d, %v: %s", method, url, resp.StatusCode, err, got)
	}
	var sorted any
	if json.Unmarshal(got, &sorted) != nil {
		return got
	}
	got, err = json.Marshal(sorted)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
