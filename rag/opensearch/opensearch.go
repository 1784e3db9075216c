// Package opensearch is a [rag.Index] in an OpenSearch cluster, for teams that
// have one. A document with all its passages is one document there, the
// passages nested in it, because that is what OpenSearch replaces as a whole:
// readers see one edition or the other.
//
// Candidates come from the cluster: passages that hold the terms which package
// rag makes of the question, weighed by how rare they are in the scopes, and
// BM25 over the nori analysis, which finds what the terms miss; and passages
// whose vectors are nearest, by k-NN. package rank then ranks them as it does
// for every index.
//
// It was written against OpenSearch's documentation and tested against the
// strict fake in opensearchfake, not against a cluster. The package knows the REST API and
// no client library.
package opensearch

import (
	"context"
	_ "embed"
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

// Config sets an Index up.
type Config struct {
	URL        string        // of the cluster, with user and password if it wants them
	Name       string        // of the index in it; default "maru-documents"
	Threshold  float64       // score below which nothing is returned; 0 means [rag.DefaultThreshold]
	Embed      rag.Embed     // nil: search by words alone
	EmbedModel string        // names the vectors' model; another name embeds everything again, in the background
	Poll       time.Duration // how often to look for what other replicas left to embed; default 5 s
	HTTP       *http.Client  // nil: one with a limit of 30 s a request
	Log        *slog.Logger  // nil discards
}

// ErrClosed is returned after Close.
var ErrClosed = errors.New("rag/opensearch: the index is closed")

// Index implements [rag.Index]. Use [Open].
type Index struct {
	cfg     Config
	client  client
	vectors *vectors // nil without an embedder
	trust   rag.Trust
	closed  atomic.Bool
	stop    context.CancelFunc
	wake    chan struct{}
	done    sync.WaitGroup
}

var (
	_ rag.Index   = (*Index)(nil)
	_ rag.Finder  = (*Index)(nil)
	_ rag.Sampler = (*Index)(nil)
	_ rag.Scoper  = (*Index)(nil)
)

//go:embed mapping.json
var mapping []byte

// Open reaches the cluster, makes the index if it is missing, and starts the
// background work, which ends with Close.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	if cfg.Name == "" {
		cfg.Name = "maru-documents"
	}
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{Timeout: 30 * time.Second}
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
	x := &Index{cfg: cfg, client: client{http: cfg.HTTP, base: base, log: cfg.Log}, vectors: newVectors(cfg.Embed, cfg.EmbedModel), wake: make(chan struct{}, 1)}
	if err := x.make(ctx); err != nil {
		return nil, fmt.Errorf("rag/opensearch: make the index %s: %w", cfg.Name, err)
	}
	// The work outlives the call that opened the index; Close ends it.
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	x.stop = stop
	x.done.Go(func() { vec.Keeper{Fill: x.fill, Wake: x.wake, Poll: cfg.Poll, Log: cfg.Log}.Run(bg) })
	return x, nil
}

// fill does what documents lack: terms of the present analyser, and vectors.
func (x *Index) fill(ctx context.Context) error {
	err := x.renew(ctx)
	if x.vectors == nil {
		return err
	}
	return errors.Join(err, x.embedMissing(ctx))
}

// make makes the index; one that is there already is given the fields that it lacks.
func (x *Index) make(ctx context.Context) error {
	err := x.client.do(ctx, request{method: http.MethodPut, path: []string{x.cfg.Name}, body: mapping}, nil)
	var refused *Refused
	switch {
	case errors.As(err, &refused) && refused.Type == "resource_already_exists_exception":
		return x.client.do(ctx, request{method: http.MethodPut, path: []string{x.cfg.Name, "_mapping"}, body: []byte(newFields)}, nil)
	case errors.As(err, &refused) && refused.lacksNori():
		return fmt.Errorf("%w; install the Korean analysis on every node: bin/opensearch-plugin install analysis-nori", err)
	}
	return err
}

// Close stops the background work and refuses further use. Twice is once.
func (x *Index) Close() error {
	if !x.closed.Swap(true) {
		x.stop()
		x.done.Wait()
		x.cfg.HTTP.CloseIdleConnections()
	}
	return nil
}

func (x *Index) usable(ctx context.Context) error {
	if x.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}
