package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"maru/rag"
	"maru/rag/naming"
)

// directories holds the names of the documents of scopes that were searched, by scopes.
type directories struct {
	mu sync.Mutex
	of map[string]*directory
}

// directory is the names of a revision's documents.
type directory struct {
	*naming.Directory

	revision uint64
	total    int
	at       time.Time
	took     time.Duration // to build
}

const (
	maxDirectories = 64 // of different scopes
	pace           = 20 // a directory serves as many times longer than it took to build, however the documents change
	unknownAge     = 2 * time.Second
)

// reviser is an optional interface of an index: a number that changes with its documents.
type reviser interface{ Revision() uint64 }

// directory returns the names of the documents of scopes. It is built anew after a change; while documents come one after
// the other it may miss the newest for a moment.
func (l *Library) directory(ctx context.Context, scopes []string) (*naming.Directory, error) {
	index, known := l.Index.(reviser)
	now := directory{at: l.cfg.Now()}
	if known {
		now.revision = index.Revision()
	} else {
		_, total, err := l.Index.Some(ctx, scopes, 1)
		if err != nil {
			return nil, err
		}
		now.total = total
	}
	key := strings.Join(slices.Sorted(slices.Values(scopes)), "\x00")
	l.names.mu.Lock()
	d := l.names.of[key]
	l.names.mu.Unlock()
	if d != nil {
		age := now.at.Sub(d.at)
		same := d.revision == now.revision && d.total == now.total && (known || age < unknownAge)
		if same || age >= 0 && age < pace*d.took {
			return d.Directory, nil
		}
	}
	docs, err := l.Index.Documents(ctx, scopes)
	if err != nil {
		return nil, err
	}
	now.Directory = naming.New(docs)
	now.took = l.cfg.Now().Sub(now.at)
	l.names.mu.Lock()
	defer l.names.mu.Unlock()
	if l.names.of == nil || len(l.names.of) >= maxDirectories {
		l.names.of = map[string]*directory{}
	}
	l.names.of[key] = &now
	return now.Directory, nil
}

// inNamed searches in the documents that a question names, or in all that the query allows.
func (l *Library) inNamed(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	if len(q.Documents) > 0 {
		return l.Index.Search(ctx, q)
	}
	r, err := l.reads(ctx, q)
	switch {
	case err != nil:
		return nil, err
	case r.Missing != "":
		return nil, nil
	case len(r.Documents) == 0:
		return l.Index.Search(ctx, q)
	}
	q.Text, q.Documents = cmp.Or(r.Rest, q.Text), r.IDs()
	for _, d := range r.Documents {
		q.Titles = append(q.Titles, d.Title)
	}
	hits, err := l.Index.Search(ctx, q)
	if err != nil || len(r.Articles) == 0 {
		return hits, err
	}
	if !slices.ContainsFunc(hits, func(h rag.Hit) bool { return h.Named }) {
		return nil, nil // there is no such article
	}
	return hits, nil
}

// Absent says which document or article a question names that is not among the documents of its scopes, and the nearest
// names. ok is false if what it names is there.
func (l *Library) Absent(ctx context.Context, q rag.Query) (a naming.Absent, ok bool, err error) {
	q = rag.Narrow(q, l.cfg.Zone)
	if q.Scopes, err = l.searched(ctx, q.Scopes); err != nil {
		return a, false, fmt.Errorf("look for documents of the team: %w", err)
	}
	r, err := l.reads(ctx, q)
	if err != nil {
		return a, false, err
	}
	if r.Missing != "" {
		return naming.Absent{Name: r.Missing, Nearest: r.Nearest}, true, nil
	}
	if len(r.Documents) == 0 {
		return a, false, nil
	}
	for _, ref := range r.Articles {
		f, err := rag.Lookup{Index: l}.ByNumber(ctx, rag.Within{Scopes: q.Scopes, Documents: r.IDs()}, ref.String())
		if err != nil {
			return a, false, err
		}
		if slices.ContainsFunc(f.Articles, func(a rag.Article) bool { return !a.Behind() }) {
			continue
		}
		a = naming.Absent{Name: r.Documents[0].Title, Article: ref.Article().String()}
		for _, n := range f.Nearest {
			a.Nearest = append(a.Nearest, n.Heading[len(n.Heading)-1])
		}
		return a, true, nil
	}
	return a, false, nil
}

// reads returns what a question names.
func (l *Library) reads(ctx context.Context, q rag.Query) (naming.Reading, error) {
	if !naming.Names(q.Text) {
		return naming.Reading{Rest: q.Text}, nil
	}
	d, err := l.directory(ctx, q.Scopes)
	if err != nil {
		return naming.Reading{}, fmt.Errorf("read the names of documents: %w", err)
	}
	return d.Read(q.Text), nil
}
