package queue_test

import (
	"context"
	"sync"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/queue"
)

// ledger is what replicas share: the places that are taken.
type ledger struct {
	mu    sync.Mutex
	taken map[string]bool
	given int
}

func (l *ledger) Take(_ context.Context, _ string, c queue.Claim) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken[c.ID] = true
	return true, nil
}

func (l *ledger) Give(_ context.Context, _, id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.taken, id)
	l.given++
	return nil
}

// broken panics before or after a piece of a reply, or whoever reads the piece does.
type broken struct{ inside bool }

func (broken) Name() string { return "broken" }

func (b broken) Generate(_ context.Context, _ llm.Request, onDelta func(string)) (llm.Response, error) {
	if b.inside {
		panic("a fault of the model's client")
	}
	onDelta("a piece")
	return llm.Response{}, nil
}

func (broken) Embed(context.Context, llm.TextKind, []string) ([][]float32, error) {
	panic("a fault of the embedder")
}

// TestAPanicGivesThePlaceBack: who recovers a panic of a call finds the endpoint free, here and among all replicas.
func TestAPanicGivesThePlaceBack(t *testing.T) {
	t.Parallel()
	shared := &ledger{taken: map[string]bool{}}
	e := queue.New(queue.Config{URL: "http://m", Limit: 1, Shared: shared})
	for name, call := range map[string]func(){
		"model":    func() { _, _ = e.Model(broken{inside: true}).Generate(t.Context(), llm.Request{}, nil) },
		"reader":   func() { _, _ = e.Model(broken{}).Generate(t.Context(), llm.Request{}, func(string) { panic(1) }) },
		"question": func() { _, _ = e.Embedder(broken{}).Embed(t.Context(), llm.QuestionText, []string{"a"}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic is lost", name)
				}
			}()
			call()
		}()
		if len(shared.taken) > 0 || shared.given != 1 || e.State().InFlight > 0 {
			t.Errorf("%s: %d places are taken after %d were given back, %d here", name, len(shared.taken), shared.given, e.State().InFlight)
		}
		shared.given = 0
	}
}
