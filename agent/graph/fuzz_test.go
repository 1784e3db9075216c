package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"maru/agent/graph"
)

// stored is a log that holds what somebody put there.
type stored struct {
	*graph.Memory
	records []graph.Record
}

func (s stored) Load(context.Context, string, string) ([]graph.Record, error) { return s.records, nil }

// FuzzRecord reads logs with one strange record: it must be read or refused
// with a typed error, and never give a state that cannot be written again.
func FuzzRecord(f *testing.F) {
	a := newAll(f)
	for kind, body := range map[graph.RecordKind]string{
		graph.RecordInput:    `{"u":[["text","s","=","x"],["list","item","+",[{"id":"a","n":1}]]],"n":["n"]}`,
		graph.RecordStep:     `{"t":[[0,["sum","i","+",3],["dyn","any","=",{"a":[1,1.5,null]}]]],"n":["n",["n",{"x":1}]],"w":{"j":["n"]}}`,
		graph.RecordPending:  `{"t":[[0,["keyed","item","-",["a"]]]],"q":[{"id":"q","node":"n","key":"#0","step":1,"task":0}]}`,
		graph.RecordEffect:   `{"e":{"i":0,"k":"pay","v":1}}`,
		graph.RecordAnswer:   `{"a":[{"id":"q","at":"2026-01-02T03:04:05Z","value":true}]}`,
		graph.RecordUpdate:   `{"u":[["text","s","=","x"]],"n":[]}`,
		"update/task":        `{"t":[[0,["sum","i","+",3]]]}`,
		"snapshot/fork":      `{"h":{"base":2,"from":{"thread":"t","seq":1}},"n":["n"]}`,
		"snapshot/unknown":   `{"h":{"base":2},"n":["gone"],"w":{"none":["n"]}}`,
		graph.RecordSnapshot: `{"h":{"base":1,"turns":["1"],"answered":[{"id":"q"}]},"u":[["sum","i","=",3]]}`,
	} {
		name, _, _ := strings.Cut(string(kind), "/")
		f.Add(name, []byte(body))
	}
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		input := graph.Record{
			Thread: "t", Seq: 1, Kind: graph.RecordInput, Turn: "1", Plan: a.plan.Hash(),
			Body: json.RawMessage(`{"u":[["list","item","+",[{"id":"a","n":1}]]],"n":["n"]}`),
		}
		strange := graph.Record{Thread: "t", Seq: 2, Kind: graph.RecordKind(kind), Turn: "1", Step: 1, Plan: a.plan.Hash(), Body: body}
		rt := graph.NewRuntime(graph.Config{Checkpointer: stored{graph.NewMemory(), []graph.Record{input, strange}}})
		res, err := rt.Peek(t.Context(), a.plan, "t")
		if err != nil {
			if !errors.Is(err, graph.ErrCorrupt) {
				t.Fatalf("error %v, want ErrCorrupt", err)
			}
			return
		}
		dump(t, res.State)
		// Going on must not panic outside a node; the log refuses what it makes.
		_, err = rt.Resume(t.Context(), a.plan, graph.Call{Thread: "t"})
		var p *graph.PanicError
		if errors.As(err, &p) {
			t.Fatalf("going on: %v\n%s", err, p.Stack)
		}
	})
}
