package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/orchestrator"
	"maru/agent/workflow"
)

// TestRunThatWaitsKeepsItsWorkflow upgrades the program while a plan waits for its
// approval: the new workflow sends approved plans to the answer.
func TestRunThatWaitsKeepsItsWorkflow(t *testing.T) {
	t.Parallel()
	d := newDesk(t, weatherMind(), agent.Approvals{Plan: true})
	i, _ := d.asked("plan")
	later, err := orchestrator.Definition()
	if err != nil {
		t.Fatal(err)
	}
	for n, e := range later.Edges {
		if e.Source == "process_plan_feedback" && e.Port == "run" {
			later.Edges[n].Target = "synthesis"
		}
	}
	upgrade := func() {
		d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true, Check: workflow.CheckAnswer})
		if d.agent, err = orchestrator.NewWith(d.cfg, later); err != nil {
			t.Fatal(err)
		}
	}
	upgrade()
	d.decide(i, do("accept")).accepted()
	if want := `get_weather{"city":"부산"}; write_note{"text":"맑음"}`; d.tools.made() != want {
		t.Errorf("calls %s, want %s as was approved", d.tools.made(), want)
	}
	d.next("부산 날씨를 다시 알아보고 메모해 줘")
	i, _ = d.asked("plan")
	d.decide(i, do("accept")).run()
	if strings.Count(d.tools.made(), "write_note") != 1 {
		t.Errorf("the next run is not under the new workflow: %s", d.tools.made())
	}
}
