package chat

import (
	"encoding/json"
	"slices"

	"maru/agent/llm"
	"maru/memory"
)

// toModel turns the thread's messages into a prompt's. A tool call without its
// results, left behind by a turn that was stopped, is left out: endpoints refuse
// it.
func toModel(messages []memory.Message) []llm.Message {
	answered := map[string]bool{}
	for _, m := range messages {
		if m.CallID != "" {
			answered[m.CallID] = true
		}
	}
	asked := map[string]bool{}
	out := make([]llm.Message, 0, len(messages))
	for _, m := range messages {
		if m.CallID != "" && !asked[m.CallID] || slices.ContainsFunc(m.Calls, func(c memory.Call) bool { return !answered[c.ID] }) {
			continue
		}
		for _, c := range m.Calls {
			asked[c.ID] = true
		}
		lm := llm.Message{Role: llm.Role(m.Role), Content: m.Text, ToolCallID: m.CallID}
		if lm.Role == llm.ToolRole {
			lm.Name = m.Name
		}
		for _, c := range m.Calls {
			lm.ToolCalls = append(lm.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)})
		}
		out = append(out, lm)
	}
	return out
}
