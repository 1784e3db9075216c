package chat

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/memory"
	"maru/phrase/intent"
	"maru/phrase/pattern"
)

// revealed returns the window for one prompt, in which results of this run that are pointers to messages of people
// also contain these messages. Only the pointers are stored, and later turns see only them.
func (a *Agent) revealed(ctx context.Context, x *workflow.Exec, messages []memory.Message) []memory.Message {
	out := slices.Clone(messages)
	for i, m := range messages {
		if !points(x, m) {
			continue
		}
		if c, ok := callFor(messages[:i], m.CallID); ok {
			out[i].Text = node.Reveal(ctx, x, m.Name, json.RawMessage(c.Arguments), m.Text)
		}
	}
	return out
}

// points reports whether a message is a result of this run that consists of pointers.
func points(x *workflow.Exec, m memory.Message) bool {
	return m.CallID != "" && x.Tools != nil && strings.HasPrefix(m.ID, x.Request.Run+"/") && x.Tools.Reveals(m.Name)
}

// callFor returns the newest call with an id, since endpoints may restart their numbering in every reply.
func callFor(messages []memory.Message, id string) (memory.Call, bool) {
	for _, m := range slices.Backward(messages) {
		for _, c := range m.Calls {
			if c.ID == id {
				return c, true
			}
		}
	}
	return memory.Call{}, false
}

// pointer matches a pointer in a result: a list item that is one link.
var pointer = pattern.New(`(?m)^- \[[^\n]*\]\((https?://[^)\s]+)\)$`)

// maxPointers limits the pointers below an answer.
const maxPointers = 5

// pointed appends pointers to the messages that an answer was made from, unless the answer links to one of them.
func (a *Agent) pointed(x *workflow.Exec, s graph.State, answer string) string {
	var lines []string
	for _, m := range a.ch.messages.Get(s) {
		if !points(x, m) {
			continue
		}
		for _, found := range pointer.FindAllStringSubmatch(m.Text, -1) {
			if strings.Contains(answer, found[1]) {
				return answer
			}
			lines = append(lines, found[0])
		}
	}
	if len(lines) == 0 {
		return answer
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	below := "\n\n" + x.Phrase("chat.messages") + "\n" + strings.Join(lines[:min(len(lines), maxPointers)], "\n")
	x.Emit(agent.Event{Kind: agent.EventToken, Text: below})
	return answer + below
}

// asksPeople reports whether the question is about messages of people and these can be searched here.
func (a *Agent) asksPeople(s graph.State) bool {
	x := workflow.ExecOf(s)
	if !intent.AsksWhoSaid(a.ch.question.Get(s)) || x.Tools == nil {
		return false
	}
	return slices.ContainsFunc(allowed(x), func(t llm.Tool) bool { return x.Tools.Reveals(t.Name) })
}
