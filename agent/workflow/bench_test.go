package workflow_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// BenchmarkCompile reads, checks and compiles a definition of 100 nodes, with a
// branch at every tenth: goal T10 is at most 5 ms.
func BenchmarkCompile(b *testing.B) {
	const nodes = 100
	def := map[string]any{"id": "big", "name": "big", "description": "", "version": "1"}
	var list, edges []map[string]any
	add := func(id, kind string, config map[string]any) {
		if config == nil {
			config = map[string]any{}
		}
		list = append(list, map[string]any{"id": id, "node_type": kind, "label": id, "config": config, "position": map[string]int{"x": 0, "y": 0}})
	}
	edge := func(from, port, to string) {
		e := map[string]any{"source": from, "target": to}
		if port != "" {
			e["source_port"] = port
		}
		edges = append(edges, e)
	}
	add("start", "start", nil)
	last, port := "start", ""
	for i := range nodes - 2 {
		id := fmt.Sprintf("n%d", i)
		if i%10 == 9 {
			add(id, "conditional", map[string]any{"when": "iteration > 3"})
			edge(last, port, id)
			edge(id, "false", "end")
			last, port = id, "true"
			continue
		}
		add(id, "set_state", map[string]any{"set": map[string]any{"answer": "{{last_output}}"}})
		edge(last, port, id)
		last, port = id, ""
	}
	add("end", "end", nil)
	edge(last, port, "end")
	def["nodes"], def["edges"] = list, edges
	raw, err := json.Marshal(def)
	if err != nil {
		b.Fatal(err)
	}
	st, types := node.NewState(), workflow.NewRegistry(node.Types()...)
	for b.Loop() {
		d, err := workflow.Parse(raw)
		if err != nil {
			b.Fatal(err)
		}
		if _, problems, err := workflow.Compile(d, types, st.Schema, graph.Options{}); err != nil {
			b.Fatal(err, problems)
		}
	}
}
