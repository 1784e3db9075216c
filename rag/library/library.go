// Package library is a team's collection of documents: admission and scheduling of additions, search scopes, the
// sample handbook, and the watched folder. It is in front of an index and a loader and implements the library
// port of maru/bot. It must not know formats, index engines, models or platforms: loader and index are ports of
// [maru/rag].
package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/rag"
)

// Index is the port of a document index.
type Index interface {
	rag.Index
	rag.Finder
	rag.Sampler
	rag.Scoper
}

// Recognises reports whether text in pictures is read.
func (l *Library) Recognises() bool {
	r, ok := l.cfg.Loader.(interface{ Recognises() bool })
	return ok && r.Recognises()
}

// Config holds the dependencies of a [Library]. Index and Loader are required.
type Config struct {
	Index    Index
	Loader   rag.Loader
	Now      func() time.Time
	Zone     *time.Location // of dates in questions; nil is UTC
	MaxFile  int64          // largest file, in bytes
	Everyone []string       // scopes readable by everybody who may use the bot
	Synonyms string         // path of the team's synonyms, see [Library.CheckSynonyms]; "" for none
	Log      *slog.Logger   // nil: nothing is logged

	// TooLarge returns the error, with a message for people, of a file above MaxFile.
	TooLarge func(name string, size, limit int64) error

	// Permanent reports whether a retry with the same bytes would fail as well. nil: never.
	Permanent func(error) bool
}

// Library is the team's documents for the bot and the agents. It is safe for concurrent use.
type Library struct {
	Index

	cfg       Config
	ingest    rag.Ingester
	admission admission
	names     directories
	synonyms  *synonyms
	refused   refusals // of the watched folder
}

var (
	_ bot.Library = (*Library)(nil)
)

// New returns a library over an index.
func New(c Config) *Library {
	return &Library{
		Index: c.Index, cfg: c, ingest: rag.Ingester{Loader: c.Loader, Index: c.Index, Now: c.Now},
		synonyms: &synonyms{path: c.Synonyms, now: c.Now, log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))},
	}
}

// Add implements bot.Library.
func (l *Library) Add(ctx context.Context, d bot.NewDocument) (rag.Document, error) {
	data, err := io.ReadAll(&progressReader{r: io.LimitReader(d.Body, l.cfg.MaxFile+1), report: d.Progress})
	if err != nil {
		return rag.Document{}, fmt.Errorf("read %s: %w", d.Name, err)
	}
	if int64(len(data)) > l.cfg.MaxFile {
		return rag.Document{}, bot.ErrTooLarge
	}
	leave, err := l.admission.enter(ctx, d.Scope, len(data))
	if err != nil {
		return rag.Document{}, err
	}
	defer leave()
	in := l.ingest
	if strings.HasPrefix(d.By, bot.NotePrefix) { // words of a message and no file: starting a child would be most of the work
		in = in.Trusted()
	}
	doc, _, err := in.Add(ctx, rag.File{Scope: d.Scope, Name: d.Name, As: d.As, URL: d.URL, By: d.By, Data: data, Tags: d.Tags}, nil)
	return doc, explain(cmp.Or(d.As, d.Name), err)
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

// Search finds passages for a question after parsing its filters, see [rag.Narrow]. The sample handbook is
// searched, by those who may read public documents, while the team has no documents in the scopes. A question that
// names a document with an article searches that document, and finds nothing if no such document or article
// exists, see [Library.Absent]. Of several editions of a document the newest answers, see [rag.Hit]; a document in
// two formats counts once.
func (l *Library) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	q = rag.Narrow(q, l.cfg.Zone)
	var err error
	if q.Scopes, err = l.searched(ctx, q.Scopes); err != nil {
		return nil, fmt.Errorf("check for the team's documents: %w", err)
	}
	if len(q.Names) > 0 {
		docs, err := l.Index.Documents(ctx, q.Scopes)
		if err != nil {
			return nil, fmt.Errorf("find the documents that a question names: %w", err)
		}
		meant := rag.Called(docs, q.Names)
		if len(q.Documents) > 0 {
			meant = slices.DeleteFunc(meant, func(id string) bool { return !slices.Contains(q.Documents, id) })
		}
		if q.Documents = meant; len(meant) == 0 {
			return nil, nil
		}
	}
	q.Own = l.synonyms.current(ctx)
	hits, err := l.settle(ctx, q)
	narrowed := len(q.Documents) > 0 || len(q.Tags) > 0 || !q.Since.IsZero() || !q.Until.IsZero() // with few passages, a single matching word says little
	if err != nil || narrowed || !weak(q, hits) {
		return withSynonyms(q, hits), err
	}
	q.Related = true
	related, err := l.settle(ctx, q)
	if err != nil || len(related) == 0 || len(hits) > 0 && related[0].Score <= hits[0].Score {
		return withSynonyms(q, hits), err
	}
	return withSynonyms(q, related), nil
}

// weak reports whether no hit is surely about the question, so that synonyms should be searched as well.
func weak(q rag.Query, hits []rag.Hit) bool {
	threshold := q.Threshold
	if threshold <= 0 {
		threshold = rag.DefaultThreshold
	}
	return len(hits) == 0 || hits[0].Score < threshold
}

// Load reads a file without adding it.
func (l *Library) Load(ctx context.Context, name string, data []byte) (rag.Document, []rag.Chunk, error) {
	return l.cfg.Loader.Load(ctx, name, data)
}

// Text reads a file without adding it, and returns its text below its headings.
func (l *Library) Text(ctx context.Context, name string, data []byte) (string, error) {
	_, chunks, err := l.Load(ctx, name, data)
	var out strings.Builder
	for len(chunks) > 0 {
		n := 1
		for n < len(chunks) && slices.Equal(chunks[n].Heading, chunks[0].Heading) {
			n++
		}
		if path := strings.Join(chunks[0].Heading, " > "); path != "" {
			out.WriteString("# " + path + "\n")
		}
		out.WriteString(rag.Article{Chunks: chunks[:n]}.Text() + "\n")
		chunks = chunks[n:]
	}
	return strings.TrimSpace(out.String()), err
}

// Remove implements bot.Library.
func (l *Library) Remove(ctx context.Context, scopes []string, id string) (bool, error) {
	return l.ingest.Remove(ctx, scopes, id)
}

// Passage implements bot.Library. Passages of public scopes, which answers cite, are readable by everybody who may
// use the bot.
func (l *Library) Passage(ctx context.Context, scopes []string, chunk string) (rag.Chunk, rag.Document, error) {
	return l.Chunk(ctx, append(slices.Clip(scopes), l.cfg.Everyone...), chunk)
}

// PurgeTeam removes all documents of a workspace. Scopes are named by bot, "team:slack/T1" and
// "channel:slack/T1/C1", and by sources, "readers:slack/T1/…".
func (l *Library) PurgeTeam(ctx context.Context, team string) error {
	_, err := l.eachOf(ctx, team, "", l.Delete)
	return err
}

// PurgeBy removes the documents of a workspace that somebody added, and returns how many there were.
func (l *Library) PurgeBy(ctx context.Context, team, by string) (int, error) {
	return l.eachOf(ctx, team, by, l.Delete)
}

// CountBy counts what [Library.PurgeBy] would remove.
func (l *Library) CountBy(ctx context.Context, team, by string) (int, error) {
	return l.eachOf(ctx, team, by, func(context.Context, string, string) (bool, error) { return true, nil })
}

// eachOf calls do for the documents of a workspace, all or those that by added, and counts its true results.
func (l *Library) eachOf(ctx context.Context, team, by string, do func(ctx context.Context, scope, id string) (bool, error)) (n int, err error) {
	scopes, err := l.Scopes(ctx)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, scope := range scopes {
		of := scope
		if _, real, ok := ShadowOf(scope); ok {
			of = real
		}
		if of != "team:"+team && !strings.HasPrefix(of, "channel:"+team+"/") && !strings.HasPrefix(of, "readers:"+team+"/") {
			continue
		}
		docs, err := l.Documents(ctx, []string{scope})
		errs = append(errs, err)
		for _, d := range docs {
			if by != "" && d.By != by {
				continue
			}
			yes, err := do(ctx, scope, d.ID)
			if errs = append(errs, err); yes {
				n++
			}
		}
	}
	return n, errors.Join(errs...)
}
