package node

import (
	"context"
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
			f, n := form{p: p}, setNode{}
			var writes []string
			for _, name := range slices.Sorted(maps.Keys(c.Set)) {
				at := "/set/" + pointerWord(name)
				out := f.target(at, name)
				n.outs, n.values = append(n.outs, out), append(n.values, f.pattern(at, c.Set[name]))
				f.fits(at, out, c.Set[name])
				writes = append(writes, out.channel)
			}
			return f.bound(workflow.Bound{Run: n.run, Writes: writes})
		},
	}
}

type setNode struct {
	outs   []output
	values []*pattern
}

func (n setNode) run(ctx context.Context, s graph.State) ([]graph.Write, error) {
	sc := scopeOf(s, workflow.ExecOf(s))
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
