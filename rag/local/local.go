// Package local is the default [rag.Index]: immutable segments in a folder of this machine, or in memory, searched by
// BM25 over Korean and English analysis and, with an embedder, by exact vector search as well.
//
// A Put appends one checksummed record to a log and returns after fsync; the record is the document's finished
// segment, so that opening needs no analysis. A background worker compacts small segments and flushes the log to
// segment files. Readers use a snapshot and never block. README.md describes the files. The package must not know
// people, platforms, models or file formats: scopes are opaque names, text comes as chunks.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"

	"maru/rag"
	"maru/rag/vec"
)

// Config configures an Index.
type Config struct {
	Dir        string    // created if missing; empty keeps everything in memory
	Threshold  float64   // score below which nothing is returned; 0 means [rag.DefaultThreshold]
	Embed      rag.Embed // nil: keyword search only
	EmbedModel string    // model name of the vectors; a new name re-embeds everything in the background
	// EmbedOld returns an embedder of the previous EmbedModel: its vectors serve until all new ones are there. It
	// returns nil if that model is unavailable; nil: none is.
	EmbedOld func(model string) rag.Embed
	Log      *slog.Logger // nil discards
}

// ErrClosed is returned after Close.
var ErrClosed = errors.New("rag/local: the index is closed")

// Index implements [rag.Index]. Use [Open].
type Index struct {
	cfg  Config
	log  *slog.Logger
	snap atomic.Pointer[snapshot]

	mu      sync.Mutex // writers
	live    map[string]place
	busy    []*view // being read by the background merge
	disk    *disk   // nil in memory
	broken  error   // the error that stopped writing
	removed bool    // time of a deletion whose text may still be on disk
	closed  atomic.Bool

	vecs      *vecStore                // of EmbedModel; nil without an embedder
	outcome   vec.Outcome              // of embedding
	old       atomic.Pointer[vecStore] // of the previous model, while its vectors serve
	merging   sync.Mutex               // one merge at a time; taken before mu
	embedding sync.Mutex               // serialises embedding
	stop      context.CancelFunc
	wake      chan struct{}
	wakeVec   chan struct{}
	done      sync.WaitGroup
}

// place is the location of a live document.
type place struct {
	seg *segment
	doc int
}

var (
	_ rag.Index  = (*Index)(nil)
	_ rag.Finder = (*Index)(nil)
)

// Open opens or creates the index and starts its background work, which ends with Close.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	if cfg.Threshold == 0 {
		cfg.Threshold = rag.DefaultThreshold
	}
	if cfg.Embed != nil && cfg.EmbedModel == "" {
		return nil, errors.New("rag/local: an embedder needs EmbedModel, the name its vectors are kept under")
	}
	x := &Index{cfg: cfg, log: cfg.Log, live: map[string]place{}, wake: make(chan struct{}, 1), wakeVec: make(chan struct{}, 1)}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	x.snap.Store(&snapshot{})
	if cfg.Dir != "" {
		if err := x.load(ctx); err != nil {
			return nil, fmt.Errorf("open index %s: %w%s", cfg.Dir, err, remedy(err))
		}
	}
	if err := x.openVectors(); err != nil {
		return nil, errors.Join(err, x.closeVectors(), x.disk.close())
	}
	// The work outlives the call that opened the index; Close ends it.
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	x.stop = stop
	x.done.Go(func() { x.compactLoop(bg) })
	if cfg.Embed != nil {
		x.done.Go(func() { vec.Keeper{Fill: x.embedMissing, Wake: x.wakeVec, Log: x.log, Last: &x.outcome}.Run(bg) })
	}
	x.nudge()
	return x, nil
}

// remedy returns the advice for an unreadable folder.
func remedy(err error) string {
	if errors.Is(err, errCorrupt) {
		return "; restore the folder from a backup, or move it away, start again and add the documents again"
	}
	return ""
}

// Close stops background work and releases the files. It is idempotent.
func (x *Index) Close() error {
	if x.closed.Swap(true) {
		return nil
	}
	x.stop()
	x.done.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	return errors.Join(x.closeVectors(), x.disk.close())
}

func (x *Index) usable(ctx context.Context) error {
	if x.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}

// Put adds a document or replaces the one with the same ID.
func (x *Index) Put(ctx context.Context, doc rag.Document, chunks []rag.Chunk) error {
	return x.PutAll(ctx, []Entry{{Document: doc, Chunks: chunks}})
}

// Entry is one document for [Index.PutAll].
type Entry struct {
	Document rag.Document
	Chunks   []rag.Chunk
}

// PutAll puts many documents atomically. Of two with the same ID the later wins. For bulk loads it saves one fsync
// per document.
func (x *Index) PutAll(ctx context.Context, entries []Entry) error {
	if err := x.usable(ctx); err != nil {
		return err
	}
	unique := map[string]entry{}
	for _, e := range entries {
		if err := rag.Check(e.Document, e.Chunks); err != nil {
			return fmt.Errorf("rag/local: put %s: %w", e.Document.ID, err)
		}
		unique[e.Document.ID] = entry{e.Document, e.Chunks}
	}
	if len(unique) == 0 {
		return nil
	}
	data, err := buildAll(ctx, unique)
	if err != nil {
		return err
	}
	seg, err := openSegment(data, nil)
	if err != nil {
		return fmt.Errorf("check new segment: %w", err)
	}
	x.attach(seg)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.writable(ctx); err != nil {
		return err
	}
	if err := x.record(recordPut, data); err != nil {
		return fmt.Errorf("put %d documents: %w", len(unique), err)
	}
	x.install(seg)
	x.mergeSmall()
	x.nudge()
	return nil
}

// Delete removes a document and reports whether it existed.
func (x *Index) Delete(ctx context.Context, scope, id string) (bool, error) {
	if err := x.usable(ctx); err != nil {
		return false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	p, ok := x.live[id]
	if !ok {
		return false, nil
	}
	if doc, err := p.seg.document(p.doc); err != nil || doc.Scope != scope {
		return false, err
	}
	if err := x.writable(ctx); err != nil {
		return false, err
	}
	if err := x.record(recordDelete, []byte(id)); err != nil {
		return false, fmt.Errorf("delete %s: %w", id, err)
	}
	x.remove(id)
	x.nudge()
	return true, nil
}

func (x *Index) writable(ctx context.Context) error {
	if x.closed.Load() {
		return ErrClosed
	}
	if x.broken != nil {
		return fmt.Errorf("the index is read-only until it is reopened: %w", x.broken)
	}
	return ctx.Err()
}

// record makes a change durable; in memory it does nothing.
func (x *Index) record(kind byte, payload []byte) error {
	if x.disk == nil {
		return nil
	}
	err := x.disk.log.append(kind, payload)
	if errors.Is(err, errLogLost) {
		x.broken = err
	}
	return err
}

// install publishes a new segment and removes the replaced documents in the same snapshot.
func (x *Index) install(seg *segment) {
	old := x.snap.Load()
	views := append([]*view(nil), old.views...)
	dying := map[*segment][]int{}
	for d := range seg.docs {
		id := seg.docID(d)
		if p, ok := x.live[id]; ok {
			dying[p.seg] = append(dying[p.seg], p.doc)
		}
		x.live[id] = place{seg, d}
	}
	killAll(views, dying)
	x.publish(append(views, &view{seg: seg}))
}

func killAll(views []*view, dying map[*segment][]int) {
	for i, v := range views {
		if docs := dying[v.seg]; len(docs) > 0 {
			views[i] = v.kill(docs...)
		}
	}
}

// remove publishes a snapshot without the document.
func (x *Index) remove(id string) {
	p, ok := x.live[id]
	if !ok {
		return
	}
	delete(x.live, id)
	x.markStale()
	views := append([]*view(nil), x.snap.Load().views...)
	killAll(views, map[*segment][]int{p.seg: {p.doc}})
	x.publish(views)
}

func (x *Index) publish(views []*view) {
	x.snap.Store(&snapshot{views: views, revision: x.snap.Load().revision + 1})
}

// Revision returns a number that changes with the documents.
func (x *Index) Revision() uint64 { return x.snap.Load().revision }

// nudge wakes the background workers.
func (x *Index) nudge() {
	nudge(x.wake)
	nudge(x.wakeVec)
}

func nudge(worker chan struct{}) {
	select {
	case worker <- struct{}{}:
	default:
	}
}

// buildAll analyses documents into one segment, in parallel if they are large.
func buildAll(ctx context.Context, unique map[string]entry) ([]byte, error) {
	const perWorker = 256
	size := 0
	for _, e := range unique {
		size += 1 + len(e.chunks)
	}
	groups := make([][]entry, workers(size/perWorker))
	i := 0
	for e := range maps.Values(unique) {
		groups[i%len(groups)] = append(groups[i%len(groups)], e)
		i++
	}
	if len(groups) == 1 {
		return buildSegment(groups[0])
	}
	views := make([]*view, len(groups))
	errs := make([]error, len(groups))
	var wg sync.WaitGroup
	for i, g := range groups {
		wg.Go(func() {
			data, err := buildSegment(g)
			if err == nil {
				var s *segment
				s, err = openSegment(data, nil)
				views[i] = &view{seg: s}
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	return mergeSegments(views), nil
}
