package sync

import (
	"context"
	"time"

	"maru/rag/source"
)

// removeDocument removes the document of an entry.
func (l *look) removeDocument(ctx context.Context, e *source.Entry) error {
	if e.Document == "" {
		return nil
	}
	if _, err := l.Library.Remove(ctx, []string{e.Scope}, e.Document); err != nil {
		return err
	}
	e.Document = ""
	e.Validators = "" // what brings it back is not "unchanged"
	return l.forget(ctx, e.Scope)
}

// drop removes entries and their documents.
func (l *look) drop(ctx context.Context, list []source.Entry) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]string, len(list))
	for i, e := range list {
		if err := l.removeDocument(ctx, &e); err != nil {
			return err
		}
		ids[i] = e.ID
	}
	l.total -= len(list)
	return l.save(ctx, nil, ids)
}

// clear removes all entries and documents.
func (l *look) clear(ctx context.Context) error {
	if err := l.each(ctx, source.Query{}, func(list []source.Entry) error { return l.drop(ctx, list) }); err != nil {
		return err
	}
	if l.p.Of.Scope == "" {
		return nil
	}
	if l.Notes != nil {
		if err := l.Notes.SetNote(ctx, source.RightsNote(l.row.Name, l.p.Of.Scope), ""); err != nil {
			return err
		}
	}
	return l.removeUnknown(ctx, l.p.Of.Scope, map[string]bool{})
}

// remove ends a source: first its documents go, then its row.
func (l *look) remove(ctx context.Context) error {
	if err := l.clear(ctx); err != nil {
		return err
	}
	if err := l.Store.DropSource(ctx, l.row.Name, l.Owner); err != nil {
		return err
	}
	l.log.InfoContext(ctx, "source removed with its documents")
	return nil
}

// removeUnnamed drops what a whole listing has not named, or has it fetched once if the listing may have left it out. A
// listing that named nothing at all is taken for a failure.
func (l *look) removeUnnamed(ctx context.Context) error {
	if !l.p.Whole {
		return nil
	}
	gone := 0
	query := source.Query{Before: l.p.Sweep}
	if err := l.each(ctx, query, func(list []source.Entry) error { gone += len(list); return nil }); err != nil {
		return err
	}
	if gone > 0 && gone == l.total {
		l.p.Phase, l.p.Cursor = source.Listing, ""
		return l.fail(ctx, nothing())
	}
	return l.each(ctx, query, func(list []source.Entry) error {
		if !l.p.Confirm {
			return l.drop(ctx, list)
		}
		for i := range list {
			if list[i].State == source.Parked { // to ask for it is to read it
				list[i].Sweep = l.p.Sweep
				continue
			}
			list[i].State, list[i].Due, list[i].Tries, list[i].Sweep = source.Pending, time.Time{}, 0, l.p.Sweep
		}
		return l.save(ctx, list, nil)
	})
}

// removeStrays removes documents of this source that no entry has: a look was killed between the two.
func (l *look) removeStrays(ctx context.Context) error {
	known := map[string]bool{}
	err := l.each(ctx, source.Query{}, func(list []source.Entry) error {
		for _, e := range list {
			known[e.Document] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.removeUnknown(ctx, l.row.Spec.Scope, known)
}

// removeUnknown removes documents of this source in the scope of a spec and those of its readers.
func (l *look) removeUnknown(ctx context.Context, outer string, known map[string]bool) error {
	scopes, err := l.scopes(ctx, outer)
	if err != nil {
		return err
	}
	docs, err := l.Library.OfSource(ctx, scopes, l.row.Name)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if known[d.ID] {
			continue
		}
		if _, err := l.Library.Remove(ctx, []string{d.Scope}, d.ID); err != nil {
			return err
		}
		if err := l.forget(ctx, d.Scope); err != nil {
			return err
		}
	}
	return nil
}
