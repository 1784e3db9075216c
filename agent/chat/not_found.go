package chat

import (
	"context"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
)

// notFound says honestly that the documents do not answer, and which passages
// come nearest. It is no model's decision, so that no model can invent.
func (a *Agent) notFound(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(ctx)
	answer := strings.TrimSpace(x.Phrase("chat.not_in_documents") + "\n\n" + x.Nearest(a.ch.near.Get(s)))
	x.Emit(agent.Event{Kind: agent.EventToken, Text: answer})
	return a.answered(x, answer, nil), nil
}
