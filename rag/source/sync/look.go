package sync

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"maru/phrase"
	"maru/rag/library"
	"maru/rag/source"
)

const (
	batch     = 100              // entries that are read or written at once
	unchecked = 24 * time.Hour   // after which an item is asked for although its source says that it did not change
	tries     = 3                // of an item in one look
	inARow    = 5                // failures after which the source itself is taken to be away
	longest   = time.Hour        // that a source may ask to be left alone
	inPlace   = 10 * time.Second // longest wait with the lease
	waits     = 10               // in a row, with the lease
)

// errStop ends a look that is continued later; what is to be told is in the record.
var errStop = errors.New("the look goes on later")

// look is one look at a source, or what is left of one.
type look struct {
	*Engine

	row   source.Row
	p     source.Progress
	log   *slog.Logger
	src   source.Source
	docs  *library.Remotes
	total int // items of the source
	bad   int // items in a row that could not be fetched
	waits int // in a row

	described map[string]bool // scopes whose readers are kept
	inHand    string          // item that is marked as being read
	unlock    func()          // ends the reading of it, nil if there is none
}

// run goes on with the look, or begins one. Its error is errStop if it is continued later.
func (l *look) run(ctx context.Context) error {
	if l.row.Removed {
		return l.remove(ctx)
	}
	if err := l.begin(ctx); err != nil {
		return err
	}
	src, err := l.Open(l.row)
	if err != nil {
		return l.fail(ctx, err)
	}
	l.src = src
	docs, done := l.Library.Remotes()
	defer done()
	l.docs = docs
	for _, stage := range []func(context.Context) error{l.admit, l.list, l.removeUnnamed, l.roots, l.rights, l.fetch, l.finish} {
		if err := stage(ctx); err != nil {
			return err
		}
	}
	return nil
}

// save commits the progress with changes of entries, and removes the mark of the item in hand.
func (l *look) save(ctx context.Context, put []source.Entry, drop []string) error {
	held := l.inHand
	for i := range put {
		if put[i].InHand == l.Owner {
			put[i].InHand = ""
		}
		if put[i].ID == held {
			held = ""
		}
	}
	if slices.Contains(drop, held) {
		held = ""
	}
	err := l.Store.SaveSource(ctx, l.row.Name, l.Owner, l.p, put, drop)
	if err == nil {
		l.inHand = held
	}
	return err
}

// begin makes a fresh look of an idle source, and starts over if the source became another one.
func (l *look) begin(ctx context.Context) error {
	l.p.Heard = l.row.Wanted
	if err := l.retry(ctx); err != nil {
		return err
	}
	if l.p.Sweep > 0 && l.p.Of != l.row.Spec.Identity() {
		if err := l.clear(ctx); err != nil {
			return err
		}
		l.p = source.Progress{Sweep: l.p.Sweep, Heard: l.row.Wanted}
	}
	if err := l.count(ctx); err != nil {
		return err
	}
	if l.p.Phase != source.Idle {
		return nil
	}
	l.p.Sweep++
	l.p.Phase, l.p.Started, l.p.Of, l.p.Whole, l.p.Limited = source.Listing, l.Now(), l.row.Spec.Identity(), false, false
	l.p.Confirm = false
	if err := l.Store.ReviveItems(ctx, l.row.Name, l.Owner, []source.State{source.Failed}); err != nil {
		return err
	}
	return l.reconcile(ctx)
}

func (l *look) count(ctx context.Context) error {
	n, err := l.Store.CountItems(ctx, l.row.Name)
	l.total = 0
	for _, c := range n {
		l.total += c
	}
	return err
}

// each calls do with all entries that a query selects, some at a time.
func (l *look) each(ctx context.Context, q source.Query, do func([]source.Entry) error) error {
	for q.Limit = batch; ; {
		list, err := l.Store.SourceItems(ctx, l.row.Name, q)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := do(list); err != nil {
			return err
		}
		q.After = list[len(list)-1].ID
	}
}

// reconcile fetches items again whose documents are not in the index, or would be read better by this program.
func (l *look) reconcile(ctx context.Context) error {
	scopes, err := l.scopes(ctx, l.row.Spec.Scope)
	if err != nil {
		return err
	}
	docs, err := l.Library.OfSource(ctx, scopes, l.row.Name)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, d := range docs {
		have[d.ID] = l.Library.Current(d)
	}
	err = l.each(ctx, source.Query{States: []source.State{source.Synced}}, func(list []source.Entry) error {
		var put []source.Entry
		for _, e := range list {
			if !have[e.Document] {
				e.State, e.Validators, e.Due = source.Pending, "", time.Time{}
				put = append(put, e)
			}
		}
		if len(put) == 0 {
			return nil
		}
		return l.save(ctx, put, nil)
	})
	if err != nil {
		return err
	}
	return l.save(ctx, nil, nil)
}

// list reads the listing from where it stopped.
func (l *look) list(ctx context.Context) error {
	for l.p.Phase == source.Listing {
		page, err := l.src.List(ctx, l.p.Cursor)
		if err != nil {
			return l.fail(ctx, err)
		}
		put, err := l.named(ctx, page.Items)
		if err != nil {
			return err
		}
		if page.Recheck {
			if err := l.Store.ReviveItems(ctx, l.row.Name, l.Owner, []source.State{source.Synced, source.Skipped, source.Refused, source.Restricted}); err != nil {
				return err
			}
			for i := range put {
				if put[i].State != source.Parked {
					put[i].State, put[i].Due = source.Pending, time.Time{}
				}
			}
		}
		gone, err := l.Store.SourceItems(ctx, l.row.Name, source.Query{IDs: append([]string{}, page.Gone...)})
		if err != nil {
			return err
		}
		if err := l.drop(ctx, gone); err != nil {
			return err
		}
		l.p.Cursor = page.Cursor
		if !page.More {
			l.p.Phase, l.p.Whole, l.p.Confirm = source.Fetching, page.Complete, page.Confirm
		}
		if err := l.save(ctx, put, nil); err != nil {
			return err
		}
	}
	return nil
}

// named returns the entries of items that the source names now. What is new or changed is pending.
func (l *look) named(ctx context.Context, items []source.Item) ([]source.Entry, error) {
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i] = it.ID
	}
	known := map[string]source.Entry{}
	for from := 0; from < len(ids); from += batch {
		list, err := l.Store.SourceItems(ctx, l.row.Name, source.Query{IDs: ids[from:min(from+batch, len(ids))], Limit: batch})
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			known[e.ID] = e
		}
	}
	var out []source.Entry
	for _, it := range items {
		e, ok := known[it.ID]
		switch {
		case ok && e.Sweep == l.p.Sweep && e.Version == it.Version: // named before in this look
			continue
		case !ok && l.row.Spec.Pages > 0 && l.total >= l.row.Spec.Pages:
			l.p.Limited = true
			continue
		case !ok:
			l.total++
			e = source.Entry{State: source.Pending}
		case e.State == source.Parked && it.Version == e.Version: // only a person retries it
		case it.Version == "" || it.Version != e.Version || !it.Trusted && l.Now().Sub(e.Checked) > unchecked:
			if it.Version != e.Version {
				e.Deaths, e.InHand = 0, ""
			}
			e.State, e.Due, e.Tries = source.Pending, time.Time{}, 0
		}
		e.Item, e.Sweep = it, l.p.Sweep
		known[it.ID] = e
		out = append(out, e)
	}
	return out, nil
}

// fail keeps why a source cannot be read, and when it is tried again.
func (l *look) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.p.Tries++
	wait := l.Retry << min(l.p.Tries-1, 10)
	if w, ok := errors.AsType[*source.Wait](err); ok {
		wait = max(w.For, l.Again)
		l.p.Why = source.WhyOf(err, "source.asks_to_wait")
	} else {
		l.p.Why = source.WhyOf(err, "source.away")
	}
	l.p.Due = l.Now().Add(min(wait, longest))
	if _, ok := l.withReaders(); ok && permanent(err) { // it refuses itself: whom it would let read is not known
		if err := l.Notes.SetNote(ctx, source.RightsNote(l.row.Name, l.row.Spec.Scope), ""); err != nil {
			return err
		}
		l.p.Rights = time.Time{}
	}
	if l.p.Tries == 1 {
		l.log.WarnContext(ctx, "source cannot be read; its documents stay", "err", err, "again_at", l.p.Due)
	}
	if err := l.save(ctx, nil, nil); err != nil {
		return err
	}
	return errStop
}

// finish ends the look.
func (l *look) finish(ctx context.Context) error {
	if err := l.removeStrays(ctx); err != nil {
		return err
	}
	took := l.Now().Sub(l.p.Started)
	l.p.Phase, l.p.Done, l.p.Due, l.p.Why, l.p.Tries = source.Idle, l.Now(), l.Now().Add(l.row.Spec.Every), nil, 0
	if again := l.p.Rights.Add(l.period()); !l.p.Rights.IsZero() && again.Before(l.p.Due) {
		l.p.Due = again
	}
	if err := l.save(ctx, nil, nil); err != nil {
		return err
	}
	n, err := l.Store.CountItems(ctx, l.row.Name)
	if err != nil {
		return err
	}
	l.log.InfoContext(ctx, "source is in sync", "documents", n[source.Synced], "refused", n[source.Refused], "restricted", n[source.Restricted], "failed", n[source.Failed], "parked", n[source.Parked],
		"limited", l.p.Limited, "took_ms", took.Milliseconds(), "next_at", l.p.Due)
	return nil
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// nothing is the fault of a source that names nothing where there was something before.
func nothing() error { return &source.Fault{Key: "source.lists_nothing"} }

// readable makes a reason of an item's error.
func readable(e source.Entry, err error) source.Why {
	return source.WhyOf(err, "source.item_away", e.ID)
}

// because returns the reason for the log.
func because(e source.Entry) string { return fmt.Sprintf("%s: %s", e.ID, e.Why.In(phrase.Fallback)) }
