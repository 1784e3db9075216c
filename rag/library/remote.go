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

// BySource is the prefix of the adder of synchronised documents; the source's name follows.
const BySource = "source:"

// Synced reports whether a source keeps this adder's documents in sync. After such a document is moved by hand,
// the next sync adds it again.
func Synced(by string) bool { return strings.HasPrefix(by, BySource) }

// Remote is a document of a source that is kept in sync.
type Remote struct {
	Scope  string
	ID     string // name of the document in Maru, such as a page's address
	Name   string // file name that determines the format
	URL    string // address for people, "" if none
	Source string // name of the source
	Own    bool   // the source's contents count as the team's own words
	At     time.Time
	Data   []byte
}

// Remotes adds documents of one source, which share a child process.
type Remotes struct {
	lib *Library
	in  rag.Ingester
}

// Remotes returns a Remotes for one source and a function that ends it.
func (l *Library) Remotes() (*Remotes, func()) {
	in, done := l.ingest.Batch()
	return &Remotes{l, in}, done
}

// Add adds a document, or replaces the one with its ID. It is scheduled like uploads.
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

// Permanent reports whether a retry with the same bytes would fail as well.
func (l *Library) Permanent(err error) bool {
	return errors.Is(err, rag.ErrTooLarge) || l.cfg.Permanent != nil && l.cfg.Permanent(err)
}

// OfSource lists the documents of a source in scopes.
func (l *Library) OfSource(ctx context.Context, scopes []string, source string) ([]rag.Document, error) {
	docs, err := l.Documents(ctx, scopes)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	return slices.DeleteFunc(docs, func(d rag.Document) bool { return d.By != BySource+source }), nil
}

// Current reports whether a document was read by the current version of its loader.
func (l *Library) Current(d rag.Document) bool { return !l.ingest.Outdated(d) }
