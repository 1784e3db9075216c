package autonomous

import (
	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
)

// forward turns the engine's events into the run's.
func forward(x *workflow.Exec, e graph.Event) {
	name := e.Node
	if e.NS != "" { // of a sub-workflow
		name = e.Graph + "/" + e.Node
	}
	switch e.Kind {
	case graph.EventNodeStart:
		x.Emit(agent.Event{Kind: agent.EventNodeStart, Node: name, At: e.At})
	case graph.EventNodeEnd:
		out := agent.Event{Kind: agent.EventNodeEnd, Node: name, At: e.At, Took: e.Took}
		if e.Err != nil {
			out.Err = "failed"
		}
		x.Emit(out)
	case graph.EventInterrupt:
		if e.NS == "" && e.Interrupt != nil { // those of sub-workflows are asked again above
			one := interrupts([]graph.Interrupt{*e.Interrupt})[0]
			x.Emit(agent.Event{Kind: agent.EventInterrupt, Node: name, At: e.At, Interrupt: &one})
		}
	case graph.EventRetry:
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "retry", Node: name, At: e.At})
	}
}

// account reports what the run's model calls do to its events.
func account(x *workflow.Exec, budget llm.Budget) *llm.Account {
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
			x.Emit(e)
		},
		OnReset: func(error) { x.Emit(agent.Event{Kind: agent.EventReset}) },
	}
}

// soft reports whether the run can do without a reply that failed this way: the
// model is there, but this question did not work.
func soft(err error) bool {
	switch llm.ClassOf(err) {
	case llm.Invalid, llm.Refused, llm.Length, llm.ContentFilter, llm.OverBudget:
		return true
	default:
		return false
	}
}
