package autonomous

import (
	"context"
	"encoding/json"
	"strings"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/phrase/pattern"
)

// Completion signals that a model may write on a line of its own, such as [BLOCKED: no access].
const (
	signalNone     = "none"
	signalContinue = "continue"
	signalComplete = "complete"
	signalBlocked  = "blocked"
	signalError    = "error"
)

var signalLine = pattern.New(`(?m)^[ \t*_]*\[(TASK_COMPLETE|CONTINUE|BLOCKED|ERROR)(?::[ \t]*([^\]\n]{0,500}))?\][ \t*_]*$`)

// readSignal returns the last signal of a text, its detail, and the text without signals.
func readSignal(text string) (signal, detail, rest string) {
	found := signalLine.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return signalNone, "", text
	}
	last := found[len(found)-1]
	signal = map[string]string{
		"TASK_COMPLETE": signalComplete, "CONTINUE": signalContinue, "BLOCKED": signalBlocked, "ERROR": signalError,
	}[last[1]]
	return signal, strings.TrimSpace(last[2]), strings.TrimSpace(signalLine.ReplaceAllString(text, ""))
}

func (k kit) postModel() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "post_model", Summary: "Reads the completion signal of what a model just said, and takes it out of the text.",
		Doc: "A signal stands on a line of its own: `[TASK_COMPLETE]`, `[CONTINUE: …]`, `[BLOCKED: …]` or `[ERROR: …]`. TASK_COMPLETE takes `complete`, everything else `continue`. " +
			"An output that is empty counts as an error.",
		Ports: []string{goOn, complete}, Reads: []string{"last_output", "answer", "final_answer"},
		Writes: []string{"completion_signal", "completion_detail", "is_complete", "last_output", "answer", "final_answer", "error", "current_step"},
		Config: json.RawMessage(`{"type":"object","maxProperties":0}`),
	}, k.signal, func(s graph.State, _ none) string {
		if k.st.CompletionSignal.Get(s) == signalComplete {
			return complete
		}
		return goOn
	})
}

func (k kit) signal(_ context.Context, s graph.State, _ *workflow.Exec, _ none) ([]graph.Write, error) {
	text, isText := k.st.LastOutput.Get(s).(string)
	signal, detail, rest := readSignal(text)
	writes := k.step("post_model", nil)
	if isText && strings.TrimSpace(rest) == "" && signal == signalNone {
		signal, detail = signalError, "the model said nothing"
	}
	if rest != text {
		writes = append(writes, k.st.LastOutput.Set(rest))
		if k.st.Answer.Get(s) == text {
			writes = append(writes, k.st.Answer.Set(rest))
		}
		if k.st.FinalAnswer.Get(s) == text {
			writes = append(writes, k.st.FinalAnswer.Set(rest))
		}
	}
	if signal == signalError {
		writes = append(writes, k.st.Error.Set(detail))
	}
	return append(writes, k.st.CompletionSignal.Set(signal), k.st.CompletionDetail.Set(detail), k.st.IsComplete.Set(signal == signalComplete)), nil
}
