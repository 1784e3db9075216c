package autonomous

import (
	"context"
	"encoding/json"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
)

func (k kit) finalReview() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "final_review", Summary: "Looks over the results of all todos before the answer is written.",
		Doc:   "What is missing or contradictory goes into `review_feedback`, for the final answer to say openly. If the model cannot review, `review_result` is `skipped`.",
		Reads: []string{"input", "todos", "completion_signal", "completion_detail"}, Writes: []string{"review_result", "review_feedback", "fallback", "current_step"},
		Config: json.RawMessage(`{"type":"object","maxProperties":0}`),
	}, func(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
		if k.away(s) {
			return k.step("final_review", nil, k.st.ReviewResult.Set(skipped), k.st.ReviewFeedback.Set("")), nil
		}
		x.Doing("autonomous.looking_over")
		text, err := k.prompt("final_review", s, x, nil)
		if err != nil {
			return nil, err
		}
		req := llm.Request{Purpose: llm.ForReview, Messages: system(text, llm.Message{Role: llm.User, Content: k.st.Input.Get(s)})}
		got, err := workflow.Fill[reviewed](ctx, x, "model", req, reviewShape)
		quiet := workflow.Silent(ctx, err) && someDone(k.st.Todos.Get(s))
		if err != nil && !quiet {
			return nil, err
		}
		result := got.Value.Verdict
		if got.Failed != "" || quiet {
			result = skipped
		}
		return k.step("final_review", got.Switches, k.st.ReviewResult.Set(result), k.st.ReviewFeedback.Set(got.Value.Feedback)), nil
	}, nil)
}
