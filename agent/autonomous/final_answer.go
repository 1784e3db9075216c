package autonomous

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

func (k kit) finalAnswer() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "final_answer", Summary: "Writes the answer from the results of the todos; people see it as it comes.",
		Doc:   "If the model cannot, or the budget is used up, the results are put together as they are.",
		Reads: []string{"input", "todos", "review_feedback", "passages"}, Writes: []string{"final_answer", "last_output", "is_complete", "fallback", "current_step"},
		Config: json.RawMessage(`{"type":"object","maxProperties":0}`),
	}, k.conclude, nil)
}

func (k kit) conclude(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	text, err := k.prompt("final_answer", s, x, nil)
	if err != nil {
		return nil, err
	}
	passages := k.st.Passages.Get(s)
	reply, err := k.converse(ctx, x, conversation{
		read: k.read(s, x), purpose: llm.ForAnswer, passages: passages, stream: true,
		messages: system(text+node.ShowPassages(passages), llm.Message{Role: llm.User, Content: k.st.Input.Get(s)}),
	})
	if err != nil && !workflow.Soft(err) && !(workflow.Silent(ctx, err) && someDone(k.st.Todos.Get(s))) {
		return nil, err
	}
	if err != nil {
		k.log.WarnContext(ctx, "final answer failed, listing the results", "run", x.Request.Run, "err", err)
	}
	if err != nil || reply.Text == "" {
		reply.Text = k.assemble(s, x)
		x.Emit(agent.Event{Kind: agent.EventReset})
		x.Emit(agent.Event{Kind: agent.EventToken, Text: reply.Text})
	}
	return k.step("final_answer", reply.Switches,
		k.st.FinalAnswer.Set(reply.Text), k.st.LastOutput.Set(reply.Text), k.st.IsComplete.Set(true)), nil
}

// assemble joins the results without a model.
func (k kit) assemble(s graph.State, x *workflow.Exec) string {
	var b strings.Builder
	b.WriteString(x.Phrase("agent.results_unwritten") + "\n")
	for i, t := range k.st.Todos.Get(s) {
		result := strings.TrimSpace(t.Result)
		switch {
		case t.Status == node.TodoFailed:
			result = x.Phrase("autonomous.not_possible", result)
		case t.Status == node.TodoOpen:
			result = x.Phrase("autonomous.not_done")
		}
		fmt.Fprintf(&b, "\n**%d. %s**\n%s\n", i+1, t.Title, result)
	}
	return strings.TrimSpace(b.String())
}
