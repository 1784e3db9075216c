package node

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"maru/agent/graph"
	"maru/agent/workflow"
)

func setState() workflow.Type {
	return workflow.Type{
		Name: "set_state", Summary: "Writes values made from the state.",
		Doc:    "A text in `set` is a template; one that is a single `{{expression}}` keeps its type. Names are channels or metadata.NAME.",
		Writes: []string{"metadata"},
		Config: schemaOf(`"set": {"type": "object", "minProperties": 1, "maxProperties": 30}`, "set"),
		Make: func(p workflow.Place) (workflow.Bound, error) {
			c, err := decode[struct {
				Set map[string]any `json:"set"`
			}](p)
			if err != nil {
				return workflow.Bound{}, err
			}
			n := setNode{}
			var writes []string
			for _, name := range slices.Sorted(maps.Keys(c.Set)) {
				out, err := newOutput(p.Schema, name)
				if err != nil {
					return workflow.Bound{}, err
				}
				v, err := compilePattern(p.Schema, c.Set[name])
				if err != nil {
					return workflow.Bound{}, fmt.Errorf("set/%s: %w", name, err)
				}
				n.outs, n.values = append(n.outs, out), append(n.values, v)
				writes = append(writes, out.channel)
			}
			return workflow.Bound{Run: n.run, Writes: writes}, nil
		},
	}
}

type setNode struct {
	outs   []output
	values []*pattern
}

func (n setNode) run(ctx context.Context, s graph.State) ([]graph.Write, error) {
	sc := scopeOf(s, workflow.ExecOf(ctx))
	var writes []graph.Write
	for i, out := range n.outs {
		v, err := n.values[i].value(sc)
		if err != nil {
			return nil, err
		}
		w, err := out.set(v)
		if err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	return writes, nil
}
