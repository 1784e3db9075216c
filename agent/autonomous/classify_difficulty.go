package autonomous

import (
	"context"
	"encoding/json"
	"slices"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
)

// Difficulties, also the output ports of classify_difficulty.
const (
	easy   = "easy"
	medium = "medium"
	hard   = "hard"
	over   = "end" // no question
)

func difficulties() []string { return []string{easy, medium, hard, over} }

type classification struct {
	Difficulty string `json:"difficulty"`
	Reason     string `json:"reason"`
	Reply      string `json:"reply"`
}

var classifyShape = llm.MustShape("difficulty", `{
  "type": "object",
  "properties": {
    "difficulty": {"type": "string", "enum": ["easy", "medium", "hard", "end"]},
    "reason": {"type": "string", "description": "a few words"},
    "reply": {"type": "string", "description": "only for end: one short, kind sentence; otherwise empty"}
  },
  "required": ["difficulty", "reason", "reply"],
  "additionalProperties": false
}`)

func (k kit) classifyDifficulty() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "classify_difficulty", Summary: "Judges with one model call how hard the task is.",
		Doc:   "easy: one answer will do; medium: the answer deserves a review; hard: several steps; end: nothing is asked, and the short reply is in `final_answer`. A model that cannot decide means easy.",
		Ports: difficulties(), Reads: []string{"input", "messages"},
		Writes: []string{"difficulty", "final_answer", "is_complete", "metadata", "fallback", "current_step"},
		Config: json.RawMessage(`{"type":"object","maxProperties":0}`),
	}, k.classify, func(s graph.State, _ none) string {
		if d := k.st.Difficulty.Get(s); slices.Contains(difficulties(), d) {
			return d
		}
		return easy
	})
}

func (k kit) classify(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	text, err := k.prompt("classify", s, x, nil)
	if err != nil {
		return nil, err
	}
	got, err := workflow.Fill[classification](ctx, x, "model", llm.Request{Purpose: llm.ForRoute, Messages: system(text, k.talk(s)...)}, classifyShape)
	if err != nil {
		return nil, err
	}
	c := got.Value
	if got.Failed != "" {
		c = classification{Difficulty: easy, Reason: "the model did not decide: " + got.Failed}
	}
	reason, err := json.Marshal(c.Reason)
	if err != nil {
		return nil, err
	}
	writes := k.step("classify_difficulty", got.Switches,
		k.st.Difficulty.Set(c.Difficulty), k.st.Metadata.Add(map[string]json.RawMessage{"difficulty_reason": reason}))
	if c.Difficulty == over {
		if c.Reply == "" {
			c.Reply = x.Phrase("autonomous.ready")
		}
		writes = append(writes, k.st.FinalAnswer.Set(c.Reply), k.st.IsComplete.Set(true))
	}
	return writes, nil
}
