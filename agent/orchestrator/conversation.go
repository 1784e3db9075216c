package orchestrator

import (
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow/node"
	"maru/memory"
)

// recent is the number of messages in a prompt.
const recent = 10

// talk returns the conversation up to this turn's message.
func (c channels) talk(s graph.State) []llm.Message { return node.Talk(c.shown(s)) }

// shown returns the recent messages for a prompt. A message that began a task is
// marked, so that models can tell tasks apart.
func (c channels) shown(s graph.State) []memory.Message {
	var list []memory.Message
	for _, m := range c.messages.Get(s) {
		if mark, ok := strings.CutPrefix(m.Text, taskMark); ok && m.Role == string(llm.System) {
			if n := len(list); n > 0 {
				list[n-1].Text += "\n[new task: " + mark + "]"
			}
			continue
		}
		list = append(list, m)
	}
	return list[max(0, len(list)-recent):]
}

// taskMark begins the mark of a new task in the history; its title follows.
const taskMark = "new task: "
