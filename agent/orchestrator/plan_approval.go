package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/planedit"
	"maru/agent/workflow"
)

// fieldPlan is the form field for editing a plan.
const fieldPlan = "plan"

// planReview shows a plan and applies the decision about it.
type planReview struct {
	stage

	editor editReader
	memory valueMemory
	limits Limits
}

// editReader reads an edit of a plan and converts it to steps.
type editReader interface {
	readEdit(ctx context.Context, s graph.State, x *workflow.Exec, e planEdit) ([]planedit.Line, []graph.Write, error)
	rebuild(ctx context.Context, s graph.State, x *workflow.Exec, lines []planedit.Line, shown []step) (rebuilt, error)
}

func (v planReview) planApproval() workflow.Type {
	return v.define("plan_approval", "Shows the plan with what each step does, and waits for a decision.",
		v.askPlan, nil, v.decided.Name(), v.waited.Name())
}

func (v planReview) askPlan(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	asked, err := v.askedAt(ctx)
	if err != nil {
		return nil, err
	}
	a := v.planAsk(s, x)
	marks, err := v.marks(ctx, s, x)
	if err != nil {
		return nil, err
	}
	a.Notes = append(a.Notes, marks...)
	d, err := ask(ctx, kindPlan, a)
	if err != nil {
		return nil, err
	}
	return []graph.Write{v.decided.Set(d), v.waited.Set(elapsedMillis(asked, d.At))}, nil
}

// marks returns notes on the values of the shown calls that the person did not give here.
func (v planReview) marks(ctx context.Context, s graph.State, x *workflow.Exec) ([]string, error) {
	steps := v.plan.Get(s).Steps
	steps = steps[min(v.current.Get(s), len(steps)):]
	if !slices.ContainsFunc(steps, func(st step) bool { return len(st.Arguments) > 0 }) {
		return nil, nil
	}
	known, err := v.sources(ctx, s, x, v.memory)
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, st := range steps {
		for _, m := range (call{Tool: st.Tool, Arguments: st.Arguments}).Marks(x, known, v.heard(ctx, s, x, nil)) {
			if !slices.Contains(notes, m) {
				notes = append(notes, m)
			}
		}
	}
	return notes, nil
}

// elapsedMillis returns how long a person took, in milliseconds.
func elapsedMillis(asked, at time.Time) int { return int(max(0, at.Sub(asked).Milliseconds())) }

func (v planReview) planAsk(s graph.State, x *workflow.Exec) agent.Ask {
	p := v.plan.Get(s)
	left := p.Steps[min(v.current.Get(s), len(p.Steps)):]
	a := agent.Ask{
		Question: x.Phrase("orchestrator.plan.ask"), Detail: p.Why, Notes: slices.Concat(v.notes.Get(s), p.Notes),
		Steps: planView(x, left, 0), Effect: gravest(left),
		Actions: []agent.Action{
			{Verb: agent.VerbAccept, Style: "primary"},
			{Verb: agent.VerbEdit, Words: true, Inputs: []agent.Input{{
				ID: fieldPlan, Label: x.Phrase("orchestrator.plan.lines"), Value: numbered(stepTexts(left)), Long: true, Required: true, Max: 3000, Lines: v.limits.Steps,
				Hint: x.Phrase("orchestrator.plan.lines_hint"),
			}}},
			{Verb: agent.VerbReject, Style: "danger"},
		},
	}
	if p.Title != "" {
		a.Question = fmt.Sprintf("**%s** — %s", literal(p.Title), a.Question)
	}
	if c := v.clarity.Get(s); c.Auto {
		a.Actions = append(a.Actions, agent.Action{
			Verb: agent.VerbUndo, Label: x.Phrase("orchestrator.plan.undo"), Says: []string{x.Phrase("orchestrator.clarify.undo_words")},
		})
	}
	return a
}
