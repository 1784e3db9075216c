package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"maru/bot"
	"maru/rag"
)

// Names of non-human adders of documents.
const (
	ByProgram  = "maru"     // shipped with the program
	ByFolder   = "folder"   // by the watched folder
	ByOperator = "operator" // by the command line
)

// Bundled is a document shipped with the program.
type Bundled struct {
	Name string
	Data []byte
}

// AddBundled indexes documents shipped with the program, and returns their IDs. An unchanged one costs a lookup.
func (l *Library) AddBundled(ctx context.Context, scope string, files []Bundled) (ids map[string]bool, err error) {
	in := l.ingest.Trusted()
	ids = map[string]bool{}
	for _, f := range files {
		doc, _, err := in.Add(ctx, rag.File{Scope: scope, Name: f.Name, By: ByProgram, Data: f.Data}, nil)
		if err != nil {
			return nil, err
		}
		ids[doc.ID] = true
	}
	return ids, nil
}

// handbookPrefix is the name prefix of the sample handbook's documents.
const handbookPrefix = "handbook/"

// The setting that the sample is off is stored as a document without passages, in a scope that nobody reads, so
// that every kind of index keeps it and all replicas see it.
const (
	switchScope = "sample:off"
	switchName  = "off"
)

// AddSample indexes the sample handbook, unless it was switched off by [Library.SetSample], and removes documents of
// older versions.
func (l *Library) AddSample(ctx context.Context, files fs.FS) error {
	on, err := l.SampleOn(ctx)
	if err != nil {
		return err
	}
	if !on {
		return l.RemoveSample(ctx)
	}
	var pages []Bundled
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		pages = append(pages, Bundled{Name: handbookPrefix + path, Data: data})
		return err
	})
	if err != nil {
		return fmt.Errorf("read the handbook: %w", err)
	}
	wanted, err := l.AddBundled(ctx, rag.ScopeSample, pages)
	if err != nil {
		return fmt.Errorf("index the handbook: %w", err)
	}
	return l.removeSample(ctx, wanted)
}

// RemoveSample removes the sample handbook until the next [Library.AddSample].
func (l *Library) RemoveSample(ctx context.Context) error { return l.removeSample(ctx, nil) }

// removeSample removes the handbook's documents except the wanted ones, including those that earlier versions kept
// in the public scope.
func (l *Library) removeSample(ctx context.Context, wanted map[string]bool) error {
	docs, err := l.Index.Documents(ctx, []string{rag.ScopeSample, bot.ScopePublic})
	if err != nil {
		return fmt.Errorf("list the handbook: %w", err)
	}
	var errs []error
	for _, d := range docs {
		if d.By == ByProgram && strings.HasPrefix(d.Source, handbookPrefix) && !wanted[d.ID] {
			_, err := l.Delete(ctx, d.Scope, d.ID)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// SampleOn reports whether the sample handbook may be indexed.
func (l *Library) SampleOn(ctx context.Context) (bool, error) {
	_, off, err := l.ingest.Find(ctx, switchScope, switchName)
	return !off, err
}

// SetSample switches the sample handbook on or off permanently. Off removes it; on allows [Library.AddSample] to
// restore it.
func (l *Library) SetSample(ctx context.Context, on bool) error {
	id := rag.DocumentID(switchScope, switchName)
	if on {
		_, err := l.Delete(ctx, switchScope, id)
		return err
	}
	if err := l.Put(ctx, rag.Document{ID: id, Scope: switchScope, Title: switchName, Source: switchName, By: ByOperator}, nil); err != nil {
		return err
	}
	return l.RemoveSample(ctx)
}

// fewNotes is the number of notes in a channel from which the sample is no longer needed there.
const fewNotes = 50

// searched returns the scopes to search. It adds the sample if public documents are among them and the team has no
// documents in any. A few notes do not count, so that trying one does not hide the handbook.
func (l *Library) searched(ctx context.Context, scopes []string) ([]string, error) {
	if !slices.Contains(scopes, bot.ScopePublic) {
		return scopes, nil
	}
	docs, own, err := l.Index.Some(ctx, scopes, fewNotes)
	isNote := func(d rag.Document) bool { return strings.HasPrefix(d.By, bot.NotePrefix) }
	if err != nil || own > len(docs) || slices.ContainsFunc(docs, func(d rag.Document) bool { return !isNote(d) }) {
		return scopes, err
	}
	return withSample(scopes), nil
}

// withSample returns the scopes whose passages may be opened: citations of the sample stay readable after the team
// adds documents.
func withSample(scopes []string) []string {
	if !slices.Contains(scopes, bot.ScopePublic) {
		return scopes
	}
	return append(slices.Clip(scopes), rag.ScopeSample)
}

// Documents implements [rag.Index]; see [Library.Search] about the sample.
func (l *Library) Documents(ctx context.Context, scopes []string) ([]rag.Document, error) {
	scopes, err := l.searched(ctx, scopes)
	if err != nil {
		return nil, err
	}
	return l.Index.Documents(ctx, scopes)
}

// Some implements [rag.Sampler]; see [Library.Search] about the sample.
func (l *Library) Some(ctx context.Context, scopes []string, limit int) ([]rag.Document, int, error) {
	scopes, err := l.searched(ctx, scopes)
	if err != nil {
		return nil, 0, err
	}
	return l.Index.Some(ctx, scopes, limit)
}

// Document implements [rag.Finder].
func (l *Library) Document(ctx context.Context, scopes []string, id string) (rag.Document, error) {
	return l.Index.Document(ctx, withSample(scopes), id)
}

// Chunk implements [rag.Index].
func (l *Library) Chunk(ctx context.Context, scopes []string, id string) (rag.Chunk, rag.Document, error) {
	return l.Index.Chunk(ctx, withSample(scopes), id)
}

// Passages implements [rag.Index].
func (l *Library) Passages(ctx context.Context, scopes []string, document string, from, to int) ([]rag.Chunk, rag.Document, error) {
	return l.Index.Passages(ctx, withSample(scopes), document, from, to)
}
