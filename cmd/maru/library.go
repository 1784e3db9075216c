package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"maru/agent/contract"
	"maru/bot"
	"maru/rag"
)

// library is the team's documents as bot and agents use them: an ingester in
// front of an index. It implements bot.Library and chat.Documents.
type library struct {
	documentIndex

	ingest  rag.Ingester
	zone    *time.Location // of days in questions
	maxFile int64
	adding  adding
	refused refusals // of the watched folder
}

var _ bot.Library = (*library)(nil)

// Add implements bot.Library.
func (l *library) Add(ctx context.Context, d bot.NewDocument) (rag.Document, error) {
	data, err := io.ReadAll(&progressReader{r: io.LimitReader(d.Body, l.maxFile+1), report: d.Progress})
	if err != nil {
		return rag.Document{}, fmt.Errorf("read %s: %w", d.Name, err)
	}
	if int64(len(data)) > l.maxFile {
		return rag.Document{}, bot.ErrTooLarge
	}
	leave, err := l.adding.enter(ctx, d.Scope, len(data))
	if err != nil {
		return rag.Document{}, err
	}
	defer leave()
	doc, _, err := l.ingest.Add(ctx, rag.File{Scope: d.Scope, Name: d.Name, By: d.By, Data: data, Tags: d.Tags}, nil)
	return doc, err
}

type tagsKey struct{}

// withTags returns a context in which documents are searched that have all of
// these tags: those that the run's place has chosen.
func withTags(ctx context.Context, tags []string) context.Context {
	return context.WithValue(ctx, tagsKey{}, tags)
}

func tagsOf(ctx context.Context) []string {
	tags, _ := ctx.Value(tagsKey{}).([]string) //nolint:errcheck // none outside of a run
	return tags
}

// Search finds passages for a question, narrowed by what the run's place has
// chosen and by what the question says about where to look: see [rag.Narrow].
func (l *library) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	q.Tags = append(slices.Clip(q.Tags), tagsOf(ctx)...)
	q = rag.Narrow(q, l.zone)
	if len(q.Names) > 0 {
		docs, err := l.Documents(ctx, q.Scopes)
		if err != nil {
			return nil, fmt.Errorf("look for the documents that a question names: %w", err)
		}
		meant := rag.Called(docs, q.Names)
		if len(q.Documents) > 0 {
			meant = slices.DeleteFunc(meant, func(id string) bool { return !slices.Contains(q.Documents, id) })
		}
		if q.Documents = meant; len(meant) == 0 {
			return nil, nil
		}
	}
	return l.documentIndex.Search(ctx, q)
}

// progressReader reports how much has been read.
type progressReader struct {
	r      io.Reader
	report func(done, total int)
	done   int
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.done += n
	if p.report != nil {
		p.report(p.done, 0)
	}
	return n, err
}

// Remove implements bot.Library.
func (l *library) Remove(ctx context.Context, scopes []string, id string) (bool, error) {
	return l.ingest.Remove(ctx, scopes, id)
}

var _ bot.Purger = (*library)(nil)

// PurgeTeam implements bot.Purger. Scopes are named by bot: "team:slack/T1" and
// "channel:slack/T1/C1".
func (l *library) PurgeTeam(ctx context.Context, team string) error {
	scopes, err := l.Scopes(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, scope := range scopes {
		if scope != "team:"+team && !strings.HasPrefix(scope, "channel:"+team+"/") {
			continue
		}
		docs, err := l.Documents(ctx, []string{scope})
		errs = append(errs, err)
		for _, d := range docs {
			_, err := l.Delete(ctx, scope, d.ID)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Passage implements bot.Library. Whoever may open anything may open the bundled
// standard contracts, which answers cite.
func (l *library) Passage(ctx context.Context, scopes []string, chunk string) (rag.Chunk, rag.Document, error) {
	return l.Chunk(ctx, append(slices.Clip(scopes), contract.StandardScope), chunk)
}

// addStandards indexes the bundled standard contracts. Those that did not change
// cost a look-up.
func (l *library) addStandards(ctx context.Context) error {
	for _, b := range contract.Standards() {
		f := rag.File{Scope: contract.StandardScope, Name: b.Name, By: byProgram, Data: b.Data}
		if _, _, err := l.ingest.Add(ctx, f, nil); err != nil {
			return fmt.Errorf("index the standard contracts: %w", err)
		}
	}
	return nil
}

// byProgram is who added what comes with the program.
const byProgram = "maru"

// handbookPrefix begins the names of the bundled handbook's documents.
const handbookPrefix = "handbook/"

// addHandbook indexes the bundled handbook into the public scope and removes
// what an older program had there. Files that did not change cost a look-up.
func (l *library) addHandbook(ctx context.Context, files fs.FS) error {
	wanted := map[string]bool{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		doc, _, err := l.ingest.Add(ctx, rag.File{Scope: bot.ScopePublic, Name: handbookPrefix + path, By: byProgram, Data: data}, nil)
		wanted[doc.ID] = true
		return err
	})
	if err != nil {
		return fmt.Errorf("index the handbook: %w", err)
	}
	return l.removeHandbook(ctx, wanted)
}

// removeHandbook removes the handbook's documents except those wanted.
func (l *library) removeHandbook(ctx context.Context, wanted map[string]bool) error {
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
