package workflow_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/graph"
	"maru/agent/workflow"
)

func TestWatchSeesChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "loop.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, schema, _ := counting()
	builds := 0
	f, err := workflow.OpenFolder(workflow.FolderConfig[string]{
		Dir: filepath.Join(dir), Every: time.Second,
		Build: func(d workflow.Definition, find workflow.Find) (string, error) {
			builds++
			_, _, err := workflow.CompileWith(d, r, schema, graph.Options{}, find)
			return d.Version, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- f.Watch(ctx) }()
		for _, step := range []struct{ text, want string }{
			{loop, "1"}, {strings.Replace(loop, `"version": "1"`, `"version": "2"`, 1), "2"}, {"{", "2"}, {loop, "1"},
		} {
			write(step.text)
			time.Sleep(3 * time.Second) // of the bubble's clock
			synctest.Wait()
			if got, _ := f.Get("loop"); got != step.want {
				t.Errorf("version %q serves, want %q", got, step.want)
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if builds != 3 {
		t.Errorf("%d builds: unchanged definitions are not built again", builds)
	}
}

func TestAFolderThatIsNotThereIsEmpty(t *testing.T) {
	t.Parallel()
	f, err := workflow.OpenFolder(workflow.FolderConfig[int]{Dir: filepath.Join(t.TempDir(), "none")})
	if err != nil || len(f.IDs()) != 0 || len(f.Faults()) != 0 {
		t.Errorf("%v, %v, %v", f.IDs(), f.Faults(), err)
	}
}

// shaky returns a registry whose type has ports and no routing function.
func shaky() (*workflow.Registry, *graph.Schema) {
	s := graph.NewSchema()
	graph.NewLast(s, "x", graph.PerTurn, graph.String())
	return workflow.NewRegistry(workflow.Type{Name: "fork", Ports: []string{"left", "right"}, Make: func(workflow.Place) (workflow.Bound, error) {
		return workflow.Bound{Run: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }}, nil
	}}), s
}

func TestTypeWithoutRouteTakesItsFirstPortAndWarns(t *testing.T) {
	t.Parallel()
	r, schema := shaky()
	d, err := workflow.Parse([]byte(`{"id":"t","name":"T","version":"1","nodes":[{"id":"start","node_type":"start"},{"id":"a","node_type":"fork"},
		{"id":"b","node_type":"fork"},{"id":"end","node_type":"end"}],"edges":[{"source":"start","target":"a"},{"source":"a","source_port":"left","target":"end"},
		{"source":"a","source_port":"right","target":"b"},{"source":"b","source_port":"left","target":"end"},{"source":"b","source_port":"right","target":"end"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	plan, found, err := workflow.Compile(d, r, schema, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || !found[0].Warning || found[0].Stage != workflow.StageWire || found.Err() != nil {
		t.Errorf("found %v", found)
	}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	res, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"})
	if err != nil || res.Steps != 1 {
		t.Errorf("%d steps, %v", res.Steps, err)
	}
}

func TestLoopsBoundedByIterationsAloneWarn(t *testing.T) {
	t.Parallel()
	r, schema, _ := counting()
	d, err := workflow.Parse([]byte(loop))
	if err != nil {
		t.Fatal(err)
	}
	found := workflow.Check(d, r, schema, nil)
	if len(found) != 1 || !found[0].Warning || !strings.Contains(found[0].Message, "max_iterations") {
		t.Errorf("found %v", found)
	}
	d.MaxIterations = 3
	if found := workflow.Check(d, r, schema, nil); len(found) != 0 {
		t.Errorf("found %v", found)
	}
	plan, _, err := workflow.Compile(d, r, schema, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); err == nil {
		t.Error("the run passed its bound")
	}
}

func TestPolicyOfANode(t *testing.T) {
	t.Parallel()
	s := graph.NewSchema()
	tries := 0
	r := workflow.NewRegistry(workflow.Type{Name: "shaky", Make: func(workflow.Place) (workflow.Bound, error) {
		return workflow.Bound{Run: func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
			if tries++; tries < 3 {
				<-ctx.Done() // until the node's own timeout
				return nil, fmt.Errorf("try %d: %w", tries, ctx.Err())
			}
			return nil, nil
		}}, nil
	}})
	d, err := workflow.Parse([]byte(`{"id":"t","name":"T","version":"1","nodes":[{"id":"start","node_type":"start"},
		{"id":"a","node_type":"shaky","policy":{"timeout":"5ms","retry":{"attempts":3,"wait":"1ms"}}},{"id":"end","node_type":"end"}],
		"edges":[{"source":"start","target":"a"},{"source":"a","target":"end"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	plan, _, err := workflow.Compile(d, r, s, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	if res, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); err != nil || !res.Done || tries != 3 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

// TestWhatAFolderCannotReadIsSaid: a file that cannot be read is told as that, not
// as an empty one, and so is one beyond the bound; neither takes anything from the
// others.
func TestWhatAFolderCannotReadIsSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "00.json")); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 203; i++ {
		text := strings.Replace(loop, `"id": "loop"`, fmt.Sprintf(`"id": "loop%d"`, i), 1)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%03d.json", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := workflow.OpenFolder(workflow.FolderConfig[string]{
		Dir: dir, Build: func(d workflow.Definition, _ workflow.Find) (string, error) { return d.ID, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.IDs(); len(got) != 199 {
		t.Errorf("%d workflows serve, want 199", len(got))
	}
	faults := f.Faults()
	for file, want := range map[string]string{"00.json": "not a regular file", "file200.json": "at most 200 files"} {
		if faults[file] == nil || !strings.Contains(faults[file].Error(), want) {
			t.Errorf("%s: %v", file, faults[file])
		}
	}
	if len(faults) != 2 {
		t.Errorf("faults %v", faults)
	}
}
