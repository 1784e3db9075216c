package workflow_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/graph"
	"maru/agent/workflow"
)

// TestASavedDefinitionGoesBeforeAFile: it serves from the next look on, gives way to the file when it is broken or gone,
// and a store that is away changes nothing.
func TestASavedDefinitionGoesBeforeAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	version := func(v string) []byte {
		return []byte(strings.Replace(loop, `"version": "1"`, `"version": "`+v+`"`, 1))
	}
	if err := os.WriteFile(filepath.Join(dir, "loop.json"), version("file"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, schema, _ := counting()
	var saved map[string][]byte
	var away error
	f, err := workflow.OpenFolder(workflow.FolderConfig[string]{
		Dir: dir, Saved: func(context.Context) (map[string][]byte, error) { return saved, away },
		Build: func(d workflow.Definition, find workflow.Find) (string, error) {
			_, _, err := workflow.CompileWith(d, r, schema, graph.Options{}, find)
			return d.Version, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var none map[string][]byte
	for _, step := range []struct {
		name   string
		saved  map[string][]byte
		away   error
		want   string
		faulty string
	}{
		{"nothing is saved", none, nil, "file", ""},
		{"the first version", map[string][]byte{"saved/loop.json": version("saved")}, nil, "saved", ""},
		{"the store is away", none, errors.New("away"), "saved", ""},
		{"a broken one claims no id", map[string][]byte{"saved/loop.json": []byte("{")}, nil, "file", "saved/loop.json"},
		{"the next version", map[string][]byte{"saved/loop.json": version("next")}, nil, "next", ""},
		{"it is removed", none, nil, "file", ""},
	} {
		saved, away = step.saved, step.away
		if _, err := f.Scan(t.Context()); (err != nil) != (step.away != nil) {
			t.Errorf("%s: %v", step.name, err)
		}
		if got, _ := f.Get("loop"); got != step.want {
			t.Errorf("%s: %q serves, want %q", step.name, got, step.want)
		}
		faults := f.Faults()
		if faults[step.faulty] == nil && step.faulty != "" || len(faults) > 0 && step.faulty == "" {
			t.Errorf("%s: faults %v", step.name, faults)
		}
	}
}
