package autonomous

import (
	"context"
	"encoding/json"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
)

func (k kit) executeTodo() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "execute_todo", Summary: "Carries out the current todo, with tools that only read.",
		Doc:   "The result stands in the todo and in `last_output`. A todo that the model cannot do is marked failed and the others go on; when the budget of model calls is used up, `completion_signal` is `error`.",
		Reads: []string{"input", "todos", "current_todo_index", "passages", "memory_refs"}, Writes: []string{"todos", "last_output", "error", "fallback", "current_step"},
		Config: json.RawMessage(answerSchema), Tools: usesTools,
	}, k.execute, nil)
}

func (k kit) execute(ctx context.Context, s graph.State, x *workflow.Exec, c answerConfig) ([]graph.Write, error) {
	todos := k.st.Todos.Get(s)
	i := k.st.CurrentTodoIndex.Get(s)
	if i < 0 || i >= len(todos) {
		return k.step("execute_todo", nil, k.st.LastOutput.Set("")), nil
	}
	t := todos[i]
	x.Doing("agent.step", i+1, len(todos), t.Title)
	text, err := k.prompt("todo", s, x, map[string]any{"Todo": t, "N": i + 1, "Of": len(todos)})
	if err != nil {
		return nil, err
	}
	passages := k.st.Passages.Get(s)
	reply, err := k.converse(ctx, x, conversation{
		purpose: llm.ForAnswer, passages: passages, tools: c.Tools == nil || *c.Tools,
		messages: system(text+node.ShowPassages(passages), llm.Message{Role: llm.User, Content: t.Title + "\n" + t.Detail}),
	})
	if err != nil && !spares(err) {
		return nil, err
	}
	t.Status, t.Result = node.TodoDone, reply.Text
	writes := []graph.Write{k.st.LastOutput.Set(reply.Text)}
	if err != nil {
		class := string(llm.ClassOf(err))
		t.Status, t.Result = node.TodoFailed, x.Phrase("autonomous.model_failed", host.Why(x, llm.ClassOf(err)))
		writes = []graph.Write{k.st.LastOutput.Set("[ERROR: " + class + "]"), k.st.Error.Set(t.ID + ": " + class)}
	}
	return k.step("execute_todo", reply.Switches, append(writes, k.st.Todos.Add(t))...), nil
}

// spares reports whether a reply that failed this way costs no more than its own
// part of a larger task: one that is empty or cannot be understood is no reason to
// lose what the others gave.
func spares(err error) bool { return workflow.Soft(err) || llm.ClassOf(err) == llm.Garbage }
