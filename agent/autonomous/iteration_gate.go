package autonomous

import (
	"cmp"
	"context"
	"encoding/json"

	"maru/agent/graph"
	"maru/agent/workflow"
)

type gateConfig struct {
	Max int `json:"max"`
}

func (k kit) iterationGate() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "iteration_gate", Summary: "Counts the rounds of a loop and stops it at its bound.",
		Doc:   "All gates of a turn count together in `iteration`. The bound is `max`, or the state's `max_iterations`. A turn whose `is_complete` is set stops at once.",
		Ports: []string{goOn, stop}, Bounded: true, Reads: []string{"iteration", "max_iterations", "is_complete"},
		Writes: []string{"iteration", "completion_detail", "current_step"},
		Config: json.RawMessage(`{"type":"object","properties":{"max": {"type":"integer","minimum":1,"maximum":1000}},"additionalProperties":false}`),
	}, k.gate, func(s graph.State, c gateConfig) string {
		if k.st.IsComplete.Get(s) || k.st.Iteration.Get(s) > k.bound(s, c) {
			return stop
		}
		return goOn
	})
}

func (k kit) bound(s graph.State, c gateConfig) int {
	bound := c.Max
	if m := k.st.MaxIterations.Get(s); bound == 0 || (m > 0 && m < bound) {
		bound = m
	}
	bound = cmp.Or(max(bound, 0), 50)
	return bound
}

func (k kit) gate(_ context.Context, s graph.State, _ *workflow.Exec, c gateConfig) ([]graph.Write, error) {
	n := k.st.Iteration.Get(s) + 1
	writes := k.step("iteration_gate", nil, k.st.Iteration.Set(n))
	if n > k.bound(s, c) {
		writes = append(writes, k.st.CompletionDetail.Set("the bound of iterations is reached"))
	}
	return writes, nil
}
