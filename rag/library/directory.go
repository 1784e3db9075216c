package library

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"maru/rag"
	"maru/rag/naming"
)

// directories caches the directories of searched scopes, by scopes.
type directories struct {
	mu sync.Mutex
	of map[string]*directory
}

// alike returns a directory of the same documents, or nil: most channels have none of their own.
func (d *directories) alike(sum uint64) *directory {
	for _, other := range d.of {
		if other.sum == sum {
			return other
		}
	}
	return nil
}

var sumSeed = maphash.MakeSeed()

// sumOf returns a hash of all that documents are described by.
func sumOf(docs []rag.Document) uint64 {
	var h maphash.Hash
	h.SetSeed(sumSeed)
	text := func(list ...string) {
		for _, s := range list {
			_, _ = h.WriteString(s)
			_ = h.WriteByte(0)
		}
	}
	for _, d := range docs {
		text(d.ID, d.Scope, d.Title, d.Source, d.MIME, d.Hash, d.By, d.URL, d.Origin)
		text(d.Tags...)
		for _, u := range d.Unread {
			text(u.Name, u.Why)
		}
		maphash.WriteComparable(&h, [...]int64{d.Size, int64(d.Chunks), d.At.UnixNano(), int64(d.Reader), int64(len(d.Tags)), int64(len(d.Unread))})
		maphash.WriteComparable(&h, d.Own)
	}
	return h.Sum64()
}

// directory holds the names of the documents at a revision of the index.
type directory struct {
	*naming.Directory

	sum      uint64 // see [sumOf]
	shelf    *shelf
	revision uint64
	total    int
	built    time.Time
	seen     time.Time     // last comparison with the index
	took     time.Duration // time to build it, if there are many documents
	proper   sync.Map      // cache of [Library.proper], by words
	last     atomic.Pointer[lastRead]
}

// lastRead is the question that was read last: one search may need it several times.
type lastRead struct {
	question string
	naming.Reading
}

// read returns the names in a question.
func (d *directory) read(question string) naming.Reading {
	last := d.last.Load()
	if last == nil || last.question != question {
		last = &lastRead{question, d.Read(question)}
		last.Documents = slices.Clip(last.Documents) // readers append
		d.last.Store(last)
	}
	return last.Reading
}

const (
	maxDirectories = 64 // limit of cached scope sets
	many           = 500
	pace           = 20 // minimum age before a rebuild, as a multiple of the build time

	// For an index without revisions: interval between counting, and listing, its documents.
	countAfter = 2 * time.Second
	listAfter  = time.Minute
)

// reviser is an optional interface of an index: a revision number of its documents.
type reviser interface{ Revision() uint64 }

// directory returns the names of the documents of scopes. It is rebuilt after a change; during a series of
// additions it may lag behind for a moment.
func (l *Library) directory(ctx context.Context, scopes []string) (*directory, error) {
	key, now := strings.Join(slices.Sorted(slices.Values(scopes)), "\x00"), l.cfg.Now()
	l.names.mu.Lock()
	defer l.names.mu.Unlock()
	d := l.names.of[key]
	fresh := &directory{built: now, seen: now}
	if d != nil && now.Sub(d.built) < pace*d.took {
		return d, nil
	}
	if index, ok := l.Index.(reviser); ok {
		if fresh.revision = index.Revision(); d != nil && d.revision == fresh.revision {
			return d, nil
		}
	} else {
		if d != nil && now.Sub(d.seen) < countAfter {
			return d, nil
		}
		var err error
		if _, fresh.total, err = l.Index.Some(ctx, scopes, 1); err != nil {
			return nil, err
		}
		if d != nil && d.total == fresh.total && now.Sub(d.built) < listAfter {
			d.seen = now
			return d, nil
		}
	}
	docs, err := l.Index.Documents(ctx, scopes)
	if err != nil {
		return nil, err
	}
	fresh.sum = sumOf(docs)
	if same := l.names.alike(fresh.sum); same != nil {
		fresh.Directory, fresh.shelf, fresh.took = same.Directory, same.shelf, same.took
	} else {
		fresh.Directory, fresh.shelf = naming.New(docs), newShelf(docs, l.texts)
		if len(docs) >= many {
			fresh.took = l.cfg.Now().Sub(now)
		}
	}
	if l.names.of == nil || len(l.names.of) >= maxDirectories {
		l.names.of = map[string]*directory{}
	}
	l.names.of[key] = fresh
	return fresh, nil
}
