package llm

import (
	"context"
	"errors"
	"time"

	"maru/agent/limit"
)

// RetryPolicy bounds the repeating of failed calls. The zero value of a field
// means its default.
type RetryPolicy struct {
	Attempts int           // calls in all, default 3
	Base     time.Duration // wait before the second call, doubled each time; default 500 ms
	Max      time.Duration // longest single wait, also for what the service asks; default 20 s
	Total    time.Duration // no wait begins that would end later than this after the start; default 60 s, or Limit if that is longer
	// Limit ends a call with all its repetitions as a Timeout: a person waits
	// for an answer, not for an attempt. What it waits for its turn at the endpoint is not
	// counted, see package limit. 0 means none.
	Limit time.Duration

	// Random returns a number in [0,1) for the jitter. Required.
	Random func() float64
	// Now is the clock. Required.
	Now func() time.Time
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.Attempts <= 0 {
		p.Attempts = 3
	}
	if p.Base <= 0 {
		p.Base = 500 * time.Millisecond
	}
	if p.Max <= 0 {
		p.Max = 20 * time.Second
	}
	if p.Total <= 0 {
		p.Total = max(time.Minute, p.Limit)
	}
	return p
}

// Retry repeats calls that failed in passing: by class, with exponential
// backoff and jitter, never sooner than the service asks, bounded by attempts,
// time and ctx. A used-up quota, a wrong key and a refused request are never
// repeated. When the service asks for a longer wait than Max the call fails at
// once: waiting less would only be refused again.
//
// Text already given to onDelta is void when a call is repeated. The run hears
// of it through [Account.OnReset] before the first new piece; where nobody
// listens, a call that has given text is not repeated.
func Retry(m Model, p RetryPolicy) Model { return &retry{m, p.withDefaults()} }

type retry struct {
	model Model
	p     RetryPolicy
}

func (r *retry) Name() string { return r.model.Name() }

func (r *retry) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	if r.p.Limit <= 0 {
		return r.generate(ctx, req, onDelta)
	}
	inTime, cancel := limit.With(ctx, r.p.Limit)
	defer cancel()
	resp, err := r.generate(inTime, req, onDelta)
	if err != nil && ClassOf(err) == "" && ctx.Err() == nil && inTime.Err() != nil {
		return resp, &Error{Class: Timeout, Model: r.Name(), Detail: "no reply within " + r.p.Limit.String(), Err: err}
	}
	return resp, err
}

func (r *retry) generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	start := r.p.Now().Add(-limit.Held(ctx))
	for attempt := 1; ; attempt++ {
		given := false
		resp, err := r.model.Generate(ctx, req, watched(onDelta, &given))
		if err == nil {
			return resp, nil
		}
		wait, again := r.wait(err, attempt)
		if !again || ctx.Err() != nil || r.p.Now().Sub(start)-limit.Held(ctx)+wait > r.p.Total || !req.mayRepeat(given) {
			return resp, err
		}
		req.account().wait(wait, err)
		if !pause(ctx, wait) {
			return resp, err
		}
		if given {
			req.account().reset(err)
		}
	}
}

// wait returns how long to wait before the next attempt, false for not at all.
func (r *retry) wait(err error, attempt int) (time.Duration, bool) {
	var e *Error
	if !errors.As(err, &e) || !e.Passing() || attempt >= r.p.Attempts {
		return 0, false
	}
	if (e.Class == Garbage || e.Class == WebPage) && attempt >= 2 {
		return 0, false // once may be an accident, twice is how the endpoint is
	}
	if e.After > r.p.Max {
		return 0, false
	}
	d := r.p.Base
	for i := 1; i < attempt && d < r.p.Max; i++ {
		d *= 2
	}
	d = min(d, r.p.Max)
	d = d/2 + time.Duration(r.p.Random()*float64(d/2)) // between half and all of it
	return max(d, e.After), true
}

// watched returns onDelta made to note that something was given.
func watched(onDelta func(string), given *bool) func(string) {
	if onDelta == nil {
		return nil
	}
	return func(s string) {
		*given = true
		onDelta(s)
	}
}

// mayRepeat reports whether the call may be made again: text that was given must be
// taken back.
func (r Request) mayRepeat(given bool) bool {
	return !given || r.account().OnReset != nil
}

// pause waits for d; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
