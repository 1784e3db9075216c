package openai

import (
	"fmt"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
	"maru/agent/llm/openai/toolcall"
)

// partial is a tool call on its way.
type partial struct {
	index int // as the server counts, -1 when it does not
	id    string
	name  string
	args  strings.Builder
	extra extra
}

func callOf(c toolcall.Call) *partial {
	p := &partial{index: -1, name: c.Name}
	p.args.WriteString(c.Args)
	return p
}

// addCall adds a piece of a tool call to the call it belongs to, see [assembly.find].
func (a *assembly) addCall(t sdk.ToolCall) error {
	p := a.find(t)
	if p == nil {
		if len(a.calls) == toolcall.Max {
			return &llm.Error{Class: llm.Garbage, Model: a.model, Detail: fmt.Sprintf("more than %d tool calls in one reply", toolcall.Max)}
		}
		p = &partial{index: -1}
		if t.Index != nil {
			p.index = *t.Index
		}
		a.calls = append(a.calls, p)
	}
	p.id = fallback(p.id, t.ID)
	if p.name == "" {
		p.name = t.Function.Name
	}
	p.args.WriteString(t.Function.Arguments)
	p.extra.add(string(t.Type))
	return nil
}

// find returns the call that a piece belongs to, nil for the first piece of another. By the API's documents the index tells; only
// the first piece has the id and the name. Servers deviate: some count everything as 0 or not at all, and the id tells; some give
// two calls one id, and the index tells, for a call begins with its name. A piece without id and name whose index no call has
// belongs to the last call: Bedrock behind some gateways counts the arguments otherwise than the name.
func (a *assembly) find(t sdk.ToolCall) *partial {
	if len(a.calls) == 0 {
		return nil
	}
	if p := a.withID(t); p != nil {
		return p
	}
	if t.Index != nil {
		for i := len(a.calls) - 1; i >= 0; i-- {
			p := a.calls[i]
			if p.index != *t.Index {
				continue
			}
			if t.ID != "" && p.id != "" && t.Function.Name != "" {
				return nil // same index, another id and a name: another call
			}
			return p
		}
	}
	if t.ID != "" || t.Function.Name != "" {
		return nil
	}
	return a.calls[len(a.calls)-1]
}

// withID returns the call with a piece's id, of several the one with its index, else the
// last. A piece with a name and another index is no part of any.
func (a *assembly) withID(t sdk.ToolCall) *partial {
	if t.ID == "" {
		return nil
	}
	var found *partial
	for _, p := range a.calls {
		switch {
		case p.id != t.ID:
		case t.Index == nil || p.index < 0 || p.index == *t.Index:
			found = p
			if t.Index != nil && p.index == *t.Index {
				return p
			}
		case t.Function.Name == "":
			found = p
		}
	}
	return found
}
