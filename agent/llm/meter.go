package llm

import (
	"context"
	"time"
)

// Metered wraps the model that really answers: it refuses calls beyond the
// run's [Budget], charges its [Account], and reports every call: see [Listen]. It belongs
// directly around the endpoint, inside [Retry] and [Fallback], so that each
// attempt is counted.
func Metered(m Model, now func() time.Time) Model { return &metered{m, now} }

type metered struct {
	model Model
	now   func() time.Time
}

func (m *metered) Name() string { return m.model.Name() }

func (m *metered) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	acct := req.account()
	if err := acct.reserve(); err != nil {
		return Response{}, err
	}
	start := m.now()
	var first time.Duration
	give := onDelta
	if onDelta != nil {
		give = func(s string) {
			if first == 0 {
				first = max(m.now().Sub(start), 1)
			}
			onDelta(s)
		}
	}
	resp, err := m.model.Generate(ctx, req, give)
	name := resp.Model
	if name == "" {
		name = m.Name()
	}
	acct.Charge(0, resp.Usage)
	Report(ctx, Call{
		Purpose: req.Purpose, Model: name, Endpoint: endpointOf(m.model), Usage: resp.Usage,
		Took: m.now().Sub(start), First: first, Cut: err == nil && resp.Finish == "length", Err: err, Request: &req, Response: &resp,
	})
	return resp, err
}

// endpointOf returns the host that a model is asked at, "" for one within the program.
func endpointOf(m Model) string {
	if at, ok := m.(interface{ Endpoint() string }); ok {
		return at.Endpoint()
	}
	return ""
}
