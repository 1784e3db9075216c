package library

import (
	"context"
	"errors"
	"os"

	"maru/rag"
)

// Filing holds the scope, adder and tags of added documents; nil tags keep the present ones.
type Filing struct {
	Scope, By string
	Tags      []string

	batch *rag.Ingester // nil: the file is not part of a batch
	ahead *ahead
}

// Batch returns the filing for files of one origin, which share a child process, and a function that ends the
// batch. The given files are read ahead if [Library.AddFile] adds them in this order.
func (l *Library) Batch(as Filing, files ...File) (Filing, func()) {
	in, done := l.ingest.Batch()
	as.batch = &in
	if len(files) < 2 {
		return as, done
	}
	as.ahead = l.readAhead(in, as.Scope, files)
	return as, func() {
		as.ahead.end()
		done()
	}
}

// AddFile adds one file of this machine. changed is false if the index had its
// bytes already.
func (l *Library) AddFile(ctx context.Context, as Filing, f File) (changed bool, doc rag.Document, err error) {
	in := as.batch
	if in == nil {
		in = &l.ingest
	}
	one, ok := as.ahead.take(f)
	if !ok {
		one.data, one.err = l.ReadFile(f)
	}
	if one.err != nil {
		return false, rag.Document{}, one.err
	}
	if one.loaded != nil {
		with := *in
		with.Loader = given{in.Loader, one.loaded}
		in = &with
	}
	doc, changed, err = in.Add(ctx, rag.File{Scope: as.Scope, Name: f.Name, By: as.By, Data: one.data, Tags: as.Tags, Origin: origin(f.Path)}, nil)
	return changed, doc, explain(f.Name, err)
}

// explain converts errors of a remote index to messages for people.
func explain(name string, err error) error {
	switch {
	case errors.Is(err, rag.ErrTooLarge):
		return &Fault{"folder.above_index", name, err}
	case errors.Is(err, rag.ErrUnavailable):
		return &Fault{"folder.index_away", name, err}
	}
	return err
}

// ReadFile returns the bytes of a file, or the reason to skip it.
func (l *Library) ReadFile(f File) ([]byte, error) {
	if f.Fault != nil {
		return nil, f.Fault
	}
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, &Fault{"folder.unreadable", f.Name, err}
	}
	if info.Size() > l.cfg.MaxFile {
		return nil, l.cfg.TooLarge(f.Name, info.Size(), l.cfg.MaxFile)
	}
	data, err := os.ReadFile(f.Path) //nolint:gosec // G304: the path is the operator's
	if err != nil {
		return nil, &Fault{"folder.unreadable", f.Name, err}
	}
	if now, err := os.Stat(f.Path); err != nil || stateOf(now) != stateOf(info) {
		return nil, &Fault{"folder.changing", f.Name, err}
	}
	return data, nil
}

// Sentence returns the message for people of a file's error.
func Sentence(err error, language string) string {
	var t interface{ PeopleText(language string) string }
	if errors.As(err, &t) {
		return t.PeopleText(language)
	}
	return err.Error()
}
