// Package opensearch is a [rag.Index] in an OpenSearch cluster, for teams that run one. A document with all its
// passages is one OpenSearch document with nested passages, because OpenSearch replaces documents atomically: readers
// see one edition or the other.
//
// The cluster returns candidates: passages with package rag's terms of the question, weighted by IDF in the scopes,
// and BM25 over the nori analysis for other matches; and the nearest passages by k-NN. package rank then ranks them
// as for every index.
//
// It is tested on a real node and on the strict fake in opensearchfake. The package uses the REST API without a client
// library.
package opensearch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"maru/rag"
	"maru/rag/vec"
)

// Config configures an Index.
type Config struct {
	URL        string        // the cluster's, with user and password if required
	Name       string        // of the index in it; default "maru-documents"
	Threshold  float64       // score below which nothing is returned; 0 means [rag.DefaultThreshold]
	Embed      rag.Embed     // nil: search by words alone
	EmbedModel string        // model name of the vectors; a new name re-embeds everything in the background
	Poll       time.Duration // polling interval for work left by other replicas; default 5 s
	HTTP       *http.Client  // nil: the default; requests have time limits of their own

	// Wait waits between tries of a request; nil: on the clock.
	Wait func(ctx context.Context, d time.Duration) error
	Log  *slog.Logger // nil discards
}

// ErrClosed is returned after Close.
var ErrClosed = errors.New("rag/opensearch: the index is closed")

// Index implements [rag.Index]. Use [Open].
type Index struct {
	cfg       Config
	client    client
	vectors   *vectors // nil without an embedder
	blend     rag.Blend
	lessons   atomic.Int64 // of blend that are stored
	outcome   vec.Outcome  // of the background work
	making    sync.Mutex   // held while the index is made
	layout    atomic.Pointer[layout]
	refreshes refreshes
	closed    atomic.Bool
	stop      context.CancelFunc
	wake      chan struct{}
	done      sync.WaitGroup
}

var (
	_ rag.Index   = (*Index)(nil)
	_ rag.Finder  = (*Index)(nil)
	_ rag.Sampler = (*Index)(nil)
	_ rag.Scoper  = (*Index)(nil)
)

// Open connects to the cluster, creates the index if missing, and starts the background work, which ends with Close.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	if cfg.Name == "" {
		cfg.Name = "maru-documents"
	}
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{}
	}
	if cfg.Wait == nil {
		cfg.Wait = sleep
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Poll <= 0 {
		cfg.Poll = 5 * time.Second
	}
	if cfg.Embed != nil && cfg.EmbedModel == "" {
		return nil, errors.New("rag/opensearch: an embedder needs EmbedModel, the name its vectors are kept under")
	}
	base, err := url.Parse(cfg.URL)
	if err != nil || base.Host == "" {
		return nil, errors.New("rag/opensearch: MARU_INDEX_URL is no address; use https://user:password@host:9200")
	}
	x := &Index{cfg: cfg, client: client{http: cfg.HTTP, base: base, log: cfg.Log, wait: cfg.Wait}, vectors: newVectors(cfg.Embed, cfg.EmbedModel), wake: make(chan struct{}, 1)}
	x.refreshes.turn = make(chan struct{}, 1)
	if err := x.make(ctx); err != nil {
		return nil, fmt.Errorf("rag/opensearch: open the index %s: %w", cfg.Name, err)
	}
	x.recall(ctx)
	// The work outlives the call that opened the index; Close ends it.
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	x.stop = stop
	x.done.Go(func() { vec.Keeper{Fill: x.fill, Wake: x.wake, Poll: cfg.Poll, Log: cfg.Log, Last: &x.outcome}.Run(bg) })
	return x, nil
}

// embeds reports whether there is a model, and room for its vectors.
func (x *Index) embeds() bool { return x.vectors != nil && x.layout.Load().vectors }

// fill adds missing data to documents: terms of the present analyser, and vectors.
func (x *Index) fill(ctx context.Context) error {
	err := x.renew(ctx)
	if !x.embeds() {
		return err
	}
	return errors.Join(err, x.embedMissing(ctx))
}

// Drop deletes the index with everything in it, and closes it.
func (x *Index) Drop(ctx context.Context) error {
	if x.closed.Swap(true) {
		return ErrClosed
	}
	x.stop()
	x.done.Wait()
	return x.client.do(ctx, request{method: http.MethodDelete, path: []string{x.cfg.Name}}, nil)
}

// nudge wakes the background work.
func (x *Index) nudge() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// Close stops the background work and rejects further use. It is idempotent.
func (x *Index) Close() error {
	if !x.closed.Swap(true) {
		x.stop()
		x.done.Wait()
		if x.embeds() {
			ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
			x.keepLearned(ctx, 1)
			cancel()
		}
		x.cfg.HTTP.CloseIdleConnections()
	}
	return nil
}

// Ping reports whether the cluster can answer questions now. It waits for nothing.
func (x *Index) Ping(ctx context.Context) error {
	if err := x.usable(ctx); err != nil {
		return err
	}
	_, err := x.client.sendOnce(ctx, request{method: http.MethodPost, path: []string{x.cfg.Name, "_search"}, body: []byte(`{"size": 0, "query": {"match_all": {}}}`)}, nil)
	if is(err, "index_not_found_exception") {
		return nil // the next use makes it again
	}
	if err != nil {
		return x.client.explain(err)
	}
	return nil
}

func (x *Index) usable(ctx context.Context) error {
	if x.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}
