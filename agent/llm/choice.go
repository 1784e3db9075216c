package llm

import "context"

// Choice is which model of an endpoint a run wants, and how freely it replies. It
// travels in the context for the same reason as [Account]: the models are shared
// by all runs.
type Choice struct {
	Model       string   // "" for the model's own
	Temperature *float64 // of requests that ask for none themselves; nil for the endpoint's own
}

type choiceKey struct{}

// WithChoice returns a context whose calls of a [Chosen] model are made as c says.
func WithChoice(ctx context.Context, c Choice) context.Context {
	return context.WithValue(ctx, choiceKey{}, c)
}

// of fills in what a request leaves open.
func (c Choice) of(req Request) Request {
	if req.Model == "" {
		req.Model = c.Model
	}
	if req.Temperature == nil {
		req.Temperature = c.Temperature
	}
	return req
}

// choose is what the context's run has chosen, for a request.
func choose(ctx context.Context, req Request) Request {
	c, _ := ctx.Value(choiceKey{}).(Choice) //nolint:errcheck // without one, the zero value chooses nothing
	return c.of(req)
}

// Chosen lets runs choose among the models of m's endpoint; see [WithChoice].
func Chosen(m Model) Model { return chosen{m} }

type chosen struct{ Model }

// Generate implements [Model].
func (c chosen) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	return c.Model.Generate(ctx, choose(ctx, req), onDelta)
}
