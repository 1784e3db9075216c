package node_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// TestTypesOfExpressions: what fails in every run on the types of the state is found before, with the place, both types and
// what to do. The definitions are such as builders write by mistake.
func TestTypesOfExpressions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ node, want string }{
		"number_and_text":      {`"set_state","config":{"set":{"answer":"{{iteration + input}}"}}`, `/set/answer: expression "iteration + input": + stands between a number and text (letter 11) (string(x) makes text`},
		"text_and_number":      {`"set_state","config":{"set":{"answer":"{{\"round \" + review_count}}"}}`, `+ stands between text and a number`},
		"list_and_number":      {`"conditional","config":{"when":"todos > 3"}`, `/when: expression "todos > 3": > stands between a list and a number (letter 7) (len(x) counts a list`},
		"list_equals_number":   {`"conditional","config":{"when":"todos == 0"}`, `== stands between a list and a number`},
		"text_equals_number":   {`"conditional","config":{"when":"difficulty == 3"}`, `== stands between text and a number`},
		"number_equals_text":   {`"conditional","config":{"when":"iteration == \"3\""}`, `== stands between a number and text (letter 11) (int(x) reads a number`},
		"flag_equals_text":     {`"conditional","config":{"when":"is_complete == \"true\""}`, `== stands between true or false and text`},
		"condition_of_a_count": {`"conditional","config":{"when":"len(todos)"}`, `it gives a number, where true or false belongs (compare it with something`},
		"condition_of_a_name":  {`"conditional","config":{"when":"difficulty"}`, `it gives text, where true or false belongs`},
		"condition_of_a_list":  {`"switch","config":{"cases":[{"port":"a","when":"todos"}]}`, `/cases/0/when: expression "todos": it gives a list, where true or false belongs`},
		"not_of_a_text":        {`"conditional","config":{"when":"not error"}`, `not stands before text`},
		"and_of_a_text":        {`"conditional","config":{"when":"is_complete and answer"}`, `and stands between true or false and text`},
		"map_over_a_text":      {`"map","config":{"over":"input"}`, `/over: expression "input": it gives text, where a list belongs (name a list`},
		"map_over_a_number":    {`"map","config":{"over":"len(todos)"}`, `it gives a number, where a list belongs`},
		"map_over_an_object":   {`"map","config":{"over":"metadata"}`, `it gives an object, where a list belongs`},
		"filter_of_a_text":     {`"set_state","config":{"set":{"answer":"{{filter(input, # != \"x\")}}"}}`, `filter takes a list and gets text`},
		"contains_of_a_list":   {`"conditional","config":{"when":"todos contains \"x\""}`, `contains stands between a list and text`},
		"member_of_a_text":     {`"set_state","config":{"set":{"answer":"{{answer.text}}"}}`, `expression "answer.text": type text has no field text`},
		"choice_by_a_text":     {`"set_state","config":{"set":{"answer":"{{difficulty ? 1 : 2}}"}}`, `a condition is text, and must be true or false`},
		"minus_of_a_text":      {`"set_state","config":{"set":{"metadata.x":"{{max_iterations - input}}"}}`, `- stands between a number and text`},
		"text_in_a_number":     {`"set_state","config":{"set":{"iteration":"{{input}}"}}`, `/set/iteration: expression "{{input}}": iteration takes a number, and this is text (int(x)`},
		"words_in_a_number":    {`"set_state","config":{"set":{"review_count":"three"}}`, `review_count takes a number, and this is text`},
		"list_in_a_flag":       {`"set_state","config":{"set":{"is_complete":["yes"]}}`, `is_complete takes true or false, and this is a list`},
		"text_in_a_prompt":     {`"llm_call","config":{"prompt":"Round {{iteration + today}}"}`, `/prompt: expression "iteration + today": + stands between a number and text`},
	} {
		problems := boundProblems(t, c.node)
		if !strings.Contains(problems, c.want) {
			t.Errorf("%s: %s", name, problems)
		}
	}
	for name, node := range map[string]string{
		"unknown_and_number": `"conditional","config":{"when":"last_output > 3"}`,
		"absent_text":        `"conditional","config":{"when":"answer == nil or (error ?? \"\") != \"\""}`,
		"whole_and_half":     `"conditional","config":{"when":"iteration / 2 > 1.5 and iteration % 2 == 0"}`,
		"members":            `"set_state","config":{"set":{"metadata.n":"{{(metadata.n ?? 0) + 1}}","answer":"{{first(todos)?.title}}"}}`,
		"texts":              `"set_state","config":{"set":{"answer":"{{\"a \" + input + today}}","iteration":"{{iteration + 1}}","is_complete":true}}`,
		"list_of_members":    `"map","config":{"over":"filter(todos, .status == \"open\")"}`,
		"list_of_unknown":    `"map","config":{"over":"metadata.titles"}`,
		"split":              `"map","config":{"over":"split(input, \"\\n\")"}`,
		"choice":             `"set_state","config":{"set":{"answer":"{{len(todos) > 0 ? todos[0].title : \"none\"}}"}}`,
		"in":                 `"conditional","config":{"when":"difficulty in [\"easy\", \"hard\"] and \"x\" in metadata"}`,
	} {
		if problems := boundProblems(t, node); strings.Contains(strings.ReplaceAll(problems, "warning: expression", ""), "expression") {
			t.Errorf("%s: %s", name, problems)
		}
	}
}

// boundProblems returns the problems of a workflow of one node.
func boundProblems(t *testing.T, of string) string {
	t.Helper()
	d, err := workflow.Parse(fmt.Appendf(nil, `{"id": "x", "name": "X", "version": "1", "nodes": [
		{"id": "start", "node_type": "start"}, {"id": "n", "node_type": %s}, {"id": "end", "node_type": "end"}],
		"edges": [{"source": "start", "target": "n"}, {"source": "n", "target": "end"}]}`, of))
	if err != nil {
		t.Fatal(err)
	}
	return workflow.Check(d, workflow.NewRegistry(node.Types()...), node.NewState().Schema, nil).Error()
}
