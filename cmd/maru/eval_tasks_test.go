package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvalTasks runs the tasks of examples/tasks through all five agents with the built-in model, and fails when a
// figure falls. docs/models.md has the figures.
func TestEvalTasks(t *testing.T) {
	t.Parallel()
	unraced(t)
	code, stdout, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir()}, "eval", "--json", filepath.Join("..", "..", "examples", "tasks"))
	type share struct{ Right, Of int }
	var out struct {
		Agents []struct {
			Agent, Model string
			Rows         []struct {
				Group                             string
				Tasks, Unsupported, Failed        int
				Route, Calls, Answer, Cited, Plan share
				Declined, Clarified               share
				ModelCalls                        float64 `json:"model_calls"`
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &out); code != 0 || err != nil || len(out.Agents) != 5 {
		t.Fatalf("exit %d, %v, %d agents: %s", code, err, len(out.Agents), stderr)
	}
	// The built-in model quotes: it calls no tools but the calculator, and makes no plans.
	least := map[string]struct{ route, answer, cited, plan int }{
		"chat": {8, 10, 7, 0}, "orchestrator": {4, 4, 2, 0}, "guide": {20, 13, 0, 9}, "contract": {20, 14, 14, 0}, "autonomous": {2, 3, 4, 0},
	}
	for _, a := range out.Agents {
		all, want := a.Rows[0], least[a.Agent]
		if len(a.Rows) != 3 || all.Tasks != 20 || a.Rows[1].Tasks != 10 || all.Failed > 0 || all.Unsupported > 0 {
			t.Errorf("%s: rows %+v", a.Agent, a.Rows)
		}
		if all.Route.Right < want.route || all.Answer.Right < want.answer || all.Cited.Right < want.cited || all.Plan.Right < want.plan {
			t.Errorf("%s: %+v, want at least %+v", a.Agent, all, want)
		}
	}
}

// TestEvalTasksFaults: what cannot be run is told before anything is asked.
func TestEvalTasksFaults(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		write(t, path, text)
		return path
	}
	good := file("good.jsonl", `{"text": "hello", "route": "agent"}`)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"other_agent": {[]string{"--agent", "guide", good}, 1, `tasks for the agent guide (--agent chooses another):`},
		"no_agent":    {[]string{"--agent", "demo", good}, 2, `tasks can be run through chat, orchestrator, guide, contract, autonomous`},
		"bad_line":    {[]string{file("bad.jsonl", `{"text": "hello"}`)}, 1, "bad.jsonl:1: nothing is expected of it"},
		"no_tools":    {[]string{file("t.jsonl", `{"setup": {"tools": "none.json"}}`+"\n"+`{"text": "hello", "calls": []}`)}, 1, "none.json: no such file"},
		"no_document": {[]string{file("d.jsonl", `{"setup": {"documents": ["none"]}}`+"\n"+`{"text": "hello", "calls": []}`)}, 1, "none"},
	} {
		code, _, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir()}, append([]string{"eval"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, want %d: %s", name, code, c.code, stderr)
		}
	}
}
