package autonomous

import (
	"slices"

	"maru/agent/graph"
	"maru/memory"
)

// amended returns what a change of a message does to the thread: its text in the
// window, what was answered to a deleted one, and every summary that it went
// into.
func (a *Agent) amended(s graph.State, message, text string, deleted bool) []graph.Write {
	messages := a.st.Messages.Get(s)
	i := slices.IndexFunc(messages, func(m memory.Message) bool { return m.ID == message })
	if i >= 0 && !deleted {
		m := messages[i]
		m.Text = text
		return []graph.Write{a.st.Messages.Add(m)}
	}
	var writes []graph.Write
	if i >= 0 {
		writes = append(writes, a.st.Messages.Remove(memory.WithAnswer(messages, i)...))
	}
	summaries := a.st.Summaries.Get(s)
	kept := slices.DeleteFunc(slices.Clone(summaries), func(m memory.Summary) bool { return slices.Contains(m.Of, message) })
	if deleted && len(kept) < len(summaries) {
		writes = append(writes, a.st.Summaries.Set(kept))
	}
	if len(writes) > 0 { // the last turn may have been about it
		writes = append(writes, a.st.Input.Set(""))
	}
	return writes
}
