package node

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/agent/graph"
	"maru/agent/workflow"
)

// Ports of the general types.
const (
	portTrue     = "true"
	portFalse    = "false"
	portElse     = "else"
	portApproved = "approved"
	portRejected = "rejected"
	portExpired  = "expired"
	portEmpty    = "empty"
)

func nothing(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }

func conditional() workflow.Type {
	return workflow.Type{
		Name: "conditional", Summary: "Goes one of two ways by an expression over the state.",
		Doc:   "An expression that cannot be evaluated, or is neither true nor false, takes `false`; the fault is in `error`.",
		Ports: []string{portTrue, portFalse}, Writes: []string{"error"},
		Config: schemaOf(`"when": {"type": "string", "minLength": 1, "description": "expression, such as difficulty == \"hard\" and len(todos) > 3"}`, "when"),
		Make: func(p workflow.Place) (workflow.Bound, error) {
			c, err := decode[struct {
				When string `json:"when"`
			}](p)
			if err != nil {
				return workflow.Bound{}, err
			}
			f := form{p: p}
			when := f.condition("/when", c.When)
			return f.bound(workflow.Bound{
				Run: faults(p.Schema, when),
				Route: func(ctx context.Context, s graph.State) string {
					if ok, err := when.holds(scopeIn(s)); ok && err == nil {
						return portTrue
					}
					return portFalse
				},
			})
		},
	}
}

// faults writes the error of the first condition that cannot be evaluated.
func faults(schema *graph.Schema, conditions ...*expression) graph.Node {
	return func(ctx context.Context, s graph.State) ([]graph.Write, error) {
		for _, c := range conditions {
			if _, err := c.holds(scopeIn(s)); err != nil {
				w, err := schema.Set("error", err.Error())
				return []graph.Write{w}, err
			}
		}
		return nil, nil
	}
}

type switchConfig struct {
	Cases []struct {
		Port string `json:"port"`
		When string `json:"when"`
	} `json:"cases"`
}

func switchType() workflow.Type {
	return workflow.Type{
		Name: "switch", Summary: "Goes the way of the first case that holds, else over the port `else`.",
		Doc:   "The ports are those that the cases name, and `else`.",
		Ports: []string{portElse}, Writes: []string{"error"}, PortsOf: switchPorts,
		Config: schemaOf(`"cases": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "object", "properties": {
			"port": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,31}$"}, "when": {"type": "string", "minLength": 1}},
			"required": ["port", "when"], "additionalProperties": false}}`, "cases"),
		Make: makeSwitch,
	}
}

func switchPorts(config json.RawMessage) []string {
	var c switchConfig
	if json.Unmarshal(config, &c) != nil {
		return []string{portElse}
	}
	var out []string
	seen := map[string]bool{portElse: true}
	for _, k := range c.Cases {
		if !seen[k.Port] && k.Port != "" {
			seen[k.Port] = true
			out = append(out, k.Port)
		}
	}
	return append(out, portElse)
}

func makeSwitch(p workflow.Place) (workflow.Bound, error) {
	c, err := decode[switchConfig](p)
	if err != nil {
		return workflow.Bound{}, err
	}
	f := form{p: p}
	conditions := make([]*expression, len(c.Cases))
	for i, k := range c.Cases {
		conditions[i] = f.condition(fmt.Sprintf("/cases/%d/when", i), k.When)
	}
	return f.bound(workflow.Bound{
		Run: faults(p.Schema, conditions...),
		Route: func(ctx context.Context, s graph.State) string {
			for i, when := range conditions {
				if ok, err := when.holds(scopeIn(s)); ok && err == nil {
					return c.Cases[i].Port
				}
			}
			return portElse
		},
	})
}
