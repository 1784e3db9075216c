package contract_test

import (
	"strings"
	"testing"

	"maru/agent/contract"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestRunThatBrokeOffKeepsItsWorkflow upgrades the program between two nodes of a
// run: the new workflow never asks whether what was found is enough.
func TestRunThatBrokeOffKeepsItsWorkflow(t *testing.T) {
	t.Parallel()
	const question = "계약 해지와 관련해 유의할 점은?"
	model := func(review llmtest.Reply) llm.Model {
		return llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
			llm.ForPlan:   func(llm.Request) llmtest.Reply { return llmtest.CallTool("hybrid_search", `{"query":"해지"}`) },
			llm.ForReview: func(llm.Request) llmtest.Reply { return review },
			llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("7일 전에 알려야 해요 [1].") },
		})
	}
	d := newDesk(t, model(llmtest.Fail(&llm.Error{Class: llm.Auth})))
	d.add(home, "개발 계약서.txt", leaseKo)
	r := d.request(question, "ko")
	if _, err := d.run(r); err == nil {
		t.Fatal("the run did not break off")
	}
	later, err := contract.Definition()
	if err != nil {
		t.Fatal(err)
	}
	for n, e := range later.Edges {
		if e.Source == "evaluator" && e.Port == "enough" {
			later.Edges[n].Target = "scope_validator"
		}
	}
	d.use(model(evaluation(true, "")))
	d.cfg.Runtime = graph.NewRuntime(graph.Config{Checkpointer: d.log, DetectMutation: true})
	if d.agent, err = contract.NewWith(d.cfg, later); err != nil {
		t.Fatal(err)
	}
	res, err := d.run(r)
	if err != nil || d.path() != "evaluator respond" || !strings.Contains(res.Text, "7일") {
		t.Errorf("went %s: %q, %v", d.path(), res.Text, err)
	}
}
