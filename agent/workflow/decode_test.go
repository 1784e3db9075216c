package workflow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/agent/workflow"
)

// places checks a text and returns its problems as "line:column pointer".
func places(t *testing.T, text string) (list []string, all workflow.Problems) {
	t.Helper()
	r, schema, _ := counting()
	all = workflow.CheckFile("", []byte(text), r, schema, nil)
	for _, p := range all {
		if !p.Warning {
			list = append(list, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Pointer))
		}
	}
	return list, all
}

// TestNoFaultHidesAnother: a member that nobody knows, a wrong type, a member that
// is twice, a config, an unknown node and a dead end are told together.
func TestNoFaultHidesAnother(t *testing.T) {
	t.Parallel()
	got, all := places(t, `{
  "id": "w", "name": "W", "versoin": "1", "comment": {"x": [1]},
  "nodes": [
    {"id": "start", "node_type": "start"},
    {"id": "a", "node_type": "add", "config": {"n": "three", "n": 3}, "position": {"x": "left", "y": 1}},
    {"id": "b", "node_typ": "ad", "config": {"n": 3}},
    {"id": "lost", "node_type": "add", "config": {"n": "one"}, "label": 5},
    {"id": "end", "node_type": "end"}
  ],
  "edges": [
    {"source": "start", "target": "a"},
    {"source": "a", "target": "b"},
    {"source": "b", "taget": "end"},
    {"source": "lost", "target": "end"}
  ],
  "max_iterations": "many"
}`)
	want := []string{
		"2:27 /versoin", "2:43 /comment",
		"5:62 /nodes/1/config/n", "5:89 /nodes/1/position/x",
		"6:17 /nodes/2/node_typ", "7:73 /nodes/3/label",
		"13:21 /edges/2/taget", "16:21 /max_iterations",
		"7:56 /nodes/3/config/n", "6:29 /nodes/2/node_type", "7:5 /nodes/3",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("places\n%q, want\n%q", got, want)
	}
	for _, hint := range []string{"did you mean version?", "keep one of the two", "wants a number, has a string", "did you mean node_type?", "did you mean target?", "did you mean add?", "cannot be reached from start", "wants a whole number"} {
		if !strings.Contains(all.Error(), hint) {
			t.Errorf("%q is not in\n%v", hint, all)
		}
	}
}

// TestWhatCannotBeReadIsOneFault: nothing is told of what follows from it.
func TestWhatCannotBeReadIsOneFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to string
		want     []string
	}{
		"edges":   {`"edges": [`, `"edges": 5, "more": [`, []string{"9:12 /edges", "9:15 /more"}},
		"an_edge": {`{"source": "start", "target": "add"}`, `"start → add"`, []string{"10:5 /edges/0"}},
		"ids_as_numbers": {`"edges": [`, `"edges": [{"source": 1, "target": 2}, {"source": 2, "target": 3}, `,
			[]string{"9:24 /edges/0/source", "9:37 /edges/0/target", "9:52 /edges/1/source", "9:65 /edges/1/target"}},
		"the_whole":      {loop, `["loop"]`, []string{"1:1 "}},
		"syntax":         {`"version": "1",`, `"version": "1"`, []string{"3:3 "}},
		"two":            {loop, loop + ` {}`, []string{"15:2 "}},
		"cut":            {loop, loop[:60], []string{"3:11 /nodes"}},
		"a_null":         {`"version": "1"`, `"version": null`, []string{"2:44 /version"}},
		"letters_before": {`"name": "Loop", "version": "1"`, `"name": "루프 🔁", "vresion": "1"`, []string{"2:33 /vresion"}},
		"mark":           {loop, "\ufeff" + strings.Replace(loop, `"version"`, `"Version"`, 1), []string{"2:33 /Version"}},
		"no_near_member": {`"id": "loop"`, `"i": "loop", "d": "x"`, []string{"1:1 /id", "2:3 /i", "2:16 /d"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(loop, c.from, c.to, 1)
			if got, all := places(t, text); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q\n%v", got, c.want, all)
			}
		})
	}
}

// TestFaultsAreBounded: a hostile file gets no endless answer.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("{")
	for i := range 20000 {
		fmt.Fprintf(&text, "%q: %d,", fmt.Sprintf("member%d", i), i)
	}
	text.WriteString(`"id": "x"}`)
	if _, err := workflow.Parse([]byte(text.String())); err == nil || strings.Count(err.Error(), "\n") > 101 || !strings.Contains(err.Error(), "more than 100 faults") {
		t.Errorf("%.300v", err)
	}
}
