package sync

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"maru/bot/chore"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/source"
)

// fetch fetches what is pending until nothing is.
func (l *look) fetch(ctx context.Context) error {
	for {
		if err := l.rights(ctx); err != nil { // a long look does not put them off
			return err
		}
		list, err := l.Store.SourceItems(ctx, l.row.Name, source.Query{States: []source.State{source.Pending}, Due: l.Now(), Limit: batch})
		if err != nil {
			return err
		}
		for _, e := range list {
			if err := l.item(ctx, e); err != nil {
				return err
			}
		}
		if len(list) > 0 {
			continue
		}
		var soonest time.Time
		err = l.each(ctx, source.Query{States: []source.State{source.Pending}}, func(list []source.Entry) error {
			for _, e := range list {
				if soonest.IsZero() || e.Due.Before(soonest) {
					soonest = e.Due
				}
			}
			return nil
		})
		if err != nil || soonest.IsZero() {
			return err
		}
		if err := sleep(ctx, max(soonest.Sub(l.Now()), time.Millisecond)); err != nil {
			return err
		}
	}
}

// roots fetches the items without which the source cannot be read before any other: where they are gone, the others may
// seem to be gone, too.
func (l *look) roots(ctx context.Context) error {
	if l.p.Whole {
		return nil
	}
	var list []source.Entry
	err := l.each(ctx, source.Query{States: []source.State{source.Pending}}, func(some []source.Entry) error {
		for _, e := range some {
			if e.Root {
				list = append(list, e)
			}
		}
		return nil
	})
	for err == nil && len(list) > 0 {
		e := list[0]
		if err = sleep(ctx, max(e.Due.Sub(l.Now()), 0)); err != nil {
			return err
		}
		if err = l.item(ctx, e); err != nil {
			return err
		}
		now, err := l.Store.SourceItems(ctx, l.row.Name, source.Query{IDs: []string{e.ID}})
		if err != nil {
			return err
		}
		if list = list[1:]; len(now) > 0 && now[0].State == source.Pending {
			list = append(list, now[0])
		}
	}
	return err
}

// item brings one document up to date, unless it is or becomes parked. A panic while it is read is its failure alone.
func (l *look) item(ctx context.Context, e source.Entry) error {
	if parked, err := l.park(ctx, &e); parked || err != nil {
		return err
	}
	err := chore.Survive(ctx, l.log, "source "+l.row.Name, func() error { return l.read(ctx, &e) })
	if errors.Is(err, chore.ErrPanicked) {
		err = l.again(ctx, e, err)
	}
	return errors.Join(err, l.release(ctx, e))
}

// read changes the entry with the document, or what is saved after a panic would not know where it is.
func (l *look) read(ctx context.Context, entry *source.Entry) error {
	c, err := l.content(ctx, entry)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := *entry
	var wait *source.Wait
	var fault *source.Fault
	switch {
	case errors.Is(err, errRecord):
		return err
	case errors.Is(err, source.ErrGone) && !e.Root:
		l.bad = 0
		return l.drop(ctx, []source.Entry{e})
	case errors.Is(err, source.ErrRestricted) && !e.Root:
		return l.restricted(ctx, entry)
	case errors.Is(err, source.ErrUnchanged):
		return l.settled(ctx, e, nil)
	case errors.Is(err, source.ErrStale):
		e.Version, e.State, e.Why = "", source.Failed, readable(e, err)
		return l.save(ctx, []source.Entry{e}, nil)
	case errors.As(err, &wait) && wait.For <= inPlace && l.waits < waits:
		l.waits++
		return sleep(ctx, max(wait.For, l.Again)) // it is still pending
	case errors.As(err, &wait):
		return l.fail(ctx, err)
	case errors.As(err, &fault) && fault.Permanent && !e.Root:
		e.State, e.Why = source.Refused, readable(e, err)
		return l.refused(ctx, e)
	case err != nil:
		return l.again(ctx, e, err)
	}
	links, err := l.links(ctx, e, c.Links)
	if err != nil {
		return err
	}
	if c.Skip {
		if err := l.removeDocument(ctx, entry); err != nil {
			return err
		}
		e = *entry
		e.Validators = c.Validators
		return l.settled(ctx, e, links)
	}
	return l.add(ctx, e, c, links)
}

// errRecord marks an error of our own record or index, which says nothing of an item or its source.
var errRecord = errors.New("the record of the sources failed")

func ofRecord(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errRecord, err)
}

// content fetches an item after it gave its document to those who may read it. Where these are not known, it hides it.
func (l *look) content(ctx context.Context, e *source.Entry) (source.Content, error) {
	was := e.Scope
	if err := l.permit(ctx, e); err != nil {
		if ctx.Err() == nil && !errors.Is(err, errRecord) && (permanent(err) || e.Tries+1 >= tries) {
			if err := l.removeDocument(ctx, e); err != nil {
				return source.Content{}, ofRecord(err)
			}
		}
		return source.Content{}, err
	}
	if e.Scope != was {
		if err := l.save(ctx, []source.Entry{*e}, nil); err != nil {
			return source.Content{}, ofRecord(err)
		}
	}
	if err := l.mark(ctx, e); err != nil {
		return source.Content{}, ofRecord(err)
	}
	return l.src.Fetch(ctx, e.Item, e.Validators)
}

// add puts a content into the library.
func (l *look) add(ctx context.Context, e source.Entry, c source.Content, links []source.Entry) error {
	if e.Modified.IsZero() {
		e.Modified = c.Modified
	}
	spec := l.row.Spec
	doc, err := l.docs.Add(ctx, library.Remote{
		Scope: e.Scope, ID: e.ID, Name: c.Name, URL: e.URL, Source: l.row.Name, Own: spec.Own, At: e.Modified, Data: c.Data,
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, syscall.ENOSPC):
		return l.fail(ctx, &source.Fault{Key: "source.no_room", Err: err})
	case errors.Is(err, rag.ErrUnavailable):
		return l.fail(ctx, err)
	case err != nil && l.Library.Permanent(err):
		e.State, e.Why, e.Validators = source.Refused, readable(e, err), c.Validators
		if err := l.save(ctx, links, nil); err != nil {
			return err
		}
		return l.refused(ctx, e)
	case err != nil:
		return l.again(ctx, e, err)
	}
	e.Document, e.Validators = doc.ID, c.Validators
	return l.settled(ctx, e, links)
}

// links returns the entries of items to which one leads.
func (l *look) links(ctx context.Context, e source.Entry, items []source.Item) ([]source.Entry, error) {
	if e.Depth >= l.row.Spec.Depth {
		return nil, nil
	}
	for i := range items {
		items[i].Depth = e.Depth + 1
	}
	found, err := l.named(ctx, items)
	var out []source.Entry
	for _, f := range found {
		if f.Checked.IsZero() && f.Tries == 0 && f.ID != e.ID { // a known one is asked for anyway
			out = append(out, f)
		}
	}
	return out, err
}

// settled commits an item that is as it is outside.
func (l *look) settled(ctx context.Context, e source.Entry, links []source.Entry) error {
	l.bad, l.waits = 0, 0
	e.State, e.Tries, e.Due, e.Why, e.Checked, e.Deaths = source.Synced, 0, time.Time{}, nil, l.Now(), 0
	if e.Document == "" {
		e.State = source.Skipped
	}
	return l.save(ctx, append(links, e), nil)
}

// refused commits an item that cannot be read until it changes. An earlier document of it stays.
func (l *look) refused(ctx context.Context, e source.Entry) error {
	l.bad = 0
	e.Tries, e.Due, e.Checked, e.Deaths = 0, time.Time{}, l.Now(), 0
	l.log.WarnContext(ctx, "document of a source not read", "item", because(e))
	return l.save(ctx, []source.Entry{e}, nil)
}

// restricted commits an item that only some readers of the source may read. An earlier document of it is removed.
func (l *look) restricted(ctx context.Context, entry *source.Entry) error {
	if err := l.removeDocument(ctx, entry); err != nil {
		return err
	}
	e := *entry
	l.bad, l.waits = 0, 0
	e.State, e.Tries, e.Due, e.Why, e.Checked, e.Validators = source.Restricted, 0, time.Time{}, nil, l.Now(), ""
	return l.save(ctx, []source.Entry{e}, nil)
}

// again commits an item whose failure may pass. Several in a row are the source's own failure.
func (l *look) again(ctx context.Context, e source.Entry, cause error) error {
	l.bad++
	e.Tries++
	e.Why, e.Due = readable(e, cause), l.Now().Add(l.Again<<(e.Tries-1))
	if e.Tries >= tries && !e.Root {
		e.State, e.Tries, e.Due = source.Failed, 0, time.Time{}
		l.log.WarnContext(ctx, "document of a source not fetched; it is tried again at the next look", "item", e.ID, "err", cause)
	}
	if l.bad >= inARow || e.Root && e.Tries >= tries {
		e.State, e.Tries, e.Due = source.Pending, 0, time.Time{}
		if err := l.save(ctx, []source.Entry{e}, nil); err != nil {
			return err
		}
		if errors.Is(cause, source.ErrGone) {
			cause = &source.Fault{Key: "source.start_gone", Args: []any{e.ID}, Err: cause}
		}
		return l.fail(ctx, cause)
	}
	return l.save(ctx, []source.Entry{e}, nil)
}
