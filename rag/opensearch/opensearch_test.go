package opensearch_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/opensearch"
	"maru/rag/opensearch/opensearchfake"
	"maru/rag/ragtest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) cluster{"fake": fake, "real": real} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ragtest.Run(t, func(t *testing.T) (rag.Index, func(*testing.T) rag.Index) {
				c := start(t)
				return c.open(t), func(t *testing.T) rag.Index { return c.open(t) }
			})
		})
	}
}

// TestBusyCluster asks a cluster that is busy: it is asked again, and a Put
// that never came through changes nothing.
func TestBusyCluster(t *testing.T) {
	t.Parallel()
	c := fake(t)
	s, cfg := c.fake, c.config()
	cfg.Poll = time.Hour
	x := openWith(t, cfg)
	awaitIdle(t, c)
	doc, chunks := ragtest.Doc("public", "leave", "연차는 15일입니다.")
	s.Fail(0, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatalf("a passing failure: %v", err)
	}
	s.Fail(1, http.StatusTooManyRequests)
	q := rag.Query{Text: "연차", Scopes: []string{"public"}}
	if hits, err := x.Search(t.Context(), q); err != nil || len(hits) != 1 {
		t.Errorf("found %v, %v", hits, err)
	}
	before := s.Requests("")
	s.Fail(0, http.StatusForbidden)
	var refused *opensearch.Refused
	if err := x.Put(t.Context(), doc, nil); !errors.As(err, &refused) || refused.Status != http.StatusForbidden || s.Requests("") != before+1 {
		t.Errorf("a refusal: %v after %d requests", err, s.Requests("")-before)
	}
	if hits, err := x.Search(t.Context(), q); err != nil || len(hits) != 1 {
		t.Errorf("after the refused put: %v, %v", hits, err)
	}
}

func TestOpenTellsWhatToDo(t *testing.T) {
	t.Parallel()
	locked := opensearchfake.New(t)
	locked.Demand("maru", "hunter2")
	with := strings.Replace(locked.URL, "://", "://maru:hunter3@", 1)
	if _, err := opensearch.Open(t.Context(), opensearch.Config{URL: with}); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("a wrong password: %v", err)
	}
	if _, err := opensearch.Open(t.Context(), opensearch.Config{URL: strings.Replace(with, "hunter3", "hunter2", 1)}); err != nil {
		t.Errorf("the right password: %v", err)
	}
	if _, err := opensearch.Open(t.Context(), opensearch.Config{URL: "nowhere"}); err == nil {
		t.Error("no address was taken")
	}
}
