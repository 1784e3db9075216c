package guide_test

import (
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/guide"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
)

// TestRunThatWaitsKeepsItsWorkflow upgrades the program while sub-tasks wait for
// their approval: the new workflow writes no guide.
func TestRunThatWaitsKeepsItsWorkflow(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]agent.Reply{
		"approved":       {Action: agent.VerbAccept},
		"edited_by_hand": {Action: agent.VerbEdit, Values: map[string]string{"sub_tasks": "영상 편집\n뉴스레터 보내기"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Script(task(true), plan("영상 편집", "썸네일 만들기")))
			r := d.request(goal, "ko")
			waits := d.must(r)
			later, err := guide.Definition()
			if err != nil {
				t.Fatal(err)
			}
			for n, e := range later.Edges {
				switch {
				case e.Source == "recommend_tool_node" && e.Port == "done":
					later.Edges[n].Target = "reflection_node"
				case e.Source == "recommend_tool_node" && e.Port == "rejected":
					later.Edges[n].Target = "guide_generation_node"
				}
			}
			upgrade := func(m llm.Model) {
				d.cfg.Model = llm.Metered(m, time.Now)
				d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true, Check: workflow.CheckAnswer})
				if d.agent, err = guide.NewWith(d.cfg, later); err != nil {
					t.Fatal(err)
				}
			}
			upgrade(llmtest.Script(llmtest.Text("없음"), choose("DaVinci Resolve", "Stibee"), llmtest.Text("이렇게 해요."), reflection()))
			res, err := d.decide(r, waits, reply)
			if err != nil || !strings.Contains(d.path(), "guide_generation_node") || !strings.Contains(res.Text, "이렇게 해요") {
				t.Errorf("went %s: %q, %v", d.path(), res.Text, err)
			}
			upgrade(llmtest.Script(task(true), plan("영상 편집"), llmtest.Text("없음"), choose("DaVinci Resolve"), reflection()))
			r = d.request(goal, "ko")
			if waits = d.must(r); d.path() == "" {
				t.Fatal("nothing ran")
			}
			if _, err = d.decide(r, waits, agent.Reply{Action: agent.VerbAccept}); err != nil || strings.Contains(d.path(), "guide_generation_node") {
				t.Errorf("the next run is not under the new workflow: %s, %v", d.path(), err)
			}
		})
	}
}
