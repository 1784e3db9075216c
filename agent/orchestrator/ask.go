package orchestrator

import (
	"context"

	"maru/agent"
	"maru/agent/workflow/consent"
	"maru/phrase/fit"
)

// Kinds of questions.
const (
	kindClarification = "clarification"
	kindPlan          = "plan"
	kindStep          = consent.KindStep
)

// literal escapes a title or a step's text, so that it reads as plain text in the Markdown of a question.
func literal(text string) string { return fit.Literal(fit.OneLine(text)) }

// ask interrupts the run with a question and returns the decision.
func ask(ctx context.Context, kind string, a agent.Ask) (decided, error) {
	d, err := consent.Ask(ctx, kind, kind, a)
	return decided{Reply: d.Reply, Written: d.Written, By: d.By, At: d.At, Expired: d.Expired}, err
}

// entry returns the decision as a line of the approval history.
func (d decided) entry(kind, stepID, note string) approval {
	a := approval{Kind: kind, Action: d.Action, By: d.By, At: d.At, Step: stepID, Auto: d.Auto, Note: note, Words: d.Written}
	if d.Expired {
		a.Action = "expired"
	}
	return a
}
