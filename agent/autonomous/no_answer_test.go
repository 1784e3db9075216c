package autonomous_test

import (
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
)

// quiet sets metadata alone, and a condition decides whether anything is said.
const quiet = `{"id": "quiet", "name": "Quiet", "version": "1", "nodes": [
  {"id": "start", "node_type": "start"},
  {"id": "note", "node_type": "set_state", "label": "Take a note", "config": {"set": {"metadata.note": "{{input}}"}}},
  {"id": "loud", "node_type": "conditional", "config": {"when": "input == \"loud\""}},
  {"id": "blank", "node_type": "conditional", "config": {"when": "input == \"blank\""}},
  {"id": "spaces", "node_type": "set_state", "config": {"set": {"answer": " \n"}}},
  {"id": "say", "node_type": "set_state", "config": {"set": {"final_answer": "{{input}}!", "error": "none"}}},
  {"id": "end", "node_type": "end"}], "edges": [
  {"source": "start", "target": "note"}, {"source": "note", "target": "loud"},
  {"source": "loud", "source_port": "true", "target": "say"}, {"source": "loud", "source_port": "false", "target": "blank"},
  {"source": "blank", "source_port": "true", "target": "spaces"}, {"source": "blank", "source_port": "false", "target": "end"},
  {"source": "spaces", "target": "end"}, {"source": "say", "target": "end"}]}`

func TestARunWithoutAnAnswerSaysWhereItEnded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, input, person, builder string }{
		{"en", "psst", "“Quiet” ended after the step “blank” without an answer.", "ended after `blank`, but no node on its path wrote any of final_answer, answer, last_output"},
		{"ko", "psst", "‘Quiet’ 워크플로가 ‘blank’ 단계 다음에 답을 남기지 않고 끝났어요.", "`blank` 다음에 실행이 끝났는데"},
		{"en", "blank", "after the step “spaces”", "`spaces`"}, // blanks are no answer
		{"en", "loud", "loud!", ""},
	} {
		d := newDesk(t, llmtest.Script()).team(quiet)
		res, err := d.agent.Run(t.Context(), d.request(c.input, c.lang), d.sink)
		if err != nil || !strings.Contains(res.Text, c.person) {
			t.Errorf("%s %q: %q, %v", c.lang, c.input, res.Text, err)
		}
		at := slices.IndexFunc(d.events, func(e agent.Event) bool { return e.Kind == agent.EventCustom && e.Name == agent.CustomNoAnswer })
		switch {
		case at < 0 && c.builder == "":
		case at < 0 || c.builder == "" || !strings.Contains(d.events[at].Text, c.builder):
			t.Errorf("%s %q: the trace says %v", c.lang, c.input, d.events)
		}
	}
}

func TestWaysWithoutAnAnswerAreWarnedOf(t *testing.T) {
	t.Parallel()
	types, schema := autonomous.Types()
	var got []string
	for _, p := range workflow.CheckFile("quiet.json", []byte(quiet), types, schema, nil) {
		got = append(got, p.String())
		if !p.Warning {
			t.Errorf("it runs all the same: %v", p)
		}
	}
	want := "/edges/5, line 11, column 67: warning: a turn that goes this way ends without an answer: " +
		"start → note → loud (false) → blank (false) → end (write final_answer on this way, with set_state for instance)"
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAWorkflowInsideAnotherMaySayNothing: its result may be elsewhere.
func TestAWorkflowInsideAnotherMaySayNothing(t *testing.T) {
	t.Parallel()
	types, schema := autonomous.Types()
	outer := parse(t, line("outer", `{"id":"sub","node_type":"sub_workflow","config":{"workflow":"quiet","result":"metadata.note"}}`))
	inner := parse(t, quiet)
	if found := workflow.Check(outer, types, schema, func(string) (workflow.Definition, bool) { return inner, true }); len(found) > 0 {
		t.Error(found)
	}
}
