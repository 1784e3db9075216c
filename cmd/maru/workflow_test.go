package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

const asking = `{"id": "asking", "name": "Asking", "version": "1", "nodes": [
  {"id": "start", "node_type": "start"},
  {"id": "ask", "node_type": "human_approval", "config": {"question": "Send {{input}}?"}},
  {"id": "yes", "node_type": "set_state", "config": {"set": {"final_answer": "sent {{input}}"}}},
  {"id": "no", "node_type": "set_state", "config": {"set": {"final_answer": "kept {{input}}"}}},
  {"id": "end", "node_type": "end"}], "edges": [
  {"source": "start", "target": "ask"},
  {"source": "ask", "source_port": "approved", "target": "yes"}, {"source": "ask", "source_port": "rejected", "target": "no"},
  {"source": "yes", "target": "end"}, {"source": "no", "target": "end"}]}`

func definitionFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "w.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestWorkflowCommand(t *testing.T) {
	t.Parallel()
	unraced(t)
	data := t.TempDir()
	env := []string{"DATA_DIR=" + data, "MARU_HANDBOOK=false"}
	file := definitionFile(t, asking)
	if err := os.Mkdir(filepath.Join(data, "workflows"), 0o750); err != nil {
		t.Fatal(err)
	}
	team := func(name string) string { return filepath.Join(data, "workflows", name) }
	for name, text := range map[string]string{
		"a.json": strings.Replace(asking, `"asking"`, `"theirs"`, 1),
		"b.json": strings.NewReplacer(`"asking"`, `"twice"`, `"set_state"`, `"set_stat"`).Replace(asking),
		"c.json": strings.NewReplacer(`"asking"`, `"twice"`, `"node_type": "end"`, `"node_type": "end", "label": "from the sound file"`).Replace(asking),
	} {
		if err := os.WriteFile(team(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	broken := definitionFile(t, strings.NewReplacer(`"set_state"`, `"set_stat"`, `"target": "ask"`, `"target": "aks"`).Replace(asking))
	misspelt := definitionFile(t, strings.NewReplacer(`"set_state"`, `"set_stat"`, `"version"`, `"versoin"`).Replace(asking))
	cases := []struct {
		name string
		args []string
		code int
		want []string // in what is printed
	}{
		{"list", []string{"list"}, exitOK, []string{"chat", "autonomous"}},
		{"show", []string{"show", "autonomous"}, exitOK, []string{`"classify_difficulty"`}},
		{"mermaid", []string{"graph", "autonomous"}, exitOK, []string{"flowchart TD", "n_review"}},
		{"svg", []string{"graph", "--svg", "chat"}, exitOK, []string{"<svg", "</svg>"}},
		{"valid", []string{"validate", "autonomous", "chat", file}, exitOK, []string{"autonomous: ok", "chat: ok", file + ": ok"}},
		{"built_in", []string{"validate", "chat", "autonomous", "contract", "guide", "orchestrator"}, exitOK, []string{"contract: ok", "guide: ok", "orchestrator: ok"}},
		{"team_by_id", []string{"validate", "theirs"}, exitOK, []string{"theirs: ok"}},
		{"team_drawn_by_id", []string{"graph", "theirs"}, exitOK, []string{"n_ask"}},
		{"team_shown_by_id", []string{"show", "theirs"}, exitOK, []string{`"human_approval"`}},
		{"broken_file_claims_no_id", []string{"validate", team("c.json")}, exitOK, []string{team("c.json") + ": ok"}},
		{"sound_file_has_the_id", []string{"show", "twice"}, exitOK, []string{"from the sound file"}},
		{"broken_file_is_listed", []string{"list"}, exitOK, []string{"twice", "✗ " + team("b.json")}},
		{"seed_form", []string{"validate", "../../agent/autonomous/testdata/autonomous_graph.json"}, exitOK, []string{"autonomous_graph.json: ok"}},
		{"folder", []string{"validate", "."}, exitFailed, nil},
		{"every_problem_at_once", []string{"validate", broken}, exitFailed, []string{
			"/nodes/2/node_type", "/nodes/3/node_type", "did you mean set_state?", "[resolve]", "/edges/0/target", "did you mean ask?", "[validate]",
		}},
		{"unknown_members_hide_nothing", []string{"validate", misspelt}, exitFailed, []string{
			misspelt + ":1:36: /versoin: is not a member that a definition has (did you mean version?) [validate]",
			misspelt + ":4:30: node “yes” (/nodes/2/node_type): unknown type \"set_stat\" (did you mean set_state?) [resolve]",
		}},
		{"another_program", []string{"validate", definitionFile(t, `{"nodes":[{"type":"n8n-nodes-base.webhook"}],"connections":{}}`)}, exitFailed, []string{"workflow of n8n"}},
		{"no_file", []string{"validate", "nothing.json"}, exitFailed, nil},
		{"nothing_to_run", []string{"run", file}, exitUsage, nil},
		{"unknown", []string{"dance"}, exitUsage, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := runHere(t, "", env, append([]string{"workflow"}, c.args...)...)
			if code != c.code {
				t.Errorf("code %d, want %d\n%s%s", code, c.code, out, errs)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in:\n%s", want, out)
				}
			}
		})
	}
}

// TestWorkflowFaultsInTheLanguageOfTheTerminal: of the definition, of a config and of an expression.
func TestWorkflowFaultsInTheLanguageOfTheTerminal(t *testing.T) {
	t.Parallel()
	unraced(t)
	file := definitionFile(t, strings.NewReplacer(`"target": "ask"`, `"target": "aks"`, `{{input}}?`, `{{inputt}}?`, `"set": {"final_answer": "kept`, `"sets": {"final_answer": "kept`).Replace(asking))
	code, out, _ := runHere(t, "", []string{"LANG=ko_KR.UTF-8"}, "workflow", "validate", file)
	for _, want := range []string{"이 ID의 노드가 없어요: \"aks\" (혹시 ask 아닌가요?)", "없는 이름이 있어요: \"inputt\" (혹시 input", "이 노드에 없는 설정이에요"} {
		if code != exitFailed || !strings.Contains(out, want) {
			t.Errorf("code %d, %q is not in:\n%s", code, want, out)
		}
	}
}

// TestWorkflowSchemaHoldsForEveryAgent: what a built-in agent is written with has a
// schema too, by which it is without fault.
func TestWorkflowSchemaHoldsForEveryAgent(t *testing.T) {
	t.Parallel()
	unraced(t)
	for _, name := range []string{"chat", "autonomous", "contract", "guide", "orchestrator"} {
		_, schema, _ := runHere(t, "", nil, "workflow", "schema", name)
		_, shown, _ := runHere(t, "", nil, "workflow", "show", name)
		shape, err := tool.NewShape(json.RawMessage(schema))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if wrong := shape.Check(json.RawMessage(shown)); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		odd := strings.Replace(shown, `"node_type": "start"`, `"node_type": "start", "config": {"a": 1}`, 1)
		if shape.Check(json.RawMessage(odd)) == "" {
			t.Errorf("%s: a start with a config passes", name)
		}
	}
	if code, _, _ := runHere(t, "", nil, "workflow", "schema", "nobody"); code != exitUsage {
		t.Errorf("of an agent that does not exist: code %d", code)
	}
}

func TestWorkflowSchemaIsJSON(t *testing.T) {
	t.Parallel()
	code, out, errs := runHere(t, "", nil, "workflow", "schema")
	if code != exitOK || !json.Valid([]byte(out)) || !strings.Contains(out, "2020-12") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
}

func TestWorkflowRunsInTheTerminal(t *testing.T) {
	t.Parallel()
	unraced(t)
	file := definitionFile(t, asking)
	for answer, want := range map[string]string{"yes\n": "sent it\n", "no\n": "kept it\n", "what?\n": "kept it\n"} {
		code, out, progress := runHere(t, answer, []string{"DATA_DIR=" + t.TempDir()}, "workflow", "run", file, "it")
		if code != exitOK || out != want {
			t.Errorf("after %q: code %d, %q\n%s", answer, code, out, progress)
		}
		for _, line := range []string{"→ ask\n⏸ ask waits for an answer\n\nask asks (approval): Send it?\nyes or no?", "✓ ask "} {
			if !strings.Contains(progress, line) {
				t.Errorf("%q is not in the progress:\n%s", line, progress)
			}
		}
		if n := strings.Count(progress, "✓ ask "); n != 1 {
			t.Errorf("ask is done %d times:\n%s", n, progress)
		}
	}
	code, _, errs := runHere(t, "", []string{"DATA_DIR=" + t.TempDir()}, "workflow", "run", file, "it")
	if code != exitFailed || !strings.Contains(errs, "standard input has ended") {
		t.Errorf("without an answer: code %d\n%s", code, errs)
	}
}

// TestWorkflowRunTellsTheBuilderWhatIsMissing: the person's sentence is the answer,
// the builder's is in the progress.
func TestWorkflowRunTellsTheBuilderWhatIsMissing(t *testing.T) {
	t.Parallel()
	unraced(t)
	file := definitionFile(t, strings.NewReplacer(`"final_answer": "kept {{input}}"`, `"metadata.kept": true`).Replace(asking))
	code, out, progress := runHere(t, "no\n", []string{"DATA_DIR=" + t.TempDir()}, "workflow", "run", file, "it")
	if code != exitOK || !strings.Contains(out, "“Asking” ended after the step “no” without an answer") || !strings.Contains(progress, "✗ The run ended after `no`") {
		t.Errorf("code %d, %q\n%s", code, out, progress)
	}
	code, out, _ = runHere(t, "", nil, "workflow", "validate", file)
	if code != exitOK || !strings.Contains(out, ":9:39: /edges/4: warning: a turn that goes this way ends without an answer: start → ask (rejected) → no → end") {
		t.Errorf("code %d, %s", code, out)
	}
}

func TestWorkflowRunLogsItsTurns(t *testing.T) {
	t.Parallel()
	unraced(t)
	log := filepath.Join(t.TempDir(), "turns.jsonl")
	recording := definitionFile(t, strings.NewReplacer(
		`{"id": "end"`, `{"id": "keep", "node_type": "transcript_record"}, {"id": "end"`,
		`"target": "end"`, `"target": "keep"`, `"edges": [`, `"edges": [{"source": "keep", "target": "end"},`).Replace(asking))
	for _, answer := range []string{"yes\n", "no\n"} {
		if code, _, errs := runHere(t, answer, []string{"DATA_DIR=" + t.TempDir()}, "workflow", "run", "--log", log, recording, "it"); code != exitOK {
			t.Fatalf("code %d\n%s", code, errs)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var answers []string
	for line := range strings.Lines(string(text)) {
		var turn struct{ Input, Answer, Run string }
		if err := json.Unmarshal([]byte(line), &turn); err != nil || turn.Input != "it" || turn.Run == "" {
			t.Errorf("line %s: %v", line, err)
		}
		answers = append(answers, turn.Answer)
	}
	if want := []string{"sent it", "kept it"}; !slices.Equal(answers, want) {
		t.Errorf("answers %q, want %q", answers, want)
	}

	code, _, errs := runHere(t, "yes\n", []string{"DATA_DIR=" + t.TempDir()}, "workflow", "run", "--log", log, definitionFile(t, asking), "it")
	if code != exitFailed || !strings.Contains(errs, "transcript_record") {
		t.Errorf("of a definition that keeps nothing: code %d\n%s", code, errs)
	}
}

// TestATerminalThatIsHeldStopsNoStep: the model, which only the second node asks,
// is asked before anybody reads the progress of the first.
func TestATerminalThatIsHeldStopsNoStep(t *testing.T) {
	t.Parallel()
	file := definitionFile(t, `{"id": "two", "name": "Two", "version": "1", "nodes": [
	  {"id": "start", "node_type": "start"},
	  {"id": "first", "node_type": "set_state", "config": {"set": {"metadata.text": "{{input}}"}}},
	  {"id": "second", "node_type": "llm_call", "config": {"prompt": "{{metadata.text}}"}},
	  {"id": "end", "node_type": "end"}], "edges": [
	  {"source": "start", "target": "first"}, {"source": "first", "target": "second"}, {"source": "second", "target": "end"}]}`)
	asked := make(chan struct{})
	var once sync.Once
	model := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply {
		once.Do(func() { close(asked) })
		return llmtest.Reply{Text: "said"}
	})
	var out strings.Builder
	held := &heldWriter{until: asked}
	p := process{
		args:    []string{"workflow", "run", file, "it"},
		environ: []string{"DATA_DIR=" + t.TempDir(), "OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=k", "OPENAI_MODEL=m"}, readFile: os.ReadFile,
		stdin: strings.NewReader(""), stdout: &out, stderr: held,
	}
	if code := p.run(t.Context()); code != exitOK || out.String() != "said\n" || !strings.Contains(held.got.String(), "✓ second") {
		t.Errorf("code %d, %q\n%s", code, &out, &held.got)
	}
}

// heldWriter takes nothing until something has happened.
type heldWriter struct {
	until <-chan struct{}
	got   strings.Builder
}

func (w *heldWriter) Write(b []byte) (int, error) {
	select {
	case <-w.until:
		return w.got.Write(b)
	case <-time.After(atMost):
		return 0, errors.New("nothing happened")
	}
}
