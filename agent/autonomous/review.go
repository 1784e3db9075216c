package autonomous

import (
	"cmp"
	"context"
	"encoding/json"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// Review results. The first two are output ports of review.
const (
	approved = "approved"
	retry    = "retry"
	limited  = "limit"   // not approved, but out of review rounds
	skipped  = "skipped" // the model failed
)

type reviewed struct {
	Verdict  string `json:"verdict"`
	Feedback string `json:"feedback"`
}

var reviewShape = llm.MustShape("review", `{
  "type": "object",
  "properties": {
    "verdict": {"type": "string", "enum": ["approved", "retry"]},
    "feedback": {"type": "string", "description": "for retry: what is wrong or missing, concretely; otherwise empty"}
  },
  "required": ["verdict", "feedback"],
  "additionalProperties": false
}`)

type reviewConfig struct {
	MaxReviews int `json:"max_reviews"`
}

func (k kit) review() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "review", Summary: "Has the answer reviewed; sends it back with feedback a bounded number of times.",
		Doc:   "`review_count` counts. The last allowed review lets the answer pass whatever it finds: `review_result` is then `limit`, and `skipped` if the model could not review.",
		Ports: []string{approved, retry}, Bounded: true,
		Reads: []string{"input", "answer", "passages", "review_count"}, Writes: []string{"review_result", "review_feedback", "review_count", "fallback", "current_step"},
		Config: json.RawMessage(`{"type":"object","properties":{"max_reviews": {"type":"integer","minimum":1,"maximum":10,"description":"default 3"}},"additionalProperties":false}`),
	}, k.judge, func(s graph.State, _ reviewConfig) string {
		if k.st.ReviewResult.Get(s) == retry {
			return retry
		}
		return approved
	})
}

func (k kit) judge(ctx context.Context, s graph.State, x *workflow.Exec, c reviewConfig) ([]graph.Write, error) {
	c.MaxReviews = cmp.Or(c.MaxReviews, 3)
	x.Doing("autonomous.reviewing")
	text, err := k.prompt("review", s, x, nil)
	if err != nil {
		return nil, err
	}
	req := llm.Request{Purpose: llm.ForReview, Messages: system(text+node.ShowPassages(k.st.Passages.Get(s)),
		llm.Message{Role: llm.User, Content: "Task:\n" + k.st.Input.Get(s) + "\n\nAnswer to review:\n" + k.st.Answer.Get(s)})}
	got, err := workflow.Fill[reviewed](ctx, x, "model", req, reviewShape)
	if err != nil {
		return nil, err
	}
	count := k.st.ReviewCount.Get(s) + 1
	result := got.Value.Verdict
	switch {
	case got.Failed != "":
		result = skipped
	case result == retry && count >= c.MaxReviews:
		result = limited
	}
	return k.step("review", got.Switches,
		k.st.ReviewResult.Set(result), k.st.ReviewFeedback.Set(got.Value.Feedback), k.st.ReviewCount.Set(count)), nil
}
