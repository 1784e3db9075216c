package opensearch

import (
	"context"
	"net/http"
	"net/url"
	"sync"
)

// refreshes makes writes visible to searches. Writes that end while a refresh runs share the next one, so that many
// at once cost few. It does not wait for the index's own interval, which an operator may have set to minutes, or to
// never.
type refreshes struct {
	turn chan struct{} // holds one: the refresh that runs

	mu      sync.Mutex
	next    *refresh
	refused bool // this user may write, not refresh
}

// refresh is one of them; err may be read after done.
type refresh struct {
	done chan struct{}
	err  error
}

// join returns the refresh that comes next, and whether the caller has to run it.
func (r *refreshes) join() (*refresh, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next != nil {
		return r.next, false
	}
	r.next = &refresh{done: make(chan struct{})}
	return r.next, true
}

// seal closes the next refresh to writes that end from now on.
func (r *refreshes) seal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next = nil
}

// show makes the writes visible that ended before.
func (x *Index) show(ctx context.Context) error {
	mine, first := x.refreshes.join()
	if first {
		x.refreshes.turn <- struct{}{}
		x.refreshes.seal()
		// Others wait for it, too: it does not end with this caller.
		mine.err = x.do(context.WithoutCancel(ctx), request{method: http.MethodPost, path: []string{"_refresh"}, patient: true}, nil)
		<-x.refreshes.turn
		close(mine.done)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-mine.done:
		return mine.err
	}
}

// write sends a write of a document and makes it visible.
func (x *Index) write(ctx context.Context, r request) error {
	if r.query == nil {
		r.query = url.Values{}
	}
	r.patient = true
	x.refreshes.mu.Lock()
	refused := x.refreshes.refused
	x.refreshes.mu.Unlock()
	if refused {
		r.query.Set("refresh", "true")
		return x.do(ctx, r, nil)
	}
	if err := x.do(ctx, r, nil); err != nil {
		return err
	}
	err := x.show(ctx)
	if !forbids(err) {
		return err
	}
	x.refreshes.mu.Lock()
	x.refreshes.refused = true
	x.refreshes.mu.Unlock()
	r.query.Set("refresh", "true")
	return x.do(ctx, r, nil)
}
