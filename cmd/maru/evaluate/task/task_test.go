package task_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/scripted"
	"maru/agent/orchestrator"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/cmd/maru/evaluate/task"
)

// write puts a file into a folder of the test's own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// lookUp is a file with the tool that the scripted model looks the handbook up with, and one that nobody calls.
const lookUp = `[{"name": "handbook_lookup", "title": "Look up", "description": "Looks up the handbook.", "effect": "reads",
  "parameters": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"], "additionalProperties": false},
  "replies": [{"when": {"topic": "dinner"}, "text": "The budget for team dinners is 50,000 won per person a month."}]},
 {"name": "send_email", "title": "Mail", "description": "Sends a mail.", "effect": "sends", "parameters": {"type": "object"}, "replies": []}]`

// desk runs tasks through the orchestrator with the scripted model.
func desk(t *testing.T, file string) task.Report {
	t.Helper()
	d, err := orchestrator.Definition()
	if err != nil {
		t.Fatal(err)
	}
	f, err := task.Read(write(t, "tasks.jsonl", file), task.Routes(d))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := task.ReadTools(write(t, "tools.json", lookUp))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	run, err := task.New(task.Config{
		Definition: d, Tools: append(tools, builtin.NewCalculator()), Scopes: []string{"public"}, Clock: time.Now, Log: log,
		Build: func(r *tool.Registry) (agent.Agent, error) {
			return orchestrator.New(orchestrator.Config{
				Models: host.Models{Model: llm.Metered(scripted.New(), time.Now), MaxRetries: -1}, Tools: r,
				Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Check: workflow.CheckAnswer, Log: log}), Log: log,
			})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err := run.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestScripted: the scripted model asks, plans, looks up and calculates. What is as it should be counts as right, and
// of the same run what is not counts as wrong.
func TestScripted(t *testing.T) {
	t.Parallel()
	r := desk(t, `{"setup": {"now": "2026-11-02T10:00:00+09:00"}}
{"id": "right", "text": "What does our team dinner cost?", "clarify": "12 people", "route": "tool_required", "asks": true, "plan": ["handbook_lookup", "calculator"], "calls": [{"tool": "handbook_lookup"}, {"tool": "calculator", "arguments": {"expression": ["50,000 * 12"]}}], "says": [["600,000"]]}
{"id": "wrong", "text": "What does our team dinner cost?", "clarify": "12 people", "route": "simple_chat", "asks": false, "plan": ["send_email"], "calls": [{"tool": "send_email"}], "says": ["9,999"], "cites": ["Expenses"]}
{"id": "never", "text": "What does our team dinner cost?", "clarify": "12 people", "never": ["600000"], "calls": [], "declines": true}
`)
	all := r.Rows[0]
	want := task.Row{Group: "all", Tasks: 3, Route: task.Share{Right: 1, Of: 2}, Clarified: task.Share{Right: 1, Of: 2}, Plan: task.Share{Right: 1, Of: 2}, Calls: task.Share{Right: 1, Of: 3}, Answer: task.Share{Right: 1, Of: 3}, Cited: task.Share{Right: 0, Of: 1}, Declined: task.Share{Right: 0, Of: 1}, Unsupported: 2}
	want.ModelCalls, want.Tokens, want.Seconds = all.ModelCalls, all.Tokens, all.Seconds
	if all != want {
		t.Errorf("got  %+v\nwant %+v", all, want)
	}
	for i, o := range r.Outcomes {
		if right := i == 0; right != (len(o.Wrong) == 0) {
			t.Errorf("%s: wrong is %q, steps %q, calls %q, reply %s", o.ID, o.Wrong, o.Steps, o.Called, o.Reply)
		}
		if len(o.Called) != 2 || len(o.Steps) != 2 || o.ModelCalls < 3 || o.Failed != "" {
			t.Errorf("%s: %+v", o.ID, o)
		}
	}
	var table strings.Builder
	if err := task.WriteTable(&table, []task.Report{r}, true); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"| orchestrator | 3 | 1/2 | 1/2 | 1/2 | 1/3 | 1/3 | 0/1 | 0/1 | 2 | 0 |", "tasks.jsonl:3 wrong", "call  | calculator {"} {
		if !strings.Contains(table.String(), part) {
			t.Errorf("the table lacks %q:\n%s", part, table.String())
		}
	}
	if strings.Contains(table.String(), "tasks.jsonl:2") {
		t.Errorf("a task that went right is listed:\n%s", table.String())
	}
}

// TestStopped: a run that is stopped reports the tasks before that.
func TestStopped(t *testing.T) {
	t.Parallel()
	d, err := orchestrator.Definition()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	run, err := task.New(task.Config{
		Definition: d, Scopes: []string{"public"}, Clock: time.Now, Log: slog.New(slog.DiscardHandler),
		Build: func(*tool.Registry) (agent.Agent, error) { return said{}, nil },
		Progress: func(done int, _ string) {
			if done == 2 {
				stop()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f := task.File{Tasks: []task.Task{{Line: 1, Text: "a", Says: []task.Words{{"hi"}}}, {Line: 2, Text: "b", Says: []task.Words{{"hi"}}}, {Line: 3, Text: "c"}}}
	r, err := run.Run(ctx, f)
	if !errors.Is(err, context.Canceled) || len(r.Outcomes) != 2 || r.Rows[0].Answer != (task.Share{Right: 2, Of: 2}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// said is an agent that says hi.
type said struct{}

func (said) Name() string { return "said" }

func (said) Run(ctx context.Context, _ agent.Request, _ agent.Sink) (agent.Result, error) {
	return agent.Result{Text: "Hi."}, ctx.Err()
}

// TestFaults: what is wrong with a file is told by its lines, all at once.
func TestFaults(t *testing.T) {
	t.Parallel()
	good := `{"text": "hello", "calls": []}` + "\n"
	for name, c := range map[string]struct{ file, want string }{
		"empty":           {"\n\n", "has no task; each is a line such as"},
		"no_json":         {good + "hello\n", "tasks.jsonl:2: no JSON at byte 1"},
		"unknown_name":    {`{"text": "x", "say": ["y"]}`, `unknown field "say"; a task has id, text`},
		"no_text":         {`{"says": ["x"]}`, `"text" is missing`},
		"nothing_wanted":  {`{"text": "x"}`, "nothing is expected of it; give route"},
		"no_such_route":   {`{"text": "x", "route": "left"}`, `no route "left"; there are rag, agent`},
		"says_nothing":    {`{"text": "x", "says": [[]]}`, "an empty text or list is said by every answer"},
		"declines_twice":  {`{"text": "x", "declines": true, "says": ["y"]}`, `leave "says" and "cites" out`},
		"no_tool":         {`{"text": "x", "calls": [{"arguments": {"a": "b"}}]}`, `a call has no "tool"`},
		"role":            {`{"text": "x", "calls": [], "conversation": [{"role": "system", "text": "y"}]}`, `the role of a turn is "system"`},
		"same_id":         {`{"id": "a", "text": "x", "calls": []}` + "\n" + `{"id": "a", "text": "x", "calls": []}`, `tasks.jsonl:2: the id "a" stands on line 1 already`},
		"setup_late":      {good + `{"setup": {}}`, `"setup" belongs on the first line`},
		"setup_unknown":   {`{"setup": {"document": []}}`, `unknown field "document"`},
		"kind":            {`{"text": 3, "calls": []}`, `"text" wants a string, got a number`},
		"two_objects":     {`{"text": "x", "calls": []} {"text": "y"}`, "no JSON at byte"},
		"every_line_told": {`{"text": "x"}` + "\n" + `{"calls": []}`, "tasks.jsonl:1: nothing"},
	} {
		_, err := task.Read(write(t, "tasks.jsonl", c.file), []string{"rag", "agent"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if name == "every_line_told" && !strings.Contains(err.Error(), "tasks.jsonl:2:") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := task.Read(filepath.Join(t.TempDir(), "none"), nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing file: %v", err)
	}
	for text, want := range map[string]string{
		`[{"name": "a", "effect": "deletes"}]`: `the tool "a" has the effect "deletes"; it is reads, sends or writes`,
		`{"name": "a"}`:                        "it is a list of tools with name, title",
		`[{"nam": "a"}]`:                       `unknown field "nam"`,
	} {
		if _, err := task.ReadTools(write(t, "tools.json", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestHolds: files of questions and sets are told from those of tasks.
func TestHolds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"\n" + `{"setup": {}}`:              true,
		`{"text": "x", "calls": []}`:        true,
		`{"question": "x", "relevant": []}`: false,
		`{"_id": "1", "text": "a passage"}`: false,
		"hello":                             false,
		"":                                  false,
	} {
		path := write(t, "file.jsonl", text)
		if got := task.Holds(path); got != want {
			t.Errorf("%q holds tasks: %v", text, got)
		}
		if got := task.Holds(filepath.Dir(path)); got != want {
			t.Errorf("a folder with %q holds tasks: %v", text, got)
		}
	}
}
