package opensearch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/memory/memtest/servers"
	"maru/rag"
	"maru/rag/ragtest"
)

// TestRestartIsOutlasted: a write waits as long as a restart takes; a question fails early. Both say that the index is
// away when it stays so. A cluster that refuses a write as too busy is asked for a while.
func TestRestartIsOutlasted(t *testing.T) {
	t.Parallel()
	c := fake(t)
	var waited time.Duration
	cfg := c.config()
	cfg.Poll = time.Hour
	cfg.Wait = func(ctx context.Context, d time.Duration) error {
		waited += d
		return ctx.Err()
	}
	x := openWith(t, cfg)
	awaitIdle(t, c)
	doc, chunks := ragtest.Doc("public", "leave", "연차는 15일입니다.")
	for _, k := range []struct {
		name        string
		status      int
		times       int
		do          func() error
		ok          bool
		least, most time.Duration
	}{
		{"restart", 503, 8, func() error { return x.Put(t.Context(), doc, chunks) }, true, 11 * time.Second, time.Minute},
		{"gone", 503, 99, func() error { return x.Put(t.Context(), doc, chunks) }, false, 30 * time.Second, time.Minute},
		{"busy", 429, 99, func() error { return x.Put(t.Context(), doc, chunks) }, false, 5 * time.Second, 16 * time.Second},
		{"question", 503, 99, func() error { _, err := x.Documents(t.Context(), []string{"public"}); return err }, false, time.Second, 4 * time.Second},
	} {
		waited = 0
		for range k.times {
			c.fake.Fail(0, k.status)
		}
		err := k.do()
		c.fake.Recover()
		if k.ok != (err == nil) || waited < k.least || waited > k.most {
			t.Errorf("%s: %v after %s", k.name, err, waited)
		}
		if want := k.status == 503 && !k.ok; want != errors.Is(err, rag.ErrUnavailable) {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}

// awaitIdle waits until the index has made its first round in the background.
func awaitIdle(t *testing.T, c cluster) {
	t.Helper()
	for tick, tries := time.NewTicker(time.Millisecond), 0; c.fake.Requests("_search") == 0; tries++ {
		if tries > 60_000 {
			t.Fatal("it does not look for old terms")
		}
		<-tick.C
	}
}

// TestKilledNode kills a node that has no plugins while documents are written, and starts it again: every document that
// was acknowledged is found, and every one is acknowledged, as a write outlasts a restart.
func TestKilledNode(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a start takes 10 s")
	}
	const before, after = 10, 30
	node := servers.StartOpenSearch(t)
	c := cluster{url: node.URL, name: "maru-documents"}
	cfg := c.config()
	var up atomic.Pointer[chan struct{}] // closed while the node listens: a start takes minutes on a busy machine
	first, again := make(chan struct{}), make(chan struct{})
	close(first)
	up.Store(&first)
	cfg.Wait = func(ctx context.Context, d time.Duration) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-*up.Load():
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * d):
		}
		return ctx.Err()
	}
	x := openWith(t, cfg)
	if lacks := strings.Join(x.Lacks(), " "); !strings.Contains(lacks, "opensearch-knn") || !strings.Contains(lacks, "analysis-nori") {
		t.Errorf("it lacks %q", lacks)
	}
	written := make(chan struct{}, after)
	var all sync.WaitGroup
	all.Go(func() {
		defer close(written)
		for i := range after {
			doc, chunks := ragtest.Doc("public", fmt.Sprint("doc", i), "연차 휴가는 15일입니다.", "주차장은 지하에 있습니다.")
			if err := x.Put(t.Context(), doc, chunks); err != nil {
				t.Errorf("document %d: %v", i, err)
			}
			written <- struct{}{}
		}
	})
	for range before {
		<-written
	}
	up.Store(&again)
	node.Stop()
	node.Start()
	close(again)
	all.Wait()
	for name, x := range map[string]rag.Index{"same": x, "new": openWith(t, cfg)} {
		docs, err := x.Documents(t.Context(), []string{"public"})
		hits, errSearch := x.Search(t.Context(), rag.Query{Text: "휴가는 며칠?", Scopes: []string{"public"}, Limit: 2 * after, Repeats: true, Threshold: -1})
		if err != nil || errSearch != nil || len(docs) != after || len(hits) < after {
			t.Errorf("%s: %d documents, %v; %d hits, %v", name, len(docs), err, len(hits), errSearch)
		}
	}
}
