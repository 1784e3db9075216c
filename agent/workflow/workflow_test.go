package workflow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"maru/agent/graph"
	"maru/agent/workflow"
)

// counting returns a registry of two types on one channel: "add" adds its config's
// n, "until" leaves through "more" until the sum reaches its config's n.
func counting() (*workflow.Registry, *graph.Schema, graph.Chan[int]) {
	s := graph.NewSchema()
	sum := graph.NewFold(s, "sum", graph.PerTurn, graph.Int(), func(a, b int) int { return a + b })
	type config struct{ N int }
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)
	read := func(raw json.RawMessage) config {
		var c config
		_ = json.Unmarshal(raw, &c) // fits the schema
		return c
	}
	nothing := func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }
	return workflow.NewRegistry(
		workflow.Type{Name: "add", Config: schema, Writes: []string{"sum"}, Bind: func(raw json.RawMessage) (workflow.Bound, error) {
			c := read(raw)
			return workflow.Bound{Run: func(context.Context, graph.State) ([]graph.Write, error) {
				return []graph.Write{sum.Add(c.N)}, nil
			}}, nil
		}},
		workflow.Type{Name: "until", Config: schema, Ports: []string{"more", "done"}, Bind: func(raw json.RawMessage) (workflow.Bound, error) {
			c := read(raw)
			return workflow.Bound{Run: nothing, Route: func(_ context.Context, s graph.State) string {
				if sum.Get(s) < c.N {
					return "more"
				}
				return "done"
			}}, nil
		}},
	), s, sum
}

const loop = `{
  "id": "loop", "name": "Loop", "version": "1",
  "nodes": [
    {"id": "start", "node_type": "start"},
    {"id": "add", "node_type": "add", "config": {"n": 3}},
    {"id": "check", "node_type": "until", "config": {"n": 10}},
    {"id": "end", "node_type": "end"}
  ],
  "edges": [
    {"source": "start", "target": "add"},
    {"source": "add", "target": "check"},
    {"source": "check", "source_port": "more", "target": "add"},
    {"source": "check", "source_port": "done", "target": "end"}
  ]
}`

func TestDefinitionRuns(t *testing.T) {
	t.Parallel()
	r, schema, sum := counting()
	d, err := workflow.Parse([]byte(loop))
	if err != nil {
		t.Fatal(err)
	}
	plan, _, err := workflow.Compile(d, r, schema, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	res, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"})
	if err != nil || !res.Done || sum.Get(res.State) != 12 {
		t.Errorf("done %v, sum %d, %v", res.Done, sum.Get(res.State), err)
	}
}

func TestFaultsAreNamedByTheirPlace(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, from, to string // what is replaced in the loop
		want           []string
	}{
		{"unknown_type", `"add", "config"`, `"ad", "config"`, []string{"/nodes/1/node_type", "did you mean add?"}},
		{"no_type", `"node_type": "add", "config"`, `"config"`, []string{"/nodes/1/node_type", "has no node_type"}},
		{"names_of_others", `"node_type": "add", "config"`, `"type": "add", "config"`, []string{"/nodes/1/type", "did you mean node_type?"}},
		{"setting_beside_config", `"config": {"n": 3}`, `"m": 3, "config": {"n": 3}`, []string{"/nodes/1/m", "put it into config"}},
		{"edges_of_others", `"target": "end"`, `"to": "end"`, []string{"/edges/3/to", "did you mean target?"}},
		{"bad_config", `{"n": 3}`, `{"n": "three"}`, []string{"/nodes/1/config/n"}},
		{"unknown_config", `{"n": 3}`, `{"n": 3, "m": 4}`, []string{"/nodes/1/config", "m"}},
		{"missing_config", `, "config": {"n": 3}`, ``, []string{"/nodes/1/config", "n"}},
		{"duplicate_id", `"id": "check", "node_type"`, `"id": "add", "node_type"`, []string{"/nodes/2/id"}},
		{"edge_near_a_duplicate_id", `"id": "check", "node_type"`, `"id": "add", "node_type"`, []string{"/edges/1/target", "(ids of nodes: start, add, end)"}},
		{"edge_to_nothing", `"target": "end"`, `"target": "ende"`, []string{"/edges/3/target"}},
		{"unknown_port", `"source_port": "done"`, `"source_port": "dome"`, []string{"/edges/3/source_port", "more, done"}},
		{"missing_port", `"source_port": "done", `, ``, []string{"/edges/3/source_port", "must name a port"}},
		{"port_of_a_plain_type", `"source": "add"`, `"source": "add", "source_port": "x"`, []string{"/edges/1/source_port"}},
		{"no_start", `"node_type": "start"`, `"node_type": "end"`, []string{"exactly one"}},
		{"no_end", `{"id": "end", "node_type": "end"}`, `{"id": "end", "node_type": "add", "config": {"n": 1}}`, []string{"no node of type end"}},
		{"endless_loop", `"source_port": "done", "target": "end"`, `"source_port": "done", "target": "add"`, []string{"/nodes"}},
		{"unknown_member", `"version"`, `"versoin"`, []string{"/versoin"}},
		{"wrong_case", `"name"`, `"Name"`, []string{"/Name"}},
		{"duplicate_member", `"id": "loop"`, `"id": "loop", "id": "pool"`, []string{"/id", "line 2, column 17", "keep one of the two"}},
		{"no_text", loop, " \n", []string{"is empty"}},
		{"not_utf8", `"Loop"`, "\"L\xff\"", []string{"/name", "save the file as UTF-8"}},
		{"wrong_kind", `"version": "1"`, `"version": 1`, []string{"/version", "a string"}},
		{"not_json", `"edges": [`, `"edges": [[[`, []string{"/edges"}},
		{"empty_name", `"Loop"`, `" "`, []string{"/name"}},
		{"odd_id", `"id": "check", "node_type"`, `"id": "che ck", "node_type"`, []string{"/nodes/2/id"}},
	}
	r, schema, _ := counting()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(loop, c.from, c.to, 1)
			if text == loop {
				t.Fatal("the case changes nothing")
			}
			d, err := workflow.Parse([]byte(text))
			if err == nil {
				_, _, err = workflow.Compile(d, r, schema, graph.Options{})
			}
			if err == nil {
				t.Fatal("it compiles")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not name %q:\n%v", want, err)
				}
			}
		})
	}
}

func TestByteOrderMarkIsNoFault(t *testing.T) {
	t.Parallel()
	if d, err := workflow.Parse([]byte("\ufeff" + loop)); err != nil || d.ID != "loop" {
		t.Errorf("%q, %v", d.ID, err)
	}
}

// TestAnOddIDIsOneFault: the edges that name it are not at fault as well.
func TestAnOddIDIsOneFault(t *testing.T) {
	t.Parallel()
	r, schema, _ := counting()
	d, err := workflow.Parse([]byte(strings.ReplaceAll(loop, `"check"`, `"확인"`)))
	if err != nil {
		t.Fatal(err)
	}
	found := slices.DeleteFunc(workflow.Check(d, r, schema, nil), func(p workflow.Problem) bool { return p.Warning })
	if len(found) != 1 || found[0].Pointer != "/nodes/2/id" {
		t.Error(found)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(loop))
	f.Add([]byte(`{"id":`))
	f.Add([]byte(strings.Repeat(`[`, 100)))
	r, schema, _ := counting()
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := workflow.Parse(text)
		for _, p := range workflow.CheckFile("fuzz.json", text, r, schema, nil) { // must not panic either
			if p.Line < 0 || p.Line > 1+bytes.Count(text, []byte("\n")) {
				t.Errorf("no such line: %v", p)
			}
		}
		if err != nil {
			return
		}
		_, _, _ = workflow.Compile(d, r, schema, graph.Options{}) // must not panic
		_ = workflow.Mermaid(d)
	})
}
