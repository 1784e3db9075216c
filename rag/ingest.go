package rag

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Ingester adds files to an index. It is shared by the command line, uploads and the console: equal bytes with equal
// tags are a no-op unless the loader's version grew, a new file of the same source replaces the old one, and a
// failure leaves the index unchanged. It is as safe for concurrent use as its parts.
type Ingester struct {
	Loader Loader
	Index  Index
	Now    func() time.Time
}

// File is a file to ingest.
type File struct {
	Scope string // who may read it
	Name  string // display name; with Scope the document's identity
	By    string // who adds it
	Data  []byte
	Tags  []string // tags; nil keeps the document's tags

	Origin string // see [Document]

	As  string    // name by which the loader knows its format and its title, "" for Name
	URL string    // see [Document]
	Own bool      // see [Document]
	At  time.Time // modification time; zero if unknown, then the time of adding
}

// Stage is a stage of ingestion.
type Stage string

// The stages of a file, in order; Unchanged and Indexed are the last.
const (
	Reading   Stage = "reading"
	Indexing  Stage = "indexing"
	Unchanged Stage = "unchanged"
	Indexed   Stage = "indexed"
)

// Progress receives a file's stages; the document is set from Indexing on.
type Progress func(stage Stage, doc Document)

// Add ingests one file. changed is false if the index has these bytes already. It returns loader errors unwrapped:
// they carry messages for people. progress may be nil.
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
	if same && old.URL == f.URL && old.Own == f.Own && slices.Equal(tags, Tags(old.Tags)) && !g.Outdated(old) {
		progress(Unchanged, old)
		return old, false, nil
	}
	doc, chunks, err := g.Loader.Load(ctx, cmp.Or(f.As, f.Name), f.Data)
	if err != nil {
		return Document{}, false, err
	}
	doc.Source = f.Name
	doc, chunks = Own(doc, chunks, f.Scope)
	doc.By, doc.At, doc.Tags, doc.Origin, doc.Reader = f.By, g.Now(), tags, f.Origin, g.version(doc.MIME)
	doc.URL, doc.Own = f.URL, f.Own
	switch {
	case same:
		doc.At = old.At // neither tags nor a newer loader change the date
	case !f.At.IsZero():
		doc.At = f.At
	}
	progress(Indexing, doc)
	if err := g.Index.Put(ctx, doc, chunks); err != nil {
		return Document{}, false, fmt.Errorf("ingest %s: %w", f.Name, err)
	}
	progress(Indexed, doc)
	return doc, true, nil
}

// Batch returns an ingester for files of one origin, such as a folder, which a loader may read more cheaply
// together, and a function that ends the batch.
func (g Ingester) Batch() (Ingester, func()) {
	done := func() {}
	if b, ok := g.Loader.(interface{ Batch() (Loader, func()) }); ok {
		g.Loader, done = b.Batch()
	}
	return g, done
}

// Trusted returns an ingester for the program's own files and words of messages, which a loader may read without isolation: starting a
// child for them is most of a first start.
func (g Ingester) Trusted() Ingester {
	if t, ok := g.Loader.(interface{ Trusted() Loader }); ok {
		g.Loader = t.Trusted()
	}
	return g
}

// Outdated reports whether a newer loader version should read a document again.
func (g *Ingester) Outdated(d Document) bool { return d.Reader < g.version(d.MIME) }

func (g *Ingester) version(mime string) int {
	if v, ok := g.Loader.(Versioned); ok {
		return v.Version(mime)
	}
	return 0
}

// Remove deletes the document of this ID from the scope that holds it.
func (g *Ingester) Remove(ctx context.Context, scopes []string, id string) (bool, error) {
	for _, s := range scopes {
		gone, err := g.Index.Delete(ctx, s, id)
		if err != nil || gone {
			return gone, err
		}
	}
	return false, nil
}

// Finder is an optional interface of an index: lookup of a document by ID without a listing.
type Finder interface {
	Document(ctx context.Context, scopes []string, id string) (Document, error)
}

// Find returns the document of a scope with this file name, if any. It avoids a listing if the index is a [Finder].
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
