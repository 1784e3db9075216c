package node

import (
	"context"
	"encoding/json"
	"slices"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/memory"
)

// Values of a node's member "approval".
const (
	approvalAlways = "always"
	approvalNever  = "never"
)

// reading returns what a turn of a team's workflow has read. What the workflow's author wrote may go
// out as what the person said. Earlier answers and summaries may stem from anything.
func reading(s graph.State, x *workflow.Exec, written any) flow.Context {
	messages := stateValue[[]memory.Message](s, "messages")
	passages := stateValue[[]agent.Source](s, "passages")
	r := x.Request
	elsewhere := readElsewhere(s)
	theirs := r.User.Stranger || r.Outsiders || len(r.Quoted)+len(r.Pictures)+len(heardOutside(s))+len(elsewhere) > 0 || earlier(s) ||
		slices.ContainsFunc(passages, agent.Source.Outsiders)
	from := OriginsOf(x, messages)
	from.Outside(heardOutside(s))
	from.Documents(passages)
	for _, title := range elsewhere {
		from.add("agent.origin.document", title)
	}
	raw, _ := json.Marshal(written) // it was decoded from JSON
	return flow.Context{Label: flow.Label{Outsiders: theirs}, Said: []string{r.Text, string(raw)}, From: from.List()}
}

// earlier reports whether a state holds messages or memory that may stem from outsiders.
func earlier(s graph.State) bool {
	return len(stateValue[[]memory.Summary](s, "summaries"))+len(stateValue[[]workflow.MemoryRef](s, "memory_refs")) > 0 ||
		slices.ContainsFunc(stateValue[[]memory.Message](s, "messages"), func(m memory.Message) bool { return m.Outsiders || m.Role != string(llm.User) })
}

// stateValue returns the value of a channel, the zero value in a state without it.
func stateValue[T any](s graph.State, channel string) T {
	v, _ := s.Value(channel)
	t, _ := v.(T)
	return t
}

// allowedCall asks a person about a call, showing the call and the reason for asking. key names the question within
// the node's visit.
func allowedCall(ctx context.Context, key string, a agent.Ask) (bool, error) {
	payload, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	answer, err := graph.Ask(ctx, graph.Question{Key: key, Kind: "step", Payload: payload, Schema: json.RawMessage(approvalSchema)})
	if err != nil {
		return false, err
	}
	return verdict(answer).Approved, nil
}
