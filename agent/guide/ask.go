package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

// Inputs of the form that edits sub-tasks.
const (
	inputTasks    = "sub_tasks"
	inputFeedback = "feedback"
)

// replySchema is the JSON schema of an agent.Reply about the sub-tasks.
const replySchema = `{"type":"object","properties":{
  "action":{"enum":["accept","edit","reject"]},
  "text":{"type":"string","maxLength":4000},
  "suggestion":{"type":"string","maxLength":200},
  "values":{"type":"object","properties":{
    "sub_tasks":{"type":"string","maxLength":3000},
    "feedback":{"type":"string","maxLength":2000}},"additionalProperties":false}},
  "required":["action"],"additionalProperties":false}`

// before asks the person to confirm the sub-tasks before services are searched.
func (k kit) before(ctx context.Context, s graph.State) (*graph.Question, error) {
	if k.st.approved.Get(s) {
		return nil, nil //nolint:nilnil // no question
	}
	x := workflow.ExecOf(s)
	payload, err := json.Marshal(k.question(s, x))
	if err != nil {
		return nil, fmt.Errorf("question about the plan: %w", err)
	}
	return &graph.Question{Kind: "plan", Payload: payload, Schema: json.RawMessage(replySchema)}, nil
}

func (k kit) question(s graph.State, x *workflow.Exec) agent.Ask {
	tasks := k.st.tasks.Get(s)
	ask := agent.Ask{
		Question: x.Phrase("guide.ask"),
		Steps:    steps(tasks, func(int) agent.StepState { return agent.StepWaiting }),
		Effect:   agent.EffectReads,
		Actions: []agent.Action{
			{Verb: agent.VerbAccept, Label: x.Phrase("guide.ask.yes"), Style: "primary"},
			{Verb: agent.VerbEdit, Words: true, Some: true, Inputs: []agent.Input{
				{ID: inputTasks, Label: x.Phrase("guide.ask.tasks"), Value: lines(tasks), Long: true, Max: 3000, Lines: maxTasks},
				{ID: inputFeedback, Label: x.Phrase("guide.ask.wish"), Hint: x.Phrase("guide.ask.wish_hint"), Long: true, Max: 2000, Wish: true},
			}},
			{Verb: agent.VerbReject, Label: x.Phrase("guide.ask.leave"), Style: "danger"},
		},
	}
	if known := k.st.known.Get(s); len(known) > 0 {
		ask.Notes = append(ask.Notes, x.Phrase("guide.ask.known", strings.Join(known, " · ")))
	}
	if words := k.st.feedback.Get(s); len(words) > 0 {
		last, unchanged := words[len(words)-1], k.st.unchanged.Get(s)
		switch {
		case unchanged && (!k.st.plain.Get(s) || wantsFree(last)): // the reply is about services, which are searched next
			ask.Notes = append(ask.Notes, x.Phrase("guide.ask.heeded", last))
		case unchanged:
			ask.Notes = append(ask.Notes, x.Phrase("guide.ask.unchanged", last, listOf(tasks)))
		default:
			ask.Notes = append(ask.Notes, x.Phrase("guide.ask.changed", last))
		}
	}
	return ask
}

// listOf formats sub-tasks as a numbered line.
func listOf(tasks []SubTask) string {
	out := make([]string, len(tasks))
	for i, t := range tasks {
		out[i] = fmt.Sprintf("%d. %s", i+1, t.Title)
	}
	return strings.Join(out, ", ")
}

// lines formats sub-tasks for editing, one per line.
func lines(tasks []SubTask) string {
	out := make([]string, len(tasks))
	for i, t := range tasks {
		out[i] = t.Title
	}
	return strings.Join(out, "\n")
}

// byHand parses edited sub-tasks; unchanged lines keep their details. ok is false if nothing
// changed or nothing is left.
func byHand(text string, before []SubTask) (tasks []SubTask, ok bool) {
	for line := range strings.SplitSeq(listed.ReplaceAllString(text, ""), "\n") {
		t := SubTask{Title: line}
		if i := slices.IndexFunc(before, func(b SubTask) bool { return b.Title == fit.OneLine(line) }); i >= 0 {
			t = before[i]
		}
		tasks = append(tasks, t)
	}
	tasks = bounded(tasks)
	return tasks, len(tasks) > 0 && !slices.Equal(tasks, before)
}

// replyOf parses a person's decision. A malformed one is not an approval.
func replyOf(value json.RawMessage) agent.Reply {
	var r agent.Reply
	if err := llm.StrictJSON(value, &r); err != nil {
		return agent.Reply{Action: agent.VerbReject}
	}
	return r
}

// wordsOf returns the text of a decision.
func wordsOf(r agent.Reply) string {
	return fit.Cut(strings.TrimSpace(r.Text+"\n"+r.Values[inputFeedback]), 2000)
}
