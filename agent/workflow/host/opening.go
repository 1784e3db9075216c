package host

import (
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/workflow/node"
	"maru/memory"
)

// Question is what the person asked; files that come without words are a
// question too.
func Question(r agent.Request) string {
	if strings.TrimSpace(r.Text) != "" {
		return r.Text
	}
	heard := node.Heard(r)
	return heard[len(heard)-1].Text
}

// Said is the bot's answer to a turn as the conversation keeps it.
func Said(r agent.Request, text string) memory.Message {
	return memory.Message{ID: r.Run, Role: string(llm.Assistant), Text: text, At: r.Now.UTC()}
}

// Beyond returns the ids of the messages before the newest keep.
func Beyond(messages []memory.Message, keep int) []string {
	var old []string
	for _, m := range messages[:max(0, len(messages)-keep)] {
		old = append(old, m.ID)
	}
	return old
}

// Earlier are the messages before this turn's question.
func Earlier(r agent.Request, messages []memory.Message) []memory.Message {
	heard := node.Heard(r)
	id := heard[len(heard)-1].ID
	if i := slices.IndexFunc(messages, func(m memory.Message) bool { return m.ID == id }); i >= 0 {
		return messages[:i]
	}
	return messages
}
