package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"maru/bot"
	"maru/rag"
)

// Names of non-human adders of documents.
const (
	ByProgram  = "maru"     // it comes with the program
	ByFolder   = "folder"   // by the watched folder
	ByOperator = "operator" // by the command line
)

// AddBundled indexes a document shipped with the program. An unchanged one costs a lookup.
func (l *Library) AddBundled(ctx context.Context, scope, name string, data []byte) (rag.Document, error) {
	doc, _, err := l.ingest.Add(ctx, rag.File{Scope: scope, Name: name, By: ByProgram, Data: data}, nil)
	return doc, err
}

// handbookPrefix is the name prefix of the sample handbook's documents.
const handbookPrefix = "handbook/"

// AddHandbook indexes the sample handbook into the public scope and removes documents of older versions.
func (l *Library) AddHandbook(ctx context.Context, files fs.FS) error {
	wanted := map[string]bool{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		doc, err := l.AddBundled(ctx, bot.ScopePublic, handbookPrefix+path, data)
		wanted[doc.ID] = true
		return err
	})
	if err != nil {
		return fmt.Errorf("index the handbook: %w", err)
	}
	return l.removeHandbook(ctx, wanted)
}

// RemoveHandbook removes the sample handbook.
func (l *Library) RemoveHandbook(ctx context.Context) error { return l.removeHandbook(ctx, nil) }

// removeHandbook removes the handbook's documents except those wanted.
func (l *Library) removeHandbook(ctx context.Context, wanted map[string]bool) error {
	docs, err := l.Documents(ctx, []string{bot.ScopePublic})
	if err != nil {
		return fmt.Errorf("list the handbook: %w", err)
	}
	var errs []error
	for _, d := range docs {
		if strings.HasPrefix(d.Source, handbookPrefix) && !wanted[d.ID] {
			_, err := l.Delete(ctx, bot.ScopePublic, d.ID)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
