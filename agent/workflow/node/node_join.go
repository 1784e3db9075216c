package node

import (
	"cmp"
	"context"
	"slices"

	"maru/agent/graph"
	"maru/agent/workflow"
)

func joinType() workflow.Type {
	return workflow.Type{
		Name: workflow.TypeJoin, Summary: "Brings together what runs side by side: the results of a map become one list.",
		Doc:   "With `map`, the results of that map in the order of its items go to the output. With `wait: all`, the node runs when all nodes that lead to it have run, whatever the lengths of their ways.",
		Reads: []string{"results"}, Writes: []string{"last_output"},
		Config: schemaOf(`
			"map": {"type": "string", "description": "id of the map whose results are gathered"},
			"wait": {"enum": ["any", "all"], "description": "default any"},
			` + outputSchema),
		Make: func(p workflow.Place) (workflow.Bound, error) {
			c, err := decode[struct {
				Map    string `json:"map"`
				Wait   string `json:"wait"`
				Output string `json:"output"`
			}](p)
			if err != nil {
				return workflow.Bound{}, err
			}
			f := form{p: p}
			out := f.target("/output", c.Output)
			b := workflow.Bound{Run: nothing, Writes: []string{}, Wait: c.Wait == "all"}
			if c.Map != "" {
				b.Writes = []string{out.channel}
				b.Run = func(_ context.Context, s graph.State) ([]graph.Write, error) { return gather(s, out, c.Map) }
			}
			return f.bound(b)
		},
	}
}

func gather(s graph.State, out output, id string) ([]graph.Write, error) {
	found := results(s, id)
	slices.SortFunc(found, func(a, b Mapped) int { return cmp.Compare(a.Index, b.Index) })
	list := make([]any, len(found))
	for i, m := range found {
		v, err := graph.Normalize(m.Value)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	w, err := out.set(list)
	return []graph.Write{w}, err
}
