package chat

import (
	"context"
	"slices"

	"maru/agent/graph"
	"maru/memory"
)

// Amend implements agent.Amender. A deleted message leaves the window with what was
// answered to it, and the log behind it; an edited one is known by its new text. The
// summaries that either went into lose their words: what else they told is looked for in
// the thread's transcript, which has it as it reads now.
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
		if deleted && len(writes) > 0 { // it may be what the last turn was about
			writes = append(writes, a.ch.question.Set(""))
		}
		return writes
	})
}
