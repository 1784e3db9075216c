package autonomous

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

type planned struct {
	Todos []struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
	} `json:"todos"`
}

var todosShape = llm.MustShape("todos", `{
  "type": "object",
  "properties": {
    "todos": {"type": "array", "minItems": 1, "maxItems": 20, "items": {
      "type": "object",
      "properties": {
        "title": {"type": "string", "minLength": 1, "description": "a few words, in the person's language"},
        "detail": {"type": "string", "description": "what to do and what the result must hold"}
      },
      "required": ["title", "detail"],
      "additionalProperties": false
    }}
  },
  "required": ["todos"],
  "additionalProperties": false
}`)

type todosConfig struct {
	MaxTodos int `json:"max_todos"`
}

func (k kit) createTodos() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "create_todos", Summary: "Breaks the task into a bounded list of todos.",
		Doc:   "If the model cannot, the whole task is the only todo.",
		Reads: []string{"input", "messages", "memory_refs", "passages"}, Writes: []string{"todos", "current_todo_index", "fallback", "current_step"},
		Config: json.RawMessage(`{"type":"object","properties":{"max_todos": {"type":"integer","minimum":1,"maximum":20,"description":"default 8"}},"additionalProperties":false}`),
	}, k.plan, nil)
}

func (k kit) plan(ctx context.Context, s graph.State, x *workflow.Exec, c todosConfig) ([]graph.Write, error) {
	c.MaxTodos = cmp.Or(c.MaxTodos, 8)
	x.Doing("autonomous.planning")
	text, err := k.prompt("todos", s, x, map[string]any{"Max": c.MaxTodos})
	if err != nil {
		return nil, err
	}
	req := llm.Request{Purpose: llm.ForPlan, Messages: system(text+node.ShowPassages(k.st.Passages.Get(s)), k.talk(s)...)}
	got, err := workflow.Fill[planned](ctx, x, "model", req, todosShape)
	if err != nil {
		return nil, err
	}
	var todos []node.Todo
	for i, t := range got.Value.Todos {
		if i < c.MaxTodos {
			todos = append(todos, node.Todo{ID: fmt.Sprintf("t%d", i+1), Title: strings.TrimSpace(t.Title), Detail: t.Detail, Status: node.TodoOpen})
		}
	}
	if len(todos) == 0 {
		todos = []node.Todo{{ID: "t1", Title: x.Phrase("autonomous.the_task"), Detail: k.st.Input.Get(s), Status: node.TodoOpen}}
	}
	k.show(x, todos)
	return k.step("create_todos", got.Switches, k.st.Todos.Set(todos), k.st.CurrentTodoIndex.Set(0)), nil
}

// show emits the state of the todos.
func (k kit) show(x *workflow.Exec, todos []node.Todo) {
	if raw, err := json.Marshal(todos); err == nil {
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "todos", Data: raw})
	}
}
