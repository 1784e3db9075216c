package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
)

// maxRepairs is how often the model may correct the values of a call that do not
// fit the tool, before people see it.
const maxRepairs = 2

// prepareCall fills in the call of the present step where people are shown it, or
// where it is known already. In the light mode the model chooses while it runs.
func (k kit) prepareCall(ctx context.Context, s graph.State, x *workflow.Exec, pre *prepared, past map[string]served) ([]graph.Write, error) {
	st, _ := k.stepAt(s)
	if len(st.Arguments) > 0 && k.fits(x, st.Tool, st.Arguments) {
		pre.Tool, pre.Arguments = st.Tool, st.Arguments
		k.ready(x, pre)
		return nil, nil
	}
	name := st.Tool
	if name == "" && len(pre.Tools) > 0 && x.Request.Approvals.Step {
		name = pre.Tools[0]
	}
	spec, ok := k.spec(x, name)
	if !ok || !(x.Request.Approvals.Step || askingFor(x, spec.Name) && k.uncovered(s, x, st, spec)) {
		return nil, nil
	}
	best := past[name]
	text, err := k.prompt("arguments", s, x, k.before(ctx, s, x, map[string]any{
		"Step": st, "Tool": spec, "Progress": k.progress(s, x), "Best": string(best.Best),
		"Schema": readable(spec.Parameters), "Tools": []tool.Spec{spec},
	}))
	if err != nil {
		return nil, err
	}
	req := llm.Request{
		Purpose: llm.ForExtract, Messages: system(text, user(st.Text+"\n"+st.Detail)), Tools: offered(x, []tool.Spec{spec}), ToolChoice: name,
	}
	if st.Tool == "" {
		req.ToolChoice = "auto" // the step may need no tool at all
	}
	arguments, cost, err := k.writeCall(ctx, x, "arguments", req, name)
	if err != nil && !k.goesOn(ctx, s, err) {
		return nil, err
	}
	switch {
	case arguments != nil:
		pre.Tool, pre.Arguments = name, arguments
	case st.Tool == "":
		return cost, nil
	case k.fits(x, name, best.Best):
		pre.Tool, pre.Arguments = name, best.Best
	default:
		pre.Tool, pre.Arguments = name, json.RawMessage("{}")
	}
	if best.Avoid {
		pre.Notes = append(pre.Notes, x.Phrase("orchestrator.tool_failed_before"))
	}
	k.ready(x, pre)
	return cost, nil
}

// writeCall asks the model for the arguments of a tool and, a bounded number of
// times, to correct those that do not fit its schema. nil are those of a model
// that calls nothing.
func (k kit) writeCall(ctx context.Context, x *workflow.Exec, name string, req llm.Request, toolName string) (json.RawMessage, []graph.Write, error) {
	var used llm.Usage
	var last json.RawMessage
	for try := 0; ; try++ {
		visit := name
		if try > 0 {
			visit = fmt.Sprintf("%s/%d", name, try)
		}
		reply, err := host.Talk(ctx, x, visit, req, false)
		if err != nil {
			return last, k.cost(used, try+1), err
		}
		used.Add(reply.Usage)
		i := slices.IndexFunc(reply.Calls, func(c llm.ToolCall) bool { return c.Name == toolName })
		if i < 0 { // what it wrote before is better than nothing
			return last, k.cost(used, try+1), nil
		}
		last = reply.Calls[i].Arguments
		wrong := k.misfit(x, toolName, last)
		if wrong == nil || try == maxRepairs || onlyMissing(wrong) {
			return last, k.cost(used, try+1), nil
		}
		req.Messages = append(slices.Clone(req.Messages), llm.Message{Role: llm.Assistant, Content: reply.Text, ToolCalls: reply.Calls[i : i+1]},
			llm.Message{Role: llm.ToolRole, Name: toolName, ToolCallID: reply.Calls[i].ID, Content: tool.Observe(tool.Result{}, wrong)})
	}
}

// misfit is what the tool would refuse of its arguments, nil if they can run. A
// tool that is gone is told of when the step runs.
func (k kit) misfit(x *workflow.Exec, name string, arguments json.RawMessage) *tool.Error {
	if x.Tools == nil {
		return nil
	}
	_, err := x.Tools.Check(name, x.Request.Scopes, arguments)
	var wrong *tool.Error
	if errors.As(err, &wrong) && wrong.Code == "bad_argument" {
		return wrong
	}
	return nil
}

// fits reports whether there are arguments and the tool would take them.
func (k kit) fits(x *workflow.Exec, name string, arguments json.RawMessage) bool {
	return len(arguments) > 0 && k.misfit(x, name, arguments) == nil
}

// onlyMissing reports whether nothing is wrong but values that the model does not
// know: people are asked for them, the model would make them up.
func onlyMissing(e *tool.Error) bool {
	return len(e.Faults) > 0 && !slices.ContainsFunc(e.Faults, func(f tool.Fault) bool { return !f.Missing })
}

// ready leaves the values out that the tool would refuse, so that what is shown
// is what can run, and notes which required fields have no value.
func (k kit) ready(x *workflow.Exec, pre *prepared) {
	spec, ok := k.spec(x, pre.Tool)
	if !ok {
		return // said when it runs
	}
	pre.Unfit = ""
	if dropped := k.dropUnfit(x, pre); len(dropped) > 0 {
		pre.Notes = append(pre.Notes, x.Phrase("orchestrator.values_dropped", list(dropped)))
	}
	var given map[string]any
	if json.Unmarshal(pre.Arguments, &given) != nil {
		given = nil
	}
	pre.Missing, pre.Total = nil, 0
	for _, f := range fieldsOf(spec.Parameters) {
		if !f.Required {
			continue
		}
		pre.Total++
		if v, ok := given[f.Name]; !ok || v == nil || v == "" {
			pre.Missing = append(pre.Missing, f.Name)
		}
	}
	if wrong := k.misfit(x, pre.Tool, pre.Arguments); wrong != nil {
		pre.Unfit = tool.Sentence(wrong, x.Request.Language)
	}
}

// dropUnfit takes out of a call what does not fit, and returns the names. What
// is no object at all becomes an empty one.
func (k kit) dropUnfit(x *workflow.Exec, pre *prepared) []string {
	wrong := k.misfit(x, pre.Tool, pre.Arguments)
	if wrong == nil {
		return nil
	}
	given := map[string]json.RawMessage{}
	if json.Unmarshal(pre.Arguments, &given) != nil || given == nil {
		pre.Arguments = json.RawMessage("{}")
		return nil
	}
	before := slices.Sorted(maps.Keys(given))
	for _, f := range wrong.Faults {
		switch {
		case f.Field == "" && !f.Missing: // the values do not go together: nobody knows which is wrong
			clear(given)
		case !f.Missing:
			delete(given, f.Field)
		}
	}
	raw, err := json.Marshal(given)
	if err != nil { // of values that were JSON: never
		raw = json.RawMessage("{}")
	}
	pre.Arguments = raw
	return slices.DeleteFunc(before, func(name string) bool { _, kept := given[name]; return kept })
}

// runnable reports whether the call could be made as it is: only then can it be
// approved.
func (p prepared) runnable() bool { return len(p.Missing) == 0 && p.Unfit == "" }

// readiness is the share of required fields that have a value.
func (p prepared) readiness() float64 {
	if p.Total == 0 {
		return 1
	}
	return float64(p.Total-len(p.Missing)) / float64(p.Total)
}
