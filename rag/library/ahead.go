package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"maru/rag"
)

// ahead reads the next files of a batch in a child while the current one is indexed, to use two cores.
type ahead struct {
	files   []File
	next    int // index of the next file for AddFile
	results chan fetched
	stop    context.CancelFunc
}

// fetched is a file's bytes and, unless they are indexed already, the loader's result.
type fetched struct {
	name   string
	data   []byte
	err    error
	loaded *loaded
}

type loaded struct {
	doc    rag.Document
	chunks []rag.Chunk
	err    error
}

// inAdvance limits the files read ahead.
const inAdvance = 2

// readAhead starts to read files ahead. The caller takes them in order, and calls end.
func (l *Library) readAhead(in rag.Ingester, scope string, files []File) *ahead {
	ctx, stop := context.WithCancel(context.Background()) // cancelled by end
	a := &ahead{files: files, results: make(chan fetched, inAdvance), stop: stop}
	go func() {
		defer close(a.results)
		for _, f := range files {
			one := l.fetch(ctx, in, scope, f)
			select {
			case a.results <- one:
			case <-ctx.Done():
				return
			}
		}
	}()
	return a
}

// fetch reads one file, and loads it unless its bytes are indexed.
func (l *Library) fetch(ctx context.Context, in rag.Ingester, scope string, f File) fetched {
	one := fetched{name: f.Name}
	if one.data, one.err = l.ReadFile(f); one.err != nil {
		return one
	}
	old, found, err := in.Find(ctx, scope, f.Name)
	sum := sha256.Sum256(one.data)
	if err != nil || found && old.Hash == hex.EncodeToString(sum[:]) && !in.Outdated(old) {
		return one
	}
	one.loaded = &loaded{}
	one.loaded.doc, one.loaded.chunks, one.loaded.err = in.Loader.Load(ctx, f.Name, one.data)
	return one
}

// take returns a file that was read ahead; ok is false if it is not the next of the list.
func (a *ahead) take(f File) (one fetched, ok bool) {
	if a == nil || a.next >= len(a.files) || a.files[a.next].Name != f.Name {
		return one, false
	}
	a.next++
	one, ok = <-a.results
	return one, ok
}

// end stops reading and waits for it.
func (a *ahead) end() {
	a.stop()
	for range a.results { //nolint:revive // discard the rest
	}
}

// given is a loader with a finished result.
type given struct {
	rag.Loader

	*loaded
}

// Load implements [rag.Loader].
func (g given) Load(ctx context.Context, name string, data []byte) (rag.Document, []rag.Chunk, error) {
	if g.loaded == nil {
		return g.Loader.Load(ctx, name, data)
	}
	return g.doc, g.chunks, g.err
}

// Version implements [rag.Versioned].
func (g given) Version(mime string) int {
	if v, ok := g.Loader.(rag.Versioned); ok {
		return v.Version(mime)
	}
	return 0
}
