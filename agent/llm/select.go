package llm

import "context"

// Selector is a [Model] that stands for several: the request decides which are asked.
type Selector interface {
	Model
	// Select returns the models to ask in turn, at least one, each with its own retries, and
	// the request as they take it. It makes no call.
	Select(req Request) ([]Model, Request)
}

// Selecting returns the Selector that chooses by a function. name is that of the model that most
// requests are for. Generate asks the first of the models alone.
func Selecting(name string, choose func(Request) ([]Model, Request)) Selector {
	return &selecting{name, choose}
}

type selecting struct {
	name   string
	choose func(Request) ([]Model, Request)
}

func (s *selecting) Name() string { return s.name }

func (s *selecting) Select(req Request) ([]Model, Request) { return s.choose(req) }

func (s *selecting) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	models, req := s.choose(req)
	return models[0].Generate(ctx, req, onDelta)
}

// wrapped returns a Selector whose models are wrapped when they are chosen.
func wrapped(s Selector, wrap func(Model) Model) Selector {
	return Selecting(s.Name(), func(req Request) ([]Model, Request) {
		models, req := s.Select(req)
		out := make([]Model, len(models))
		for i, m := range models {
			out[i] = wrap(m)
		}
		return out, req
	})
}

// Task returns what a call is for; that of a repair is what is repaired.
func (r Request) Task() Purpose {
	if r.Purpose == ForRepair && r.Repairs != ForUndefined {
		return r.Repairs
	}
	return r.Purpose
}
