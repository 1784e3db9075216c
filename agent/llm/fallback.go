package llm

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Fallback asks the first model, and the next one when a model is unable:
// overloaded, out of quota, unreachable, its key refused, its context too
// small. It does not shop around for another opinion: a refusal, a content
// filter, a bad request and a spent budget are final. A model that failed is
// passed over for cooldown, or as long as its service asked, while another one
// is left. Text already given is announced as void, as in [Retry].
func Fallback(cooldown time.Duration, now func() time.Time, models ...Model) Model {
	if len(models) == 0 {
		panic("llm: Fallback needs at least one model")
	}
	return &fallback{models: models, until: make([]time.Time, len(models)), cooldown: cooldown, now: now}
}

type fallback struct {
	models   []Model
	cooldown time.Duration
	now      func() time.Time

	mu    sync.Mutex
	until []time.Time // by model: passed over before this
}

func (f *fallback) Name() string { return f.models[0].Name() }

func (f *fallback) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	var errs []error
	var last Response
	given := false
	for _, i := range f.order() {
		if given {
			accountOf(ctx).reset(errs[len(errs)-1])
		}
		r := req
		if i > 0 {
			r.Model = "" // a name chosen for the first endpoint means nothing to another
		}
		given = false
		resp, err := f.models[i].Generate(ctx, r, watched(onDelta, &given))
		if err == nil {
			f.mark(i, time.Time{})
			return resp, nil
		}
		last, errs = resp, append(errs, err)
		if !f.unable(i, err) || ctx.Err() != nil || !mayRepeat(ctx, given) {
			break
		}
	}
	if len(errs) == 1 {
		return last, errs[0]
	}
	return last, errors.Join(errs...)
}

// order lists the models that are not cooling down, then the others.
func (f *fallback) order() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	var ready, cooling []int
	for i, u := range f.until {
		if now.Before(u) {
			cooling = append(cooling, i)
		} else {
			ready = append(ready, i)
		}
	}
	return append(ready, cooling...)
}

// unable reports whether another model should be asked, and lets this one cool
// down when the trouble is the service's and not the prompt's.
func (f *fallback) unable(i int, err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Class {
	case RateLimited, Overloaded, Timeout, Network, Cut, Garbage, Auth, Quota, NotFound, WebPage:
		f.mark(i, f.now().Add(max(f.cooldown, e.After)))
		return true
	case ContextLength:
		return true
	default:
		return false
	}
}

func (f *fallback) mark(i int, until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until[i] = until
}
