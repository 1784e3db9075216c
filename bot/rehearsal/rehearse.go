package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Outcome is the result of one question: the answers of its replays, without data of the record.
type Outcome struct {
	Run      string    `json:"run"`
	After    Answer    `json:"after"`
	Base     *Answer   `json:"base,omitempty"`     // of the present configuration, with a baseline
	Opinions *Opinions `json:"opinions,omitempty"` // where a model graded
	Spent    float64   `json:"spent"`              // of all of it
}

// failed reports whether a replay failed and should be repeated by another call.
func (o Outcome) failed() bool { return o.After.End == Failed || o.Base != nil && o.Base.End == Failed }

// Journal stores outcomes, so that an interrupted rehearsal can continue.
type Journal interface {
	Done() map[string]Outcome // by run
	Add(o Outcome) error
}

// Grader returns a model's opinion of an answer, and its cost.
type Grader func(ctx context.Context, q Question, a Answer) (Opinion, float64, error)

// Plan is one rehearsal.
type Plan struct {
	Record   Record
	Runs     []string // whose questions are replayed, in order
	After    *Stage   // the configuration with the change
	Base     *Stage   // the present one, nil: without a baseline
	Grade    Grader   // nil: no grading
	Journal  Journal
	Cost     float64       // limit for the whole rehearsal, 0 for none
	Time     time.Duration // limit for this call, 0 for none
	Now      func() time.Time
	Progress func(done, all int) // may be nil
}

// Why a rehearsal ended before its last question.
var (
	ErrCost = errors.New("rehearsal: cost limit reached")
	ErrTime = errors.New("rehearsal: time limit reached")
)

// Run replays the questions without an outcome. [ErrCost], [ErrTime] and ctx's error report that some are left;
// another call with the same journal continues with these.
func (p Plan) Run(ctx context.Context) error {
	if p.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.Time, ErrTime)
		defer cancel()
	}
	done := p.Journal.Done()
	spent := 0.0
	for _, o := range done {
		spent += o.Spent
	}
	for n, run := range p.Runs {
		if p.Progress != nil {
			p.Progress(n, len(p.Runs))
		}
		if o, ok := done[run]; ok && !o.failed() {
			continue
		}
		if p.Cost > 0 && spent >= p.Cost {
			return ErrCost
		}
		q, ok, err := Load(ctx, p.Record, run)
		if err != nil {
			return p.ended(ctx, err)
		}
		if !ok { // it was deleted since
			continue
		}
		o, err := p.one(ctx, q, spent)
		if err != nil {
			return p.ended(ctx, err)
		}
		if p.Cost > 0 && spent+o.Spent >= p.Cost && o.failed() { // it would have cost more
			return ErrCost
		}
		if err := p.Journal.Add(o); err != nil {
			return fmt.Errorf("store progress: %w", err)
		}
		spent += o.Spent
	}
	return nil
}

// ended returns the cause of the context's end if that explains a failure.
func (p Plan) ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// one replays a question on both configurations and has the answers graded where they differ.
func (p Plan) one(ctx context.Context, q Question, spent float64) (o Outcome, err error) {
	o.Run = q.Run
	left := func() float64 {
		if p.Cost <= 0 {
			return 0
		}
		return max(p.Cost-spent-o.Spent, p.Cost/1e6) // 0 would mean no limit
	}
	before := q.Was
	if p.Base != nil {
		base, err := p.Base.Play(ctx, q, left())
		if err != nil {
			return o, err
		}
		o.Base, before = &base, base
		o.Spent += base.Usage.Cost
	}
	if o.After, err = p.After.Play(ctx, q, left()); err != nil {
		return o, err
	}
	o.Spent += o.After.Usage.Cost
	if p.Grade == nil || before.End != Answered || o.After.End != Answered || Compare(before, o.After).Kind() == Unchanged {
		return o, nil
	}
	var g Opinions
	for _, one := range []struct {
		of   Answer
		into *Opinion
	}{{before, &g.Before}, {o.After, &g.After}} {
		var cost float64
		*one.into, cost, err = p.Grade(ctx, q, one.of)
		o.Spent += cost
		switch {
		case ctx.Err() != nil:
			return o, fmt.Errorf("grade: %w", context.Cause(ctx))
		case err != nil:
			return o, nil //nolint:nilerr // the answers can be compared without an opinion
		}
	}
	o.Opinions = &g
	return o, nil
}
