package rag

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Ingester brings files into an index. It does what every way of adding a
// document shares (command line, upload, console): the same bytes again with the same tags change
// nothing unless the loader has come to read them better, others from the same source replace what was there, and
// a failure leaves the index as it was. It is safe for concurrent use as far as its parts are.
type Ingester struct {
	Loader Loader
	Index  Index
	Now    func() time.Time
}

// File is a file to ingest.
type File struct {
	Scope string // who may read it
	Name  string // as people know it; with Scope it is the document's identity
	By    string // who adds it
	Data  []byte
	Tags  []string // what it is filed under; nil leaves the tags that the document has

	Origin string // see [Document]
}

// Stage is how far one file has come.
type Stage string

// The stages of a file, in order; Unchanged and Indexed are the last.
const (
	Reading   Stage = "reading"
	Indexing  Stage = "indexing"
	Unchanged Stage = "unchanged"
	Indexed   Stage = "indexed"
)

// Progress is told a file's stages; the document is known from Indexing on.
type Progress func(stage Stage, doc Document)

// Add ingests one file. changed is false when the index holds these bytes
// already. Errors of the loader are returned as they are: they can tell people
// what is wrong. progress may be nil.
func (g *Ingester) Add(ctx context.Context, f File, progress Progress) (doc Document, changed bool, err error) {
	if progress == nil {
		progress = func(Stage, Document) {}
	}
	if f.Scope == "" || f.Name == "" {
		return Document{}, false, errors.New("ingest: a file needs a scope and a name")
	}
	if err := CheckTags(f.Tags); err != nil {
		return Document{}, false, fmt.Errorf("ingest %s: %w", f.Name, err)
	}
	progress(Reading, Document{Source: f.Name, Scope: f.Scope})
	old, found, err := g.Find(ctx, f.Scope, f.Name)
	if err != nil {
		return Document{}, false, fmt.Errorf("ingest %s: look up: %w", f.Name, err)
	}
	tags := Tags(f.Tags)
	if f.Tags == nil {
		tags = old.Tags
	}
	sum := sha256.Sum256(f.Data)
	same := found && old.Hash == hex.EncodeToString(sum[:])
	if same && slices.Equal(tags, Tags(old.Tags)) && !g.Outdated(old) {
		progress(Unchanged, old)
		return old, false, nil
	}
	doc, chunks, err := g.Loader.Load(ctx, f.Name, f.Data)
	if err != nil {
		return Document{}, false, err
	}
	doc, chunks = Own(doc, chunks, f.Scope)
	doc.By, doc.At, doc.Tags, doc.Origin, doc.Reader = f.By, g.Now(), tags, f.Origin, g.version(doc.MIME)
	if same {
		doc.At = old.At // other tags make it no newer, nor does a better reader
	}
	progress(Indexing, doc)
	if err := g.Index.Put(ctx, doc, chunks); err != nil {
		return Document{}, false, fmt.Errorf("ingest %s: %w", f.Name, err)
	}
	progress(Indexed, doc)
	return doc, true, nil
}

// Outdated reports whether the loader reads a document's bytes better than they were read.
func (g *Ingester) Outdated(d Document) bool { return d.Reader < g.version(d.MIME) }

func (g *Ingester) version(mime string) int {
	if v, ok := g.Loader.(Versioned); ok {
		return v.Version(mime)
	}
	return 0
}

// Remove deletes the document of this ID from whichever of scopes holds it.
func (g *Ingester) Remove(ctx context.Context, scopes []string, id string) (bool, error) {
	for _, s := range scopes {
		gone, err := g.Index.Delete(ctx, s, id)
		if err != nil || gone {
			return gone, err
		}
	}
	return false, nil
}

// Finder is what an index has that finds a document by its ID without listing all.
type Finder interface {
	Document(ctx context.Context, scopes []string, id string) (Document, error)
}

// Find returns the document of a scope that was made of a file of this name, if there is
// one. Where the index is a [Finder] it does not list all.
func (g *Ingester) Find(ctx context.Context, scope, name string) (Document, bool, error) {
	id := DocumentID(scope, name)
	if f, ok := g.Index.(Finder); ok {
		doc, err := f.Document(ctx, []string{scope}, id)
		if errors.Is(err, ErrNotFound) {
			return Document{}, false, nil
		}
		return doc, err == nil, err
	}
	docs, err := g.Index.Documents(ctx, []string{scope})
	if err != nil {
		return Document{}, false, err
	}
	for _, d := range docs {
		if d.ID == id {
			return d, true, nil
		}
	}
	return Document{}, false, nil
}
