package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/agent/workflow/host"
)

// writeCall asks the model for the arguments of a tool and, a bounded number of times,
// for corrections of those that do not fit its schema. It returns nil if the model
// calls nothing.
func (g stage) writeCall(ctx context.Context, x *workflow.Exec, name string, req llm.Request, toolName string) (json.RawMessage, []graph.Write, error) {
	var used llm.Usage
	var last json.RawMessage
	for try := 0; ; try++ {
		visit := name
		if try > 0 {
			visit = fmt.Sprintf("%s/%d", name, try)
		}
		reply, err := host.Talk(ctx, x, visit, req, false)
		if err != nil {
			return last, g.cost(used, try+1), err
		}
		used.Add(reply.Usage)
		i := slices.IndexFunc(reply.Calls, func(c llm.ToolCall) bool { return c.Name == toolName })
		if i < 0 { // an earlier attempt is better than nothing
			return last, g.cost(used, try+1), nil
		}
		last = reply.Calls[i].Arguments
		wrong := consent.Call{Tool: toolName, Arguments: last}.Faults(x)
		if wrong == nil || try == maxRepairs || onlyMissing(wrong) {
			return last, g.cost(used, try+1), nil
		}
		called := reply.Message()
		called.ToolCalls = reply.Calls[i : i+1]
		req.Messages = append(slices.Clone(req.Messages), called,
			llm.Message{Role: llm.ToolRole, Name: toolName, ToolCallID: reply.Calls[i].ID, Content: tool.Observe(tool.Result{}, wrong)})
	}
}
