package tool

import (
	"context"
	"time"

	"maru/agent"
)

// Revealer is implemented by tools whose findings may not be kept. Result.Text then only points at them: it is what
// the record, the window and the trace keep.
type Revealer interface {
	// Reveal returns kept with the contents that it points at, for one prompt of the run that made the call; after a
	// restart it fetches them again. It never fails: it names the pointers whose contents it can no longer show.
	Reveal(ctx context.Context, call Call, kept string) string
}

// revealTime bounds a Reveal.
const revealTime = 20 * time.Second

// Reveal returns what a model may read of a kept result; kept itself if the tool keeps its results whole.
func (r *Registry) Reveal(ctx context.Context, name string, call Call, kept string) string {
	e, ok := r.entry(name)
	if !ok || !e.spec.Policy.Allows(call.Scopes) {
		return kept
	}
	rev, ok := e.tool.(Revealer)
	if !ok {
		return kept
	}
	working, stop := agent.Working(ctx, call.Until)
	defer stop()
	bounded, cancel := context.WithTimeout(working, revealTime)
	defer cancel()
	return rev.Reveal(bounded, call, kept)
}

// Reveals reports whether the tool keeps pointers instead of its findings.
func (r *Registry) Reveals(name string) bool {
	e, ok := r.entry(name)
	if !ok {
		return false
	}
	_, ok = e.tool.(Revealer)
	return ok
}
