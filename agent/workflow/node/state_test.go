package node_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/memory"
)

// update draws one update of one channel, by the kinds of writes that it has.
func update(t *rapid.T, st node.State) graph.Write {
	word := rapid.SampledFrom([]string{"", "a", "b", "가", "나다"})
	id := rapid.SampledFrom([]string{"1", "2", "3"})
	number := rapid.IntRange(-3, 9)
	text := word.Draw(t, "text")
	switch rapid.IntRange(0, 16).Draw(t, "channel") {
	case 0:
		return st.Input.Set(text)
	case 1:
		return st.Messages.Add(memory.Message{ID: id.Draw(t, "id"), Role: "user", Text: text}, memory.Message{ID: id.Draw(t, "id2"), Text: "x"})
	case 2:
		return st.Messages.Remove(id.Draw(t, "id"))
	case 3:
		return st.LastOutput.Set(map[string]any{text: int64(number.Draw(t, "n")), "f": 1.5})
	case 4:
		return st.Iteration.Set(number.Draw(t, "n"))
	case 5:
		return st.Todos.Add(node.Todo{ID: id.Draw(t, "id"), Title: text, Status: node.TodoOpen})
	case 6:
		return st.Todos.Set([]node.Todo{{ID: id.Draw(t, "id"), Status: node.TodoDone}})
	case 7:
		return st.CurrentTodoIndex.Set(number.Draw(t, "n"))
	case 8:
		return st.IsComplete.Set(rapid.Bool().Draw(t, "b"))
	case 9:
		return st.Error.Add(text)
	case 10:
		return st.Fallback.Add(workflow.Switch{From: text, To: id.Draw(t, "id")})
	case 11:
		return st.MemoryRefs.Add(workflow.MemoryRef{Filename: id.Draw(t, "id"), Text: text})
	case 12:
		return st.Metadata.Add(map[string]json.RawMessage{id.Draw(t, "id"): json.RawMessage(fmt.Sprint(number.Draw(t, "n")))})
	case 13:
		return st.ContextBudget.Set(workflow.Budget{Window: 10, Used: number.Draw(t, "n")})
	case 14:
		return st.Results.Add(node.Mapped{Map: text, Index: number.Draw(t, "n"), Value: json.RawMessage(`"x"`)})
	case 15:
		return st.Summaries.Set([]memory.Summary{{Text: text}})
	}
	return st.FinalAnswer.Set(text)
}

// snapshot returns the whole state as JSON.
func snapshot(t *rapid.T, s graph.State) string {
	out := ""
	for _, name := range s.Names() {
		raw, err := s.JSON(name)
		if err != nil {
			t.Fatal(err)
		}
		out += name + "=" + string(raw) + "\n"
	}
	return out
}

// TestAnySplitOfUpdatesGivesTheSameState writes the same updates at once, and in
// any pieces, and reads the thread back from its log alone.
func TestAnySplitOfUpdatesGivesTheSameState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		st := node.NewState()
		b := graph.New("g", st.Schema)
		b.Node("n", func(_ context.Context, _ graph.State) ([]graph.Write, error) { return nil, nil }, graph.Policy{})
		b.Edge(graph.Start, "n")
		b.Edge("n", graph.End)
		plan, err := b.Compile(graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var updates []graph.Write
		for range rapid.IntRange(1, 12).Draw(t, "updates") {
			updates = append(updates, update(t, st))
		}
		log := graph.NewMemory()
		write := func(thread string, pieces ...[]graph.Write) {
			rt := graph.NewRuntime(graph.Config{Checkpointer: log})
			for _, piece := range pieces {
				if _, err := rt.Update(context.Background(), plan, thread, 0, piece...); err != nil {
					t.Fatal(err)
				}
			}
		}
		read := func(thread string) string {
			rt := graph.NewRuntime(graph.Config{Checkpointer: log, Cache: -1})
			res, err := rt.Peek(context.Background(), plan, thread)
			if err != nil {
				t.Fatal(err)
			}
			return snapshot(t, res.State)
		}
		write("whole", updates)
		var pieces [][]graph.Write
		for rest := updates; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		write("split", pieces...)
		write("again", updates)
		whole := read("whole")
		if split := read("split"); split != whole {
			t.Fatalf("split:\n%s\nwhole:\n%s", split, whole)
		}
		if again := read("again"); again != whole {
			t.Fatalf("a second time:\n%s\nfirst:\n%s", again, whole)
		}
		if twice := read("whole"); twice != whole {
			t.Fatal("two replays differ")
		}
	})
}

func TestReducers(t *testing.T) {
	t.Parallel()
	st := node.NewState()
	b := graph.New("g", st.Schema)
	b.Node("n", func(context.Context, graph.State) ([]graph.Write, error) {
		return []graph.Write{
			st.MemoryRefs.Add(workflow.MemoryRef{Filename: "a", Text: "old"}, workflow.MemoryRef{Filename: "b"}, workflow.MemoryRef{Filename: "a", Text: "new"}),
			st.Todos.Add(node.Todo{ID: "1", Title: "x"}, node.Todo{ID: "2"}), st.Todos.Add(node.Todo{ID: "1", Title: "y", Status: node.TodoDone}),
			st.Metadata.Add(map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("2")}),
			st.Metadata.Add(map[string]json.RawMessage{"b": json.RawMessage("3")}),
			st.Fallback.Add(workflow.Switch{From: "m"}), st.Fallback.Add(workflow.Switch{From: "n"}),
		}, nil
	}, graph.Policy{})
	b.Edge(graph.Start, "n")
	b.Edge("n", graph.End)
	plan, err := b.Compile(graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	res, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"memory_refs": `[{"filename":"a","text":"new"},{"filename":"b","text":""}]`,
		"todos":       `[{"id":"1","title":"y","status":"done"},{"id":"2","title":"","status":""}]`,
		"metadata":    `{"a":1,"b":3}`,
		"fallback":    `[{"from":"m","to":"","class":""},{"from":"n","to":"","class":""}]`,
	} {
		raw, err := res.State.JSON(name)
		if err != nil || string(raw) != want {
			t.Errorf("%s is %s, want %s (%v)", name, raw, want, err)
		}
	}
}
