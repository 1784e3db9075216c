package node_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// TestEveryFaultOfAConfigIsTold: by its place, with what was probably meant, one
// hiding no other.
func TestEveryFaultOfAConfigIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ node, want string }{
		"set_state": {`"set_state", "config": {"set": {"answr": "x", "answer": "{{inptu}}", "metadata.a/b": ["{{iteration +}}", "{{input"]}}`,
			`/set/answer did you mean input?
			/set/answr see set_state in docs/nodes.md
			/set/metadata.a~1b/0 see set_state in docs/nodes.md
			/set/metadata.a~1b/1 see set_state in docs/nodes.md`},
		"llm_call": {`"llm_call", "config": {"prompt": "{{lastoutput}}", "system": "{{usr}}", "output": "nope", "schema": {"type": "objekt"}}`,
			`/output see llm_call in docs/nodes.md
			/prompt did you mean last_output?
			/schema see llm_call in docs/nodes.md
			/system did you mean user?`},
		"http_request": {`"http_request", "config": {"url": "ftp://a.example.com/", "hosts": ["*.example.com", "https://a.example.com/", "a.example.com", "[::1]:80"], "headers": {"x": "{{"}}`,
			`/headers/x see http_request in docs/nodes.md
			/hosts/0 see http_request in docs/nodes.md
			/hosts/1 see http_request in docs/nodes.md
			/url see http_request in docs/nodes.md`},
		"other_host": {`"http_request", "config": {"url": "https://b.example.com/", "hosts": ["a.example.com"]}`, `/url see http_request in docs/nodes.md`},
		"tool_call":  {`"tool_call", "config": {"tool": "x", "arguments": {"a": {"b": ["{{todo}}"]}}}`, `/arguments/a/b/0 did you mean todos?`},
		"function":   {`"set_state", "config": {"set": {"answer": "{{length(todos)}}"}}`, `/set/answer did you mean len?`},
		"retrieve":   {`"retrieve", "config": {"query": "{{qqqqqqqqqqqqqqqqqqqqqqqqqqqq}}"}`, `/query names: answer, completion_detail`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := workflow.Parse(fmt.Appendf(nil, `{"id": "x", "name": "X", "version": "1", "nodes": [
				{"id": "start", "node_type": "start"}, {"id": "n", "node_type": %s}, {"id": "end", "node_type": "end"}],
				"edges": [{"source": "start", "target": "n"}, {"source": "n", "target": "end"}]}`, c.node))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range workflow.Check(d, workflow.NewRegistry(node.Types()...), node.NewState().Schema, nil) {
				at, _ := strings.CutPrefix(p.Pointer, "/nodes/1/config")
				got = append(got, at+" "+p.Hint)
			}
			slices.Sort(got)
			want := strings.Split(strings.ReplaceAll(c.want, "\t", ""), "\n")
			if !slices.EqualFunc(got, want, strings.HasPrefix) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestOneEqualsSignIsToldApart: who compares as in other languages is told how it is done here.
func TestOneEqualsSignIsToldApart(t *testing.T) {
	t.Parallel()
	d, err := workflow.Parse([]byte(`{"id": "x", "name": "X", "version": "1", "nodes": [
		{"id": "start", "node_type": "start"}, {"id": "n", "node_type": "set_state", "config": {"set": {"answer": "{{difficulty = 'hard'}}"}}}, {"id": "end", "node_type": "end"}],
		"edges": [{"source": "start", "target": "n"}, {"source": "n", "target": "end"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := workflow.Check(d, workflow.NewRegistry(node.Types()...), node.NewState().Schema, nil).Err(); got == nil || !strings.Contains(got.Error(), "== compares") {
		t.Errorf("told %v", got)
	}
}
