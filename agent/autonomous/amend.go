package autonomous

import (
	"slices"

	"maru/agent/graph"
	"maru/memory"
)

// amended returns the state changes for an edited or deleted message: its text in the window, the
// answer to a deleted message, and every summary made from it.
func (a *Agent) amended(s graph.State, message, text string, deleted bool) []graph.Write {
	var writes []graph.Write
	messages := a.st.Messages.Get(s)
	i := slices.IndexFunc(messages, func(m memory.Message) bool { return m.ID == message })
	switch {
	case i >= 0 && deleted:
		writes = append(writes, a.st.Messages.Remove(memory.WithAnswer(messages, i)...))
	case i >= 0:
		m := messages[i]
		m.Text = text
		writes = append(writes, a.st.Messages.Add(m))
	}
	if kept, unsaid := memory.Unsay(a.st.Summaries.Get(s), message); unsaid {
		writes = append(writes, a.st.Summaries.Set(kept))
	}
	if deleted && len(writes) > 0 { // the last turn may have answered it
		writes = append(writes, a.st.Input.Set(""))
	}
	return writes
}
