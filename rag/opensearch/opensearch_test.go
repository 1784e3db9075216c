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

func open(t *testing.T, s *opensearchfake.Server) *opensearch.Index {
	t.Helper()
	x, err := opensearch.Open(t.Context(), opensearch.Config{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func TestContract(t *testing.T) {
	t.Parallel()
	ragtest.Run(t, func(t *testing.T) (rag.Index, func(*testing.T) rag.Index) {
		s := opensearchfake.New(t)
		return open(t, s), func(t *testing.T) rag.Index { return open(t, s) }
	})
}

// TestBusyCluster asks a cluster that is busy: it is asked again, and a Put
// that never came through changes nothing.
func TestBusyCluster(t *testing.T) {
	t.Parallel()
	s := opensearchfake.New(t)
	x, err := opensearch.Open(t.Context(), opensearch.Config{URL: s.URL, Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	for tick, tries := time.NewTicker(time.Millisecond), 0; s.Requests() < 2 && tries < 60_000; tries++ {
		<-tick.C // it makes the index, and looks once for terms of an older analyser
	}
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
	before := s.Requests()
	s.Fail(0, http.StatusForbidden)
	var refused *opensearch.Refused
	if err := x.Put(t.Context(), doc, nil); !errors.As(err, &refused) || refused.Status != http.StatusForbidden || s.Requests() != before+1 {
		t.Errorf("a refusal: %v after %d requests", err, s.Requests()-before)
	}
	if hits, err := x.Search(t.Context(), q); err != nil || len(hits) != 1 {
		t.Errorf("after the refused put: %v, %v", hits, err)
	}
}

func TestOpenTellsWhatToDo(t *testing.T) {
	t.Parallel()
	bare := opensearchfake.New(t)
	bare.WithoutNori()
	if _, err := opensearch.Open(t.Context(), opensearch.Config{URL: bare.URL}); err == nil || !strings.Contains(err.Error(), "opensearch-plugin install analysis-nori") {
		t.Errorf("without the plugin: %v", err)
	}
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
