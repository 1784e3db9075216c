package llm

import "context"

// Run is what the calls of one run have in common. The models are shared by all
// runs; a bound one belongs to one.
type Run struct {
	Account     *Account
	Model       string   // of requests that name none; "" for the model's own
	Temperature *float64 // of requests that set none; nil for the endpoint's own
}

// Bind returns m for the run: it completes every request. It belongs around
// [Retry] and [Fallback], which read the account.
func (r Run) Bind(m Model) Model { return bound{m, r} }

type bound struct {
	Model

	run Run
}

// Generate implements [Model].
func (b bound) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	if req.Account == nil {
		req.Account = b.run.Account
	}
	if req.Model == "" {
		req.Model = b.run.Model
	}
	if req.Temperature == nil {
		req.Temperature = b.run.Temperature
	}
	return b.Model.Generate(ctx, req, onDelta)
}
