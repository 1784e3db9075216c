package graph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"maru/agent/graph"
)

// recorder is a graph whose turn leaves every kind of record.
type recorder struct {
	plan  *graph.Plan
	log   graph.List[string]
	count graph.Chan[int]
	extra graph.Chan[any]
}

func newRecorder(t *testing.T) recorder {
	t.Helper()
	s := graph.NewSchema()
	r := recorder{
		log:   graph.NewList(s, "log", graph.PerThread, graph.String(), func(v string) string { return v }),
		count: graph.NewFold(s, "count", graph.PerTurn, graph.Int(), func(a, b int) int { return a + b }),
		extra: graph.NewLast(s, "extra", graph.PerThread, graph.Any()),
	}
	b := graph.New("recorder", s)
	b.Node("plan", func(context.Context, graph.State) ([]graph.Write, error) {
		return []graph.Write{r.extra.Set(map[string]any{"steps": []any{1, 2.0, "셋"}})}, nil
	}, graph.Policy{})
	b.Node("pay", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		v, err := graph.Effect[string]{Name: "pay", Do: func(context.Context, string) (string, error) {
			return "receipt", nil
		}}.Run(ctx)
		if err != nil {
			return nil, err
		}
		a, err := graph.Ask(ctx, graph.Question{
			Kind: "plan", Payload: json.RawMessage(`{"pay":1}`), Schema: json.RawMessage(`{"type":"boolean"}`),
			Expires: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC),
		})
		return []graph.Write{r.log.Add(v + string(a.Value)), r.count.Add(1)}, err
	}, graph.Policy{})
	b.Node("work", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		word, err := graph.Arg[string](s)
		return []graph.Write{r.log.Add(word)}, err
	}, graph.Policy{})
	b.Node("join", nothing, graph.Policy{})
	b.Edge(graph.Start, "plan")
	b.Edge("plan", "pay")
	b.Branch("plan", func(context.Context, graph.State) ([]graph.Send, error) {
		return []graph.Send{graph.SendTo("work", `"<둘>"`)}, nil
	}, "work")
	b.Join("join", "pay", "work")
	b.Edge("join", graph.End)
	var err error
	if r.plan, err = b.Compile(graph.Options{Parallel: 1, Durability: graph.AtExit}); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLogOfThisVersion holds the format of the log: a change of the golden
// file is a change that logs in the field must survive.
func TestLogOfThisVersion(t *testing.T) {
	t.Parallel()
	r, memory := newRecorder(t), graph.NewMemory()
	noon := func() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }
	rt := graph.NewRuntime(graph.Config{Checkpointer: memory, Now: noon})
	call := graph.Call{Thread: "thread", Turn: "turn", Input: []graph.Write{r.log.Add("in")}}
	res, err := rt.Run(t.Context(), r.plan, call)
	if err != nil {
		t.Fatal(err)
	}
	call.Answers = []graph.Answer{{ID: res.Interrupts[0].ID, By: "ann", Value: json.RawMessage(`true`)}}
	if res, err = rt.Run(t.Context(), r.plan, call); err != nil || !res.Done {
		t.Fatal(err)
	}
	if _, err := rt.Update(t.Context(), r.plan, "thread", 0, r.log.Remove("in"), r.log.Add("out")); err != nil {
		t.Fatal(err)
	}
	if err := rt.Compact(t.Context(), r.plan, "thread", 100); err != nil {
		t.Fatal(err)
	}
	records, err := memory.History(t.Context(), "thread", "", 1, 100, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, rec := range records {
		fmt.Fprintf(&got, "%d %s %d %s %s\n", rec.Seq, rec.Kind, rec.Step, rec.Plan, rec.Body)
	}
	file := filepath.Join("testdata", "log.golden.txt")
	want, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		t.Fatalf("no %s; it would be:\n%s", file, got.String())
	}
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("log differs from %s:\n%s", file, got.String())
	}
}

// TestGoldenLogIsRead reads the golden log at every length.
func TestGoldenLogIsRead(t *testing.T) {
	t.Parallel()
	r := newRecorder(t)
	file, err := os.ReadFile(filepath.Join("testdata", "log.golden.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var records []graph.Record
	for line := range bytes.Lines(file) {
		rec := graph.Record{Thread: "thread", Turn: "turn"}
		parts := bytes.SplitN(bytes.TrimSpace(line), []byte(" "), 5)
		if _, err := fmt.Sscanf(string(bytes.Join(parts[:4], []byte(" "))), "%d %s %d %s", &rec.Seq, &rec.Kind, &rec.Step, &rec.Plan); err != nil {
			t.Fatal(err)
		}
		rec.Body = parts[4]
		records = append(records, rec)
	}
	for n := range records {
		rt := graph.NewRuntime(graph.Config{Checkpointer: stored{graph.NewMemory(), records[:n+1]}})
		res, err := rt.Peek(t.Context(), r.plan, "thread")
		if err != nil {
			t.Fatalf("%d records: %v", n+1, err)
		}
		if n+1 < len(records) {
			continue
		}
		if got := fmt.Sprint(r.log.Get(res.State), r.count.Get(res.State), res.Done); got != `[receipttrue "<둘>" out] 1 true` {
			t.Errorf("state %s", got)
		}
	}
}

// TestDeletedThreadBeginsAnew: nothing of a deleted thread stays in memory, the fence of its
// writers neither.
func TestDeletedThreadBeginsAnew(t *testing.T) {
	t.Parallel()
	ctx, m := t.Context(), graph.NewMemory()
	first := graph.Record{Thread: "t", Seq: 1, Kind: graph.RecordStep}
	if err := m.RaiseFence(ctx, "t", 5); err != nil {
		t.Fatal(err)
	}
	if err := m.Append(ctx, 3, first); !errors.Is(err, graph.ErrFenced) {
		t.Errorf("an older writer: %v", err)
	}
	if err := m.Append(ctx, 5, first); err != nil {
		t.Fatal(err)
	}
	if err := m.Delete(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	if err := m.Append(ctx, 3, first); err != nil {
		t.Errorf("after it was deleted: %v", err)
	}
}
