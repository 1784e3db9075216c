package llm

import "context"

type listenerKey struct{}

// Listen returns a context whose calls of models and embedders heard is told of,
// in the order in which they end; it returns at once. A listener only observes,
// like an httptrace.ClientTrace: which run a call belongs to is request-scoped,
// and an embedder is called deep within an index, a memory or a search for
// tools, which know nothing of runs. What a call may do is in its [Request].
func Listen(ctx context.Context, heard func(Call)) context.Context {
	return context.WithValue(ctx, listenerKey{}, heard)
}

// Listened reports whether anybody hears of the calls that are made with ctx.
func Listened(ctx context.Context) bool {
	_, ok := ctx.Value(listenerKey{}).(func(Call))
	return ok
}

// Report tells the context's listener of a call.
func Report(ctx context.Context, c Call) {
	if heard, ok := ctx.Value(listenerKey{}).(func(Call)); ok {
		heard(c)
	}
}
