package chat

import (
	"encoding/json"

	"maru/agent/llm"
	"maru/memory"
)

// toModel converts the thread's messages to a prompt. Endpoints reject tool calls without results and results
// without calls, so pairs separated by a stopped turn or the edge of the window are dropped. A result belongs to
// the calls directly before it: many endpoints restart their numbering in every reply, so an id may recur in a
// thread.
func toModel(messages []memory.Message) []llm.Message {
	out := make([]llm.Message, 0, len(messages))
	for len(messages) > 0 {
		m, results := messages[0], resultsAfter(messages)
		messages = messages[1+len(results):]
		switch {
		case m.CallID != "": // a result without a call
		case len(m.Calls) == 0:
			out = append(out, modelMessage(m))
		case answered(m.Calls, results):
			out = append(out, modelMessage(m))
			for _, r := range results {
				out = append(out, modelMessage(r))
			}
		}
	}
	return out
}

// resultsAfter returns the tool results that directly follow the first message.
func resultsAfter(messages []memory.Message) []memory.Message {
	n := 1
	for n < len(messages) && messages[n].CallID != "" {
		n++
	}
	return messages[1:n]
}

// answered reports whether results belong to exactly these calls.
func answered(calls []memory.Call, results []memory.Message) bool {
	if len(calls) != len(results) {
		return false
	}
	open := map[string]bool{}
	for _, c := range calls {
		open[c.ID] = true
	}
	for _, r := range results {
		if !open[r.CallID] {
			return false
		}
		delete(open, r.CallID)
	}
	return true
}

func modelMessage(m memory.Message) llm.Message {
	out := llm.Message{Role: llm.Role(m.Role), Content: m.Text, ToolCallID: m.CallID, Origin: m.Origin, Extra: json.RawMessage(m.Extra)}
	switch out.Role {
	case llm.User:
		out.Author, out.Day = m.Author, m.Day()
	case llm.ToolRole:
		out.Name, out.Content = m.Name, shown(m)
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments), Extra: json.RawMessage(c.Extra)})
	}
	return out
}
