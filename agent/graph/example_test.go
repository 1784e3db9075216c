package graph_test

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/agent/graph"
)

// A draft is written, a person approves it, and it is posted once.
func Example() {
	schema := graph.NewSchema()
	topic := graph.NewLast(schema, "topic", graph.PerTurn, graph.String())
	draft := graph.NewLast(schema, "draft", graph.PerTurn, graph.String())
	posted := graph.NewList(schema, "posted", graph.PerThread, graph.String(), nil)

	b := graph.New("announce", schema)
	b.Node("write", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		return []graph.Write{draft.Set("All about " + topic.Get(s))}, nil
	}, graph.Policy{})
	b.Node("post", func(ctx context.Context, s graph.State) ([]graph.Write, error) {
		payload, err := json.Marshal(draft.Get(s))
		if err != nil {
			return nil, err
		}
		answer, err := graph.Ask(ctx, graph.Question{Kind: "approval", Payload: payload})
		if err != nil {
			return nil, err // waits: the node runs again when there is an answer
		}
		if string(answer.Value) != "true" {
			return nil, nil
		}
		id, err := graph.Once(ctx, "post", func(_ context.Context, _ string) (string, error) {
			return "message-1", nil // here the text would leave the house
		})
		return []graph.Write{posted.Add(id)}, err
	}, graph.Policy{})
	b.Edge(graph.Start, "write")
	b.Edge("write", "post")
	b.Edge("post", graph.End)
	plan, err := b.Compile(graph.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	call := graph.Call{Thread: "t1", Turn: "run-1", Input: []graph.Write{topic.Set("floors")}}
	res, err := rt.Run(ctx, plan, call)
	fmt.Println(res.Done, string(res.Interrupts[0].Payload), err)

	call.Answers = []graph.Answer{{ID: res.Interrupts[0].ID, By: "ann", Value: []byte("true")}}
	res, err = rt.Run(ctx, plan, call)
	fmt.Println(res.Done, posted.Get(res.State), err)
	// Output:
	// false "All about floors" <nil>
	// true [message-1] <nil>
}
