package node

import (
	"cmp"
	"context"
	"fmt"

	"maru/agent/graph"
	"maru/agent/workflow"
)

// maxItems bounds a map that sets no bound.
const maxItems = 100

func mapType() workflow.Type {
	return workflow.Type{
		Name: workflow.TypeMap, Summary: "Runs the node behind its port `each` once for every item of a list, side by side.",
		Doc:   "The node behind `each` reads `item`, `index` and `count`, and leads to a `join`. An empty list takes `empty`. A list that is too long is an error, never cut silently.",
		Ports: []string{workflow.PortEach, portEmpty}, Writes: []string{"results"}, Reads: []string{"results"},
		Config: schemaOf(`
			"over": {"type": "string", "minLength": 1, "description": "expression that gives a list, such as todos or metadata.titles"},
			"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "items at most; default 100"},
			"concurrency": {"type": "integer", "minimum": 1, "maximum": 16, "description": "items that run at once; default 16"}`, "over"),
		Make: makeMap,
	}
}

func makeMap(p workflow.Place) (workflow.Bound, error) {
	c, err := decode[struct {
		Over        string `json:"over"`
		Limit       int    `json:"limit"`
		Concurrency int    `json:"concurrency"`
	}](p)
	if err != nil {
		return workflow.Bound{}, err
	}
	c.Limit = cmp.Or(c.Limit, maxItems)
	f := form{p: p}
	over := f.formula("/over", c.Over, kindList)
	list := func(ctx context.Context, s graph.State) ([]any, error) {
		v, err := over.eval(scopeIn(s))
		if err != nil {
			return nil, err
		}
		items, ok := v.([]any)
		if !ok && v != nil {
			return nil, fmt.Errorf("map over %q: it is not a list", short(c.Over))
		}
		if len(items) > c.Limit {
			return nil, fmt.Errorf("map over %q: %d items, at most %d are allowed", short(c.Over), len(items), c.Limit)
		}
		return items, nil
	}
	return f.bound(workflow.Bound{
		Concurrency: c.Concurrency,
		Run: func(ctx context.Context, s graph.State) ([]graph.Write, error) {
			if _, err := list(ctx, s); err != nil {
				return nil, err
			}
			return forget(p.Schema, s, p.Node)
		},
		Spread: func(ctx context.Context, s graph.State) (string, []any, string, error) {
			items, err := list(ctx, s)
			return workflow.PortEach, items, portEmpty, err
		},
	})
}

// results returns what the items of a map gave, in their order; of all maps for
// the id "".
func results(s graph.State, id string) []Mapped {
	value, _ := s.Value("results")
	all, _ := value.([]Mapped)
	var out []Mapped
	for _, m := range all {
		if id == "" || m.Map == id {
			out = append(out, m)
		}
	}
	return out
}

// forget removes the results of an earlier round of a map.
func forget(schema *graph.Schema, s graph.State, id string) ([]graph.Write, error) {
	var keys []string
	for _, m := range results(s, id) {
		keys = append(keys, key(m.Map, m.Index))
	}
	if len(keys) == 0 {
		return nil, nil
	}
	w, err := schema.Remove("results", keys...)
	return []graph.Write{w}, err
}
