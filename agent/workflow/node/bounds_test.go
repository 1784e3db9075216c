package node_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// evaluate runs a workflow that writes the value of an expression.
func evaluate(t *testing.T, input, formula string) (any, error) {
	t.Helper()
	st := node.NewState()
	d, err := workflow.Parse(fmt.Appendf(nil, `{"id": "x", "name": "X", "version": "1", "nodes": [{"id": "start", "node_type": "start"},
		{"id": "n", "node_type": "set_state", "config": {"set": {"last_output": %q}}}, {"id": "end", "node_type": "end"}],
		"edges": [{"source": "start", "target": "n"}, {"source": "n", "target": "end"}]}`, "{{"+formula+"}}"))
	if err != nil {
		t.Fatal(err)
	}
	plan, _, err := workflow.Compile(d, workflow.NewRegistry(node.Types()...), st.Schema, graph.Options{})
	if err != nil {
		return nil, err
	}
	x := &workflow.Exec{Request: agent.Request{Text: input}}
	res, err := graph.NewRuntime(graph.Config{}).Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1", Local: x, Input: []graph.Write{st.Input.Set(input)}})
	return st.LastOutput.Get(res.State), err
}

// TestExpressionsCannotGrowWithoutBound: each would take gigabytes, or for ever.
func TestExpressionsCannotGrowWithoutBound(t *testing.T) {
	t.Parallel()
	for name, formula := range map[string]string{
		"doubled":         `reduce(1..40, #acc + #acc, input)`,
		"doubled_by_name": `let a = input + input; let b = a + a; let c = b + b; let d = c + c; let e = d + d; let f = e + e; let g = f + f; g + g`,
		"repeated":        `repeat(input, 900000)`,
		"replaced":        `replace(input, "a", input)`,
		"joined":          `join(map(1..50000, input), input)`,
		"written":         `toJSON(map(1..50000, input))`,
		"as_text":         `string(map(1..50000, input))`,
		"shared":          `map(1..50000, input)`,
		"nested":          `reduce(1..60, [#acc, #acc], input)`,
		"flattened":       `flatten(reduce(1..60, [#acc, #acc], 1))`,
		"greatest":        `max(reduce(1..60, [#acc, #acc], 1))`,
		"average":         `mean(reduce(1..60, [#acc, #acc], 1))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if v, err := evaluate(t, strings.Repeat("a", 20_000), formula); err == nil || !strings.Contains(err.Error(), "grows beyond") {
				t.Errorf("%.100v, %v", v, err)
			}
		})
	}
}

func TestBoundedFunctionsWorkAsBefore(t *testing.T) {
	t.Parallel()
	for formula, want := range map[string]any{
		`1 + 2`:                          int64(3),
		`1.5 + 2`:                        3.5,
		`input + "!"`:                    "ab!",
		`input | repeat(2)`:              "abab",
		`replace(input, "a", "xy")`:      "xyb",
		`join(["a", "b"], "-")`:          "a-b",
		`join(split("a,b", ","))`:        "ab",
		`toJSON([1]) + string(2)`:        "[\n  1\n]2",
		`max(1, 3) + min([4, 5])`:        int64(7),
		`mean([1, 3]) + median(1, 2, 3)`: 4.0,
		`sum(map(1..3, # + 1))`:          int64(9),
		`flatten([[1], [2]])[1]`:         int64(2),
	} {
		if got, err := evaluate(t, "ab", formula); err != nil || got != want {
			t.Errorf("%s: %#v, %v; want %#v", formula, got, err, want)
		}
	}
	for _, formula := range []string{`repeat("a")`, `replace("a")`, `join()`, `1 + "a"`, `max()`} {
		if _, err := evaluate(t, "ab", formula); err == nil {
			t.Errorf("%s is no fault", formula)
		}
	}
}
