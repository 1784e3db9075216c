package node

import (
	"context"
	"encoding/json"

	"maru/agent/graph"
	"maru/agent/workflow"
)

func subWorkflow() workflow.Type {
	return workflow.Type{
		Name: workflow.TypeSub, Mappable: true, Summary: "Runs another workflow with a state of its own and takes its result.",
		Doc:    "The other workflow is a definition in the same folder, not one of the built-in agents. Its state begins with the input alone; its questions are asked as if this node asked them. The result is its `final_answer`, else `answer`, else `last_output`, or what `result` names.",
		Writes: []string{"last_output", "results", outside, words},
		Config: schemaOf(`
			"workflow": {"type": "string", "description": "id of the other definition"},
			"input": {"type": "string", "description": "a template; default {{input}}"},
			"result": {"type": "string", "description": "expression over the other workflow's state"},
			`+outputSchema, "workflow"),
		Make: makeSubWorkflow,
	}
}

func makeSubWorkflow(p workflow.Place) (workflow.Bound, error) {
	c, err := decode[struct {
		Workflow string `json:"workflow"`
		Input    string `json:"input"`
		Result   string `json:"result"`
		Output   string `json:"output"`
	}](p)
	if err != nil {
		return workflow.Bound{}, err
	}
	if c.Input == "" {
		c.Input = "{{input}}"
	}
	if c.Result == "" {
		c.Result = `final_answer != "" ? final_answer : answer != "" ? answer : last_output`
	}
	f := form{p: p}
	out, input := f.target("/output", c.Output), f.text("/input", c.Input)
	result, err := compileExpression(p.Schema, c.Result) // over the other workflow's state
	f.fault("/result", err)
	return f.bound(workflow.Bound{
		Child: c.Workflow, Writes: out.writes(outside, words),
		Mapping: graph.Mapping{
			In: func(ctx context.Context, outer graph.State) ([]graph.Write, error) {
				return enter(p.Schema, scopeIn(outer), input)
			},
			Out: func(ctx context.Context, inner graph.State) ([]graph.Write, error) {
				v, err := result.eval(scope{s: inner, x: workflow.ExecOf(inner)})
				if err != nil {
					return nil, err
				}
				writes, err := leave(inner, out, v)
				if err != nil {
					return nil, err
				}
				return handOver(p.Schema, writes, inner)
			},
		},
	})
}

// handOver adds what a state knows of its turn's words: whose they are, and what models wrote.
func handOver(schema *graph.Schema, writes []graph.Write, from graph.State) ([]graph.Write, error) {
	writes, err := fromOutside(schema, writes, heard(from)...)
	if err != nil {
		return nil, err
	}
	return noted(schema, writes, stateValue[[]Words](from, words)...)
}

// enter returns the input of the other workflow: its text, and the item that it runs
// for.
func enter(schema *graph.Schema, outer scope, input *template) ([]graph.Write, error) {
	text, err := input.render(outer)
	if err != nil {
		return nil, err
	}
	in, err := schema.Set("input", text)
	if err != nil {
		return nil, err
	}
	writes, err := handOver(schema, []graph.Write{in}, outer.s)
	if err != nil {
		return nil, err
	}
	if arg := outer.s.Arg(); arg != nil {
		w, err := schema.Set("item", arg)
		if err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	return writes, nil
}

// leave hands the result of the other workflow to the outer state.
func leave(inner graph.State, out output, v any) ([]graph.Write, error) {
	raw, err := inner.JSON("item")
	if err != nil {
		return nil, err
	}
	var item workflow.Item
	if string(raw) != "null" && json.Unmarshal(raw, &item) == nil && item.Map != "" {
		return out.mapped(item.Map, item.Index, v)
	}
	w, err := out.set(v)
	return []graph.Write{w}, err
}
