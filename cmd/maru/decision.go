package main

import (
	"encoding/json"
	"errors"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/bot"
)

// checkAnswer validates a decision against its question's schema with the graph's own check, so that an answer
// accepted by the bot is not rejected later. A problem below /values is a form field's.
func checkAnswer(i agent.Interrupt, value json.RawMessage) error {
	err := workflow.CheckAnswer(graph.Interrupt{ID: i.ID, Schema: i.Schema}, graph.Answer{ID: i.ID, Value: value})
	if err == nil {
		return nil
	}
	wrong := &bot.AnswerError{Fields: map[string]string{}, Err: err}
	var problems workflow.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			if field, ok := strings.CutPrefix(p.Pointer, "/values/"); ok {
				wrong.Fields[strings.NewReplacer("~1", "/", "~0", "~").Replace(field)] = p.Message
			}
		}
	}
	return wrong
}
