package autonomous_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/graph"
	"maru/agent/llm/llmtest"
)

func TestRunsThatWaitFinishOnTheirDefinition(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script()).team(flow("t", fmt.Sprintf(approval, "sent"), approvalEdges))
	req := d.request("it", "en")
	res, err := d.agent.Run(t.Context(), req, d.sink)
	if err != nil || len(res.Interrupts) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	// The file changes while the run waits: other words, and other nodes.
	d.team(line("t", `{"id":"other","node_type":"set_state","config":{"set":{"final_answer":"the new one"}}}`))
	req.Decisions = []agent.Decision{{Interrupt: res.Interrupts[0].ID, By: "u2", Value: json.RawMessage(`{"approved":true}`)}}
	res, err = d.agent.Run(t.Context(), req, d.sink)
	if err != nil || res.Text != "sent by u2" {
		t.Errorf("%q, %v", res.Text, err)
	}
	if res := d.must("next"); res.Text != "the new one" {
		t.Errorf("the next run: %q", res.Text)
	}
}

func TestFolderFollowsItsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	say := func(id, words string) string {
		return line(id, `{"id":"n","node_type":"set_state","config":{"set":{"final_answer":"`+words+`"}}}`)
	}
	write("a.json", say("a", "one"))
	write("parent.json", line("parent", `{"id":"n","node_type":"sub_workflow","config":{"workflow":"a","output":"final_answer"}}`))
	write("notes.txt", "not a workflow")
	cfg := autonomous.Config{Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})}
	f, err := autonomous.Open(cfg, dir, nil, "chat")
	if err != nil {
		t.Fatal(err)
	}
	runner := agent.NewRunner(nil, 0, time.Now)
	runner.Extend(f)
	turn := 0
	ask := func(name string) string {
		t.Helper()
		turn++
		res, _, err := runner.Run(t.Context(), agent.Request{Run: fmt.Sprint("r", turn), Thread: "x", Agent: name, Text: "q"}, nil)
		if err != nil {
			return err.Error()
		}
		return res.Text
	}
	check := func(step, id, want string, faults ...string) {
		t.Helper()
		if _, err := f.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := ask(id); got != want {
			t.Errorf("%s: %s says %q, want %q", step, id, got, want)
		}
		var have []string
		for file := range f.Faults() {
			have = append(have, file)
		}
		slices.Sort(have)
		if !slices.Equal(have, faults) {
			t.Errorf("%s: faults %v, want %v", step, f.Faults(), faults)
		}
	}
	check("at_first", "a", "one")
	check("through_a_parent", "parent", "one")
	old, _ := f.Lookup("a")
	write("a.json", say("a", "two"))
	check("changed", "a", "two")
	check("changed_below_a_parent", "parent", "two")
	if res, err := old.Run(t.Context(), agent.Request{Run: "old", Thread: "y"}, nil); err != nil || res.Text != "one" {
		t.Errorf("whoever had the old one: %q, %v", res.Text, err)
	}
	write("a.json", `{"id": "a", "name"`)
	check("broken_text", "a", "two", "a.json")
	write("a.json", line("a", `{"id":"n","node_type":"set_stat","config":{}}`))
	check("broken_type", "a", "two", "a.json")
	check("a_parent_of_a_broken_one", "parent", "two", "a.json")
	write("b.json", say("a", "another file"))
	write("c.json", say("chat", "thief"))
	check("a_broken_file_claims_no_id", "parent", "another file", "a.json", "c.json")
	write("a.json", say("a", "mended"))
	check("the_first_by_name_has_it", "parent", "mended", "b.json", "c.json")
	if err := os.Remove(filepath.Join(dir, "b.json")); err != nil {
		t.Fatal(err)
	}
	write("a.json", say("a", "three"))
	check("repaired", "parent", "three", "c.json")
	if err := os.Remove(filepath.Join(dir, "parent.json")); err != nil {
		t.Fatal(err)
	}
	check("removed", "parent", `agent: unknown agent: "parent"`, "c.json")
	if !slices.Equal(runner.Names(), []string{"a"}) {
		t.Errorf("names: %v", runner.Names())
	}
}
