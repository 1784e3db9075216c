package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"maru/agent/llm"
	"maru/agent/llm/openai/rawjson"
	"maru/agent/llm/openai/schema"
	"maru/agent/llm/openai/toolcall"
)

// The values of one known tool are asked for by a schema, the tool's own, and not as a call: a
// server that decodes within a schema leaves a small model no room to write anything else, while
// few of them hold it to the arguments of a call.

// valuesOf returns a request for the values of the only tool that the model must call; false if it
// may do anything else, or the endpoint honours no schemas.
func valuesOf(req llm.Request, q quirks) (llm.Request, bool) {
	if len(req.Tools) != 1 || req.ToolChoice != req.Tools[0].Name || req.Schema != nil || q.Format > formatSchema && !q.NoTools {
		return req, false
	}
	t := req.Tools[0]
	if len(toolcall.Parameters(t.Parameters)) == 0 {
		return req, false
	}
	name := calledName(t.Name)
	wanted := &llm.Schema{Name: name, JSON: schema.Parameters(t.Parameters)}
	if s, err := llm.NewShape(name, wanted.JSON); err == nil {
		wanted.Strict = s.Schema().Strict
	}
	req.Schema, req.Tools, req.ToolChoice = wanted, nil, ""
	messages := told(req.Messages)
	words := fmt.Sprintf("Reply with the arguments of the tool %s as one JSON object and with nothing else. For a required value that nobody has told, write an empty text.", t.Name)
	if len(messages) > 0 && messages[0].Role == llm.System {
		messages[0].Content += "\n\n" + words
	} else {
		messages = append([]llm.Message{{Role: llm.System, Content: words}}, messages...)
	}
	req.Messages = messages
	return req, true
}

// Generate implements [llm.Model]. A reply in which there are no values is asked for again as a
// call: the endpoint took the schema and did not heed it.
func (m *Model) Generate(ctx context.Context, req llm.Request, onDelta func(string)) (llm.Response, error) {
	known := m.cfg.Refusals.get(m.cfg.origin(fallback(req.Model, m.cfg.Model)), m.cfg.Now())
	values, ok := valuesOf(req, known)
	if !ok {
		return m.generate(ctx, req, onDelta)
	}
	resp, err := m.generate(ctx, values, nil)
	switch {
	case llm.ClassOf(err) == llm.Garbage:
		return m.generate(ctx, req, onDelta)
	case err != nil || len(resp.Message.ToolCalls) > 0: // written as a call all the same
		return resp, err
	}
	p, ok := valuesIn(resp.Message.Content, req.Tools)
	if !ok {
		spent := resp.Usage
		resp, err = m.generate(ctx, req, onDelta)
		resp.Usage.Add(spent)
		return resp, err
	}
	resp.Message.Content, resp.Finish = "", "tool_calls"
	resp.Message.ToolCalls = []llm.ToolCall{{ID: makeID(req, "", 0, p), Name: p.name, Arguments: arguments(p.args.String())}}
	return resp, nil
}

// valuesIn returns the values that a reply has of the only tool; false if none of them is one that the
// tool takes.
func valuesIn(reply string, tools []llm.Tool) (*partial, bool) {
	value, ok := llm.FirstObject(reply)
	if !ok {
		return nil, false
	}
	p := callOf(toolcall.Settle(toolcall.Call{Name: tools[0].Name, Args: string(value)}, tools)[0])
	given := rawjson.Map(json.RawMessage(p.args.String()))
	return p, slices.ContainsFunc(toolcall.Parameters(tools[0].Parameters), func(n string) bool { return given[n] != nil })
}
