package sync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"maru/rag"
	"maru/rag/source"
)

// Notes keeps the sets of readers, by the keys of [source.ReadersNote] and [source.RightsNote].
type Notes interface {
	Note(ctx context.Context, key string) (string, error) // "" if there is none
	SetNote(ctx context.Context, key, value string) error // "" removes it
}

// withReaders returns the source of the look if its items have readers of their own.
func (l *look) withReaders() (source.WithReaders, bool) {
	r, ok := l.src.(source.WithReaders)
	return r, ok && l.Notes != nil
}

// period returns the time between two checks of the readers of a document.
func (l *look) period() time.Duration {
	if l.row.Spec.Rights > 0 {
		return l.row.Spec.Rights
	}
	return source.DefaultRights
}

// admit begins the rights of a source without documents. Later only a check of all of them extends these.
func (l *look) admit(ctx context.Context) error {
	if _, ok := l.withReaders(); !ok {
		l.p.Rights, l.p.Checking = time.Time{}, time.Time{}
		return nil
	}
	if !l.p.Rights.IsZero() || l.total > 0 {
		return nil
	}
	l.p.Rights = l.Now()
	return l.extend(ctx)
}

// extend keeps until when the rights of the source count, with its progress.
func (l *look) extend(ctx context.Context) error {
	until := l.p.Rights.Add(source.RightsHold).UTC().Format(time.RFC3339)
	if err := l.Notes.SetNote(ctx, source.RightsNote(l.row.Name, l.row.Spec.Scope), until); err != nil {
		return err
	}
	return l.save(ctx, nil, nil)
}

// rights checks the readers of all documents when it is time, or when a person wanted a look. A killed check goes on where
// it was.
func (l *look) rights(ctx context.Context) error {
	if _, ok := l.withReaders(); !ok {
		return nil
	}
	if l.p.Checking.IsZero() {
		wanted := l.p.Heard.After(l.p.Rights)
		if !wanted && l.Now().Sub(l.p.Rights) < l.period() {
			return nil
		}
		l.p.Checking = l.Now()
		if err := l.save(ctx, nil, nil); err != nil {
			return err
		}
	}
	err := l.each(ctx, source.Query{}, func(list []source.Entry) error {
		for _, e := range list {
			if e.Document == "" || !e.Rights.Before(l.p.Checking) {
				continue
			}
			if err := l.recheck(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	l.p.Rights, l.p.Checking = l.p.Checking, time.Time{}
	return l.extend(ctx)
}

// recheck asks for the readers of a document until they are known, or hides it.
func (l *look) recheck(ctx context.Context, e source.Entry) error {
	var wait *source.Wait
	for try := 1; ; try++ {
		err := l.permit(ctx, &e)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errRecord):
			return err
		case err == nil:
			l.bad, l.waits = 0, 0
			return l.save(ctx, []source.Entry{e}, nil)
		case errors.Is(err, source.ErrGone) && !e.Root:
			l.bad = 0
			return l.drop(ctx, []source.Entry{e})
		case errors.As(err, &wait) && wait.For <= inPlace && l.waits < waits:
			l.waits++
			try--
			err = sleep(ctx, max(wait.For, l.Again))
		case errors.As(err, &wait):
			return l.fail(ctx, err)
		case permanent(err) || try >= tries:
			if l.bad++; l.bad >= inARow {
				return l.fail(ctx, err)
			}
			if e.State != source.Parked { // it would be read again
				e.State, e.Why = source.Failed, readable(e, err)
			}
			l.log.WarnContext(ctx, "readers of a document are not known; nobody may read it", "item", e.ID, "err", err)
			if err := l.removeDocument(ctx, &e); err != nil {
				return err
			}
			return l.save(ctx, []source.Entry{e}, nil)
		default:
			err = sleep(ctx, l.Again<<(try-1))
		}
		if err != nil {
			return err
		}
	}
}

// permanent reports whether an error would come again until something changes.
func permanent(err error) bool {
	f, ok := errors.AsType[*source.Fault](err)
	return ok && f.Permanent
}

// permit asks who may read an item and gives its document to those. The caller saves the entry.
func (l *look) permit(ctx context.Context, e *source.Entry) error {
	src, ok := l.withReaders()
	if !ok {
		return l.move(ctx, e, l.row.Spec.Scope, nil)
	}
	at := l.Now()
	r, err := src.Permissions(ctx, e.Item)
	if err != nil {
		return err
	}
	scope, err := r.Scope(l.row.Name, l.row.Spec)
	if err != nil {
		return err
	}
	if err := l.describe(ctx, scope, r); err != nil {
		return ofRecord(fmt.Errorf("keep the readers of %s: %w", e.ID, err))
	}
	e.Rights = at
	return l.move(ctx, e, scope, &r)
}

// describe keeps the readers of a scope before a document is in it.
func (l *look) describe(ctx context.Context, scope string, r source.Readers) error {
	if _, ok := source.RestrictionOf(scope); !ok || l.described[scope] {
		return nil
	}
	data, err := json.Marshal(r.Normal())
	if err != nil {
		return err
	}
	key := source.ReadersNote(scope)
	old, err := l.Notes.Note(ctx, key)
	if err == nil && old != string(data) {
		err = l.Notes.SetNote(ctx, key, string(data))
	}
	if err == nil {
		l.described[scope] = true
	}
	return err
}

// move gives the document of an entry to the readers of a scope, nil for those of its place. A document that a killed look had given them is replaced.
func (l *look) move(ctx context.Context, e *source.Entry, scope string, r *source.Readers) error {
	from := e.Scope
	if e.Document == "" || from == scope {
		e.Scope = scope
		return nil
	}
	doc, err := l.Library.Move(ctx, from, e.Document, scope)
	if err != nil {
		// It is in both scopes, or lost: then it is fetched again. Either way it leaves its old readers.
		if _, err := l.Library.Remove(ctx, []string{scope}, rag.DocumentID(scope, e.ID)); err != nil {
			return err
		}
		if err := l.removeDocument(ctx, e); err != nil {
			return err
		}
		e.Scope = scope
		if e.State != source.Parked {
			e.State, e.Due = source.Pending, time.Time{}
		}
		return nil
	}
	e.Document, e.Scope = doc.ID, scope
	if r != nil { // a look that lost its lease may have forgotten the readers of an empty scope meanwhile
		delete(l.described, scope)
		if err := l.describe(ctx, scope, *r); err != nil {
			return err
		}
	}
	return l.forget(ctx, from)
}

// forget removes the readers of a scope that has no documents any more. A document that came into it meanwhile keeps them.
func (l *look) forget(ctx context.Context, scope string) error {
	if _, ok := source.RestrictionOf(scope); !ok || l.Notes == nil {
		return nil
	}
	docs, err := l.Library.OfSource(ctx, []string{scope}, l.row.Name)
	if err != nil || len(docs) > 0 {
		return err
	}
	delete(l.described, scope)
	key := source.ReadersNote(scope)
	was, err := l.Notes.Note(ctx, key)
	if err != nil {
		return err
	}
	if err := l.Notes.SetNote(ctx, key, ""); err != nil {
		return err
	}
	if docs, err = l.Library.OfSource(ctx, []string{scope}, l.row.Name); err != nil || len(docs) == 0 {
		return err
	}
	return l.Notes.SetNote(ctx, key, was)
}

// scopes returns those in which there may be documents of the source: that of its spec and those of its readers.
func (l *look) scopes(ctx context.Context, outer string) ([]string, error) {
	all, err := l.Library.Scopes(ctx)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	out := []string{outer}
	for _, s := range all {
		if r, ok := source.RestrictionOf(s); ok && r.Outer == outer && r.Source == l.row.Name {
			out = append(out, s)
		}
	}
	return out, nil
}
