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
	var text strings.Builder
	text.WriteString(x.Phrase("chat.not_in_documents"))
	if near := a.ch.near.Get(s); len(near) > 0 {
		text.WriteString("\n\n" + x.Phrase("chat.nearest") + "\n")
		seen := map[string]bool{}
		for _, n := range near {
			place := n.Title
			if n.Heading != "" && n.Heading != n.Title {
				place += " › " + n.Heading
			}
			if !seen[place] {
				seen[place] = true
				text.WriteString("- " + place + "\n")
			}
		}
	}
	answer := strings.TrimSpace(text.String())
	x.Emit(agent.Event{Kind: agent.EventToken, Text: answer})
	return a.answered(x, answer, nil), nil
}
