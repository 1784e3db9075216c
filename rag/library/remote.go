package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/rag"
)

// BySource begins the adder of documents that a source keeps in sync; the source's name follows.
const BySource = "source:"

// Synced reports whether a source keeps the documents of this adder in sync. Where such a document is moved by hand, the next
// sync adds it again.
func Synced(by string) bool { return strings.HasPrefix(by, BySource) }

// Remote is a document of a source that is kept in sync.
type Remote struct {
	Scope  string
	ID     string // the document's name here, such as the address of a page
	Name   string // by which the format is known
	URL    string // where people open it, "" if nowhere
	Source string // name of the source
	Own    bool   // the source's words are the team's own
	At     time.Time
	Data   []byte
}

// Remotes adds documents of one source, which are read together.
type Remotes struct {
	lib *Library
	in  rag.Ingester
}

// Remotes returns what adds documents of one source, and what ends that.
func (l *Library) Remotes() (*Remotes, func()) {
	in, done := l.ingest.Batch()
	return &Remotes{l, in}, done
}

// Add adds a document, or replaces the one of its ID. It waits for its turn as uploads do.
func (r *Remotes) Add(ctx context.Context, d Remote) (rag.Document, error) {
	if size := int64(len(d.Data)); size > r.lib.cfg.MaxFile {
		return rag.Document{}, r.lib.cfg.TooLarge(d.Name, size, r.lib.cfg.MaxFile)
	}
	leave, err := r.lib.admission.enter(ctx, d.Scope, len(d.Data))
	if err != nil {
		return rag.Document{}, err
	}
	defer leave()
	doc, _, err := r.in.Add(ctx, rag.File{
		Scope: d.Scope, Name: d.ID, As: d.Name, URL: d.URL, By: BySource + d.Source, Own: d.Own, At: d.At, Data: d.Data,
	}, nil)
	return doc, explain(d.Name, err)
}

// Permanent reports whether the same bytes would fail alike.
func (l *Library) Permanent(err error) bool {
	return errors.Is(err, rag.ErrTooLarge) || l.cfg.Permanent != nil && l.cfg.Permanent(err)
}

// OfSource lists the documents that a source keeps in scopes.
func (l *Library) OfSource(ctx context.Context, scopes []string, source string) ([]rag.Document, error) {
	docs, err := l.Documents(ctx, scopes)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	return slices.DeleteFunc(docs, func(d rag.Document) bool { return d.By != BySource+source }), nil
}

// Current reports whether this program would read a document alike.
func (l *Library) Current(d rag.Document) bool { return !l.ingest.Outdated(d) }
