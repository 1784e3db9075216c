package workflow_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/workflow"
)

// branched asks, and answers or searches first.
func branched() workflow.Definition {
	return workflow.Definition{
		ID: "branched", Name: "Branched",
		Nodes: []workflow.Node{{ID: "start", Type: workflow.TypeStart}, {ID: "route", Type: "router"}, {ID: "search", Type: "retrieve"}, {ID: "answer", Type: "llm_call"}, {ID: "end", Type: workflow.TypeEnd}},
		Edges: []workflow.Edge{
			{Source: "start", Target: "route"}, {Source: "route", Target: "search", Port: "documents"}, {Source: "route", Target: "answer", Port: "talk"},
			{Source: "search", Target: "answer"}, {Source: "answer", Target: "search", Port: "again"}, {Source: "answer", Target: "end"},
		},
	}
}

func passed(nodes ...string) (list []agent.Event) {
	for _, n := range nodes {
		list = append(list, agent.Event{Kind: agent.EventNodeStart, Node: n}, agent.Event{Kind: agent.EventNodeEnd, Node: n})
	}
	return list
}

func TestMarksFollowTheRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		events []agent.Event
		nodes  string // of interest, with their states
		edges  string
		not    string
	}{
		"straight": {passed("route", "answer"), "route=done answer=done end=done", "start>route route>answer answer>end", "route>search search>answer"},
		"loop":     {passed("route", "search", "answer", "search", "answer"), "search=done", "route>search search>answer answer>search answer>end", "route>answer"},
		"failed": {append(passed("route"), agent.Event{Kind: agent.EventNodeStart, Node: "answer"}, agent.Event{Kind: agent.EventNodeEnd, Node: "answer", Err: "no"}),
			"answer=failed end=", "route>answer", "answer>end"},
		"waits": {append(passed("route"), agent.Event{Kind: agent.EventNodeStart, Node: "answer"}, agent.Event{Kind: agent.EventNodeEnd, Node: "answer", Waits: true}),
			"answer=waiting", "route>answer", "answer>end"},
		"at_work":          {[]agent.Event{{Kind: agent.EventNodeStart, Node: "route"}}, "route=running answer=", "start>route", "route>answer"},
		"of_another_agent": {passed("route", "plan"), "plan=", "start>route", "route>answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := workflow.MarksOf(branched(), tt.events)
			for pair := range strings.FieldsSeq(tt.nodes) {
				node, want, _ := strings.Cut(pair, "=")
				if m.Nodes[node] != want {
					t.Errorf("%s is %q, want %q", node, m.Nodes[node], want)
				}
			}
			for list, want := range map[string]bool{tt.edges: true, tt.not: false} {
				for edge := range strings.FieldsSeq(list) {
					from, to, _ := strings.Cut(edge, ">")
					if m.Edges[[2]string{from, to}] != want {
						t.Errorf("edge %s: followed %v, want %v", edge, !want, want)
					}
				}
			}
		})
	}
}

func TestInlineDrawingHasNoStyleOfItsOwn(t *testing.T) {
	t.Parallel()
	svg := workflow.Inline(branched(), workflow.MarksOf(branched(), passed("route", "answer")))
	for _, want := range []string{`class="box been done"`, `class="line been"`, `class="box"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if strings.Contains(svg, "<style") || strings.Contains(svg, `class="page"`) {
		t.Error("it has a style or a page of its own")
	}
}
