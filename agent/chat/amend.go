package chat

import (
	"context"

	"maru/agent/graph"
)

// Amend implements agent.Amender.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	return a.Host.Amend(ctx, thread, message, text, deleted, func(graph.State) []graph.Write {
		if !deleted {
			return nil
		}
		return []graph.Write{a.ch.question.Set("")} // the last turn may have answered it
	})
}
