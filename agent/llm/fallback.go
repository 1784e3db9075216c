package llm

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Fallback asks the first model, and the next one when a model is unable, see
// [Elsewhere]. It does not shop around for another opinion: what a model
// declines is final. A model whose service is in trouble is passed over for cooldown, or as long as its service asked, while another one
// is left; a model of its endpoint that only some requests name is passed over for
// those alone. Text already given is announced as void, as in [Retry].
func Fallback(cooldown time.Duration, now func() time.Time, models ...Model) Model {
	if len(models) == 0 {
		panic("llm: Fallback needs at least one model")
	}
	return &fallback{models: models, until: map[asked]time.Time{}, cooldown: cooldown, now: now}
}

type fallback struct {
	models   []Model
	cooldown time.Duration
	now      func() time.Time

	mu    sync.Mutex
	until map[asked]time.Time // passed over before this
}

// asked is one of the models, and the name that the request gave it, "" for none.
type asked struct {
	model int
	name  string
}

// of returns the request as the model gets it.
func (a asked) of(req Request) Request {
	req.Model = a.name
	return req
}

func (f *fallback) Name() string { return f.models[0].Name() }

func (f *fallback) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	var errs []error
	var last Response
	given := false
	for _, a := range f.order(req.Model) {
		if given {
			req.account().reset(errs[len(errs)-1])
		}
		given = false
		resp, err := f.models[a.model].Generate(ctx, a.of(req), watched(onDelta, &given))
		if err == nil {
			f.rested(a)
			return resp, nil
		}
		last, errs = resp, append(errs, err)
		if !f.unable(a, err) || ctx.Err() != nil || !req.mayRepeat(given) {
			break
		}
	}
	if len(errs) == 1 {
		return last, errs[0]
	}
	return last, errors.Join(errs...)
}

// order lists the models that are not cooling down, then the others. A name is chosen
// for the first endpoint, and means nothing to another.
func (f *fallback) order(name string) []asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	var ready, cooling []asked
	for i := range f.models {
		a := asked{model: i}
		if i == 0 {
			a.name = name
		}
		if now.Before(f.until[a]) {
			cooling = append(cooling, a)
		} else {
			ready = append(ready, a)
		}
	}
	return append(ready, cooling...)
}

// unable reports whether another model should be asked, and lets this one cool
// down when the trouble is the service's and not the prompt's.
func (f *fallback) unable(a asked, err error) bool {
	var e *Error
	if !errors.As(err, &e) || !Elsewhere(err) {
		return false
	}
	if e.Passing() || e.Class == Auth || e.Class == Quota || e.Class == NotFound {
		f.rest(a, f.now().Add(max(f.cooldown, e.After)))
	}
	return true
}

func (f *fallback) rest(a asked, until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until[a] = until
}

func (f *fallback) rested(a asked) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.until, a)
}
