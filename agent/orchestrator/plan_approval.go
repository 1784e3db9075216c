package orchestrator

import (
	"context"
	"fmt"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
)

// fieldPlan is the field of the form in which a plan is edited.
const fieldPlan = "plan"

func (k kit) planApproval() workflow.Type {
	return k.define("plan_approval", "Shows the plan with what each step does, and waits for a decision.",
		k.askPlan, nil, k.decided.Name(), k.waited.Name())
}

func (k kit) askPlan(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	asked, err := k.since(ctx)
	if err != nil {
		return nil, err
	}
	d, err := ask(ctx, kindPlan, k.planAsk(s, x))
	if err != nil {
		return nil, err
	}
	return []graph.Write{k.decided.Set(d), k.waited.Set(took(asked, d.At))}, nil
}

// since notes when a question was asked.
func (k kit) since(ctx context.Context) (time.Time, error) {
	return graph.Once(ctx, "asked", func(context.Context, string) (time.Time, error) { return k.cfg.Now().UTC(), nil })
}

// took is how long a person took, in milliseconds.
func took(asked, at time.Time) int { return int(max(0, at.Sub(asked).Milliseconds())) }

func (k kit) planAsk(s graph.State, x *workflow.Exec) agent.Ask {
	p := k.plan.Get(s)
	left := p.Steps[min(k.current.Get(s), len(p.Steps)):]
	a := agent.Ask{
		Question: x.Phrase("orchestrator.plan.ask"), Detail: p.Why, Notes: append(k.notes.Get(s), p.Notes...),
		Steps: k.view(x, left), Effect: gravest(left),
		Actions: []agent.Action{
			{Verb: agent.VerbAccept, Style: "primary"},
			{Verb: agent.VerbEdit, Words: true, Inputs: []agent.Input{{
				ID: fieldPlan, Label: x.Phrase("orchestrator.plan.lines"), Value: numbered(stepTexts(left)), Long: true, Required: true, Max: 3000, Lines: k.cfg.Limits.Steps,
				Hint: x.Phrase("orchestrator.plan.lines_hint"),
			}}},
			{Verb: agent.VerbReject, Style: "danger"},
		},
	}
	if p.Title != "" {
		a.Question = fmt.Sprintf("**%s** — %s", p.Title, a.Question)
	}
	if c := k.clarity.Get(s); c.Auto {
		a.Actions = append(a.Actions, agent.Action{Verb: verbUndo, Label: x.Phrase("orchestrator.plan.undo")})
	}
	return a
}
