package workflow_test

import (
	"errors"
	"fmt"
	"testing"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/phrase"
)

// TestFailureTellsWhatToDo: a prompt that is too long and a reply that was spent on
// thinking are told apart: of the second, people cannot ask for less to be read.
func TestFailureTellsWhatToDo(t *testing.T) {
	t.Parallel()
	for class, want := range map[llm.Class]string{
		llm.ContextLength: "too_long", llm.Length: "model_no_room", llm.ContentFilter: "model_refused",
		llm.Quota: "model_quota", llm.Cut: "model_cut", llm.BadRequest: "model_unfit",
	} {
		err := workflow.Failure(fmt.Errorf("node agent: %w", &llm.Error{Class: class}))
		var told *agent.Failure
		if !errors.As(err, &told) || told.Code != want || !phrase.Has("error."+want) {
			t.Errorf("%s becomes %v, want %s with a sentence", class, err, want)
		}
	}
}

// TestFailureOfARunThatWasPassed: what is retried after its conversation went on is told so.
func TestFailureOfARunThatWasPassed(t *testing.T) {
	t.Parallel()
	err := workflow.Failure(fmt.Errorf("run: %w", graph.ErrTurnPassed))
	var told *agent.Failure
	if !errors.As(err, &told) || told.Code != "followed" || !phrase.Has("error.followed") || !errors.Is(err, graph.ErrTurnPassed) {
		t.Errorf("it becomes %v", err)
	}
}
