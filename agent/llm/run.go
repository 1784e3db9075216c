package llm

import "context"

// Run is what the calls of one run have in common. The models are shared by all
// runs; a bound one belongs to one.
type Run struct {
	Account     *Account
	Model       string    // of requests that name none; "" for the model's own
	Temperature *float64  // of requests that set none; nil for the endpoint's own
	Pictures    []Picture // that came with the run's question: the model sees them with it
	Unseen      func()    // called after a reply whose model did not see them; nil: nobody is told
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
	if len(b.run.Pictures) > 0 && req.Purpose.looks() {
		req.Messages = shown(req.Messages, b.run.Pictures)
	}
	resp, err := b.Model.Generate(ctx, req, onDelta)
	if err == nil && !resp.Saw && b.run.Unseen != nil && req.Purpose == ForAnswer && HasPictures(req.Messages) {
		b.run.Unseen()
	}
	return resp, err
}
