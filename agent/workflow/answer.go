package workflow

import (
	"errors"
	"fmt"

	"maru/agent/graph"
	"maru/agent/llm"
)

// CheckAnswer refuses an answer that does not fit the question's schema, before
// it is recorded: a malformed decision changes nothing. It is a
// graph.Config.Check.
func CheckAnswer(i graph.Interrupt, a graph.Answer) error {
	if len(i.Schema) == 0 {
		return nil
	}
	if len(a.Value) == 0 {
		return errors.New("the answer is empty")
	}
	if err := llm.StrictJSON(a.Value, new(any)); err != nil {
		return fmt.Errorf("the answer is not well-formed JSON: %w", err)
	}
	c, err := newChecker(i.Schema)
	if err != nil {
		return fmt.Errorf("the answer cannot be checked: %w", err)
	}
	problems, err := c.problems(a.Value)
	if err != nil {
		return fmt.Errorf("the answer cannot be checked: %w", err)
	}
	if len(problems) > 0 {
		return fmt.Errorf("the answer does not fit: %w", Problems(problems))
	}
	return nil
}
