package chat

import (
	"context"
	"encoding/json"
	"slices"

	"maru/agent"
	"maru/agent/llm"
	"maru/memory"
)

// turn is what the nodes of one run share beside the state: the request it came
// with, which is the same after a crash, and where its events go.
type turn struct {
	req  agent.Request
	sink agent.Sink
}

type turnKey struct{}

func withTurn(ctx context.Context, t *turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// turnOf returns the run's turn. Nodes only run below withTurn.
func turnOf(ctx context.Context) *turn {
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok {
		panic("chat: a node ran outside a turn")
	}
	return t
}

func (t *turn) emit(e agent.Event) {
	e.Run = t.req.Run
	if t.sink != nil {
		t.sink(e)
	}
}

// status tells people what is going on.
func (t *turn) status(ko, en string) {
	t.emit(agent.Event{Kind: agent.EventStatus, Text: t.say(ko, en)})
}

// say chooses the person's language.
func (t *turn) say(ko, en string) string {
	if t.req.Language == "ko" {
		return ko
	}
	return en
}

// account reports what the run's model calls do to its events.
func (t *turn) account(budget llm.Budget) *llm.Account {
	return &llm.Account{
		Budget: budget,
		OnCall: func(c llm.Call) {
			e := agent.Event{
				Kind: agent.EventModelCall, Name: string(c.Purpose), Took: c.Took, Text: c.Model,
				Usage: &agent.Usage{Model: c.Model, Calls: 1, Input: c.Usage.Input, Output: c.Usage.Output, Cached: c.Usage.Cached},
			}
			if c.Err != nil {
				e.Err = string(llm.ClassOf(c.Err))
			}
			t.emit(e)
		},
		OnReset: func(error) { t.emit(agent.Event{Kind: agent.EventReset}) },
	}
}

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
