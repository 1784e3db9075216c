package host

import (
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow/node"
	"maru/memory"
)

// Question returns what the person asked; files that come without words are a
// question too.
func Question(r agent.Request) string {
	if strings.TrimSpace(r.Text) != "" {
		return r.Text
	}
	heard := node.Heard(r)
	return heard[len(heard)-1].Text
}

// Said adds the bot's answer of a turn to the conversation and drops the messages before its newest ones.
func Said(r agent.Request, s graph.State, messages graph.List[memory.Message], text string, newest int) []graph.Write {
	answer := memory.Message{ID: r.Run, Role: string(llm.Assistant), Text: text, At: r.Now.UTC(), Outsiders: true}
	writes := []graph.Write{messages.Add(answer)}
	if before := beyond(append(messages.Get(s), answer), newest); len(before) > 0 {
		writes = append(writes, messages.Remove(before...))
	}
	return writes
}

// beyond returns the ids of the messages before the newest.
func beyond(messages []memory.Message, newest int) []string {
	var old []string
	for _, m := range messages[:max(0, len(messages)-newest)] {
		old = append(old, m.ID)
	}
	return old
}

// Earlier returns the messages before this turn's question.
func Earlier(r agent.Request, messages []memory.Message) []memory.Message {
	heard := node.Heard(r)
	id := heard[len(heard)-1].ID
	if i := slices.IndexFunc(messages, func(m memory.Message) bool { return m.ID == id }); i >= 0 {
		return messages[:i]
	}
	return messages
}
