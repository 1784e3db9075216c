package workflow_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"maru/agent/workflow"
)

// TestBombsAreRefused: files of 20,000 nodes and of deep nesting are refused with the place, and
// reading them allocates less than 64 MB in all. It runs alone, since it reads the allocations of the process.
func TestBombsAreRefused(t *testing.T) { //nolint:paralleltest // see above
	if testing.Short() {
		t.Skip("counts memory, which race instrumentation changes")
	}
	const n = 20_000
	nodes := func(id func(i int) string, edges string) string {
		var b strings.Builder
		b.WriteString(`{"id":"bomb","entry":"n0","nodes":[`)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"id":%q,"node_type":"end"}`, id(i))
		}
		return b.String() + `],"edges":[` + edges + `]}`
	}
	each := func(i int) string { return fmt.Sprint("n", i) }
	var ring strings.Builder
	for i := range n {
		fmt.Fprintf(&ring, `%s{"source":"n%d","target":"n%d"}`, map[bool]string{true: ","}[i > 0], i, (i+1)%n)
	}
	for name, c := range map[string]struct{ text, place string }{
		"20000_nodes":     {nodes(each, ""), "/nodes"},
		"20000_in_a_ring": {nodes(each, ring.String()), "/: is longer than"},
		"20000_of_one_id": {nodes(func(int) string { return "same" }, ""), "/nodes"},
		"deep_lists":      {`{"id":"x","nodes":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`, "nested"},
		"deep_config":     {`{"id":"x","entry":"a","nodes":[{"id":"a","node_type":"set_state","config":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + `}]}`, "nested"},
	} {
		reg, schema, _ := counting()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var told strings.Builder
		for _, p := range workflow.CheckFile("bomb.json", []byte(c.text), reg, schema, nil) {
			fmt.Fprintln(&told, p)
		}
		runtime.ReadMemStats(&after)
		if !strings.Contains(told.String(), c.place) {
			t.Errorf("%s: told %.300q", name, told.String())
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb >= 64 {
			t.Errorf("%s allocates %d MB", name, mb)
		} else {
			t.Logf("%s: %d MB", name, mb)
		}
	}
}
