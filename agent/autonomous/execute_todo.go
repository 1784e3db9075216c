package autonomous

import (
	"context"
	"encoding/json"
	"slices"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
)

func (k kit) executeTodo() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "execute_todo", Summary: "Carries out the current todo, with tools that only read.",
		Doc:   "The result stands in the todo and in `last_output`. A todo that the model cannot do is marked failed and the others go on; when the budget of model calls is used up, `completion_signal` is `error`. A model that is not to be had any more leaves the other todos open, and what was done is told.",
		Reads: []string{"input", "todos", "current_todo_index", "completion_signal", "completion_detail", "passages", "memory_refs"}, Writes: []string{"todos", "last_output", "error", "fallback", "current_step"},
		Config: json.RawMessage(answerSchema), Tools: usesTools,
	}, k.execute, nil)
}

func (k kit) execute(ctx context.Context, s graph.State, x *workflow.Exec, c answerConfig) ([]graph.Write, error) {
	todos := k.st.Todos.Get(s)
	i := k.st.CurrentTodoIndex.Get(s)
	if i < 0 || i >= len(todos) {
		return k.step("execute_todo", nil, k.st.LastOutput.Set("")), nil
	}
	if i > 0 && todos[i-1].Status != node.TodoDone && k.away(s) {
		return k.step("execute_todo", nil, k.st.LastOutput.Set(failed(llm.Class(k.st.CompletionDetail.Get(s))))), nil
	}
	t := todos[i]
	x.Doing("agent.step", i+1, len(todos), t.Title)
	text, err := k.prompt("todo", s, x, map[string]any{"Todo": t, "N": i + 1, "Of": len(todos)})
	if err != nil {
		return nil, err
	}
	passages := k.st.Passages.Get(s)
	reply, err := k.converse(ctx, x, conversation{
		read: k.read(s, x), purpose: llm.ForAnswer, passages: passages, tools: c.Tools == nil || *c.Tools,
		messages: system(text+node.ShowPassages(passages), llm.Message{Role: llm.User, Content: t.Title + "\n" + t.Detail}),
	})
	if err != nil && !spares(err) && !(workflow.Silent(ctx, err) && someDone(todos)) {
		return nil, err
	}
	t.Status, t.Result = node.TodoDone, reply.Text
	writes := []graph.Write{k.st.LastOutput.Set(reply.Text)}
	switch {
	case err == nil && reply.Text == "": // an empty result does not complete a todo
		t.Status, t.Result = node.TodoFailed, wordless(x, reply)
	case err != nil:
		x.Without(ctx, llm.ForAnswer, err)
		class := llm.ClassOf(err)
		t.Status, t.Result = node.TodoFailed, x.Phrase("autonomous.model_failed", host.Why(x, class))
		writes = []graph.Write{k.st.LastOutput.Set(failed(class)), k.st.Error.Set(t.ID + ": " + string(class))}
	}
	return k.step("execute_todo", reply.Switches, append(writes, k.st.Todos.Add(t))...), nil
}

// spares reports whether a model failure is limited to its part of a larger task. An empty or
// unreadable reply does not discard the results of the other parts.
func spares(err error) bool { return workflow.Soft(err) || llm.ClassOf(err) == llm.Garbage }

// failed returns the output of a todo whose model call failed; the signal contains the error class.
func failed(class llm.Class) string { return "[ERROR: " + string(class) + "]" }

// away reports whether the last todo failed because the model is unavailable. The remaining todos
// would fail the same way.
func (k kit) away(s graph.State) bool {
	if k.st.CompletionSignal.Get(s) != signalError {
		return false
	}
	switch llm.Class(k.st.CompletionDetail.Get(s)) {
	case llm.RateLimited, llm.Overloaded, llm.Busy, llm.Timeout, llm.Network, llm.Auth, llm.Quota, llm.NotFound, llm.WebPage:
		return true
	}
	return false
}

// someDone reports whether a todo has a result that failing the run would lose.
func someDone(todos []node.Todo) bool {
	return slices.ContainsFunc(todos, func(t node.Todo) bool { return t.Status == node.TodoDone })
}
