package autonomous

import (
	"context"
	"encoding/json"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// Output ports of the nodes that continue or stop.
const (
	goOn     = "continue"
	complete = "complete"
	stop     = "stop"
)

func (k kit) checkProgress() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "check_progress", Summary: "Goes on to the next todo, or on to the end when all are done.",
		Doc:   "A todo whose result signals `blocked` is marked failed, with the detail.",
		Ports: []string{goOn, complete}, Bounded: true,
		Reads:  []string{"todos", "current_todo_index", "completion_signal", "completion_detail", "is_complete", "last_output"},
		Writes: []string{"todos", "current_todo_index", "current_step"}, Config: json.RawMessage(`{"type":"object","maxProperties":0}`),
	}, k.progress, func(s graph.State, _ none) string {
		if k.st.IsComplete.Get(s) || k.st.CurrentTodoIndex.Get(s) >= len(k.st.Todos.Get(s)) {
			return complete
		}
		return goOn
	})
}

func (k kit) progress(_ context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	todos, i := k.st.Todos.Get(s), k.st.CurrentTodoIndex.Get(s)
	writes := k.step("check_progress", nil, k.st.CurrentTodoIndex.Set(i+1))
	if i < len(todos) {
		t := todos[i]
		if t.Status == node.TodoDone {
			t.Result = plain(k.st.LastOutput.Get(s)) // without the completion signal
		}
		if k.st.CompletionSignal.Get(s) == signalBlocked {
			t.Status, t.Result = node.TodoFailed, k.st.CompletionDetail.Get(s)
		}
		writes = append(writes, k.st.Todos.Add(t))
		shown := append([]node.Todo{}, todos...)
		shown[i] = t
		k.show(x, shown)
	}
	return writes, nil
}
