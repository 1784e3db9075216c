package chat

import (
	"context"
	"slices"

	"maru/agent/graph"
	"maru/memory"
)

// Amend implements agent.Amender. It removes a deleted message and its answer from the window and the log, and
// updates the text of an edited one. Summaries made from either lose their text; recall finds the rest of their
// content in the thread's transcript.
func (a *Agent) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	return a.Rewrite(ctx, thread, deleted, func(s graph.State) []graph.Write {
		var writes []graph.Write
		messages := a.ch.messages.Get(s)
		i := slices.IndexFunc(messages, func(m memory.Message) bool { return m.ID == message })
		switch {
		case i >= 0 && deleted:
			writes = append(writes, a.ch.messages.Remove(memory.WithAnswer(messages, i)...))
		case i >= 0:
			m := messages[i]
			m.Text = text
			writes = append(writes, a.ch.messages.Add(m))
		}
		if kept, unsaid := memory.Unsay(a.ch.summaries.Get(s), message); unsaid {
			writes = append(writes, a.ch.summaries.Set(kept))
		}
		if deleted && len(writes) > 0 { // the last turn may have answered it
			writes = append(writes, a.ch.question.Set(""))
		}
		return writes
	})
}
