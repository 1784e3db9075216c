package orchestrator

import (
	"context"

	"maru/agent"
	"maru/agent/workflow/consent"
	"maru/phrase/intent"
)

// Kinds of questions.
const (
	kindClarification = "clarification"
	kindPlan          = "plan"
	kindStep          = consent.KindStep
)

// verbUndo withdraws an earlier answer that was reused without asking.
const verbUndo = "undo"

// ask interrupts the run with a question and returns the decision.
func ask(ctx context.Context, kind string, a agent.Ask) (decided, error) {
	d, err := consent.Ask(ctx, kind, kind, a)
	return decided{Reply: d.Reply, By: d.By, At: d.At, Expired: d.Expired}, err
}

// shortAnswer turns a plain reply that only says yes, no or skip into that action, if
// the question offers it: "네" approves a plan.
func (d decided) shortAnswer(offered ...string) decided {
	if d.Text == "" || len(d.Values) > 0 {
		return d
	}
	said, number := intent.Decide(d.Text)
	if number != 0 { // "skip 2" is about the second step
		return d
	}
	for _, o := range offered {
		switch {
		case (o == agent.VerbAccept || o == agent.VerbProceed) && said == intent.Yes,
			o == agent.VerbReject && said == intent.No,
			o == agent.VerbSkip && (said == intent.Skip || said == intent.No):
			d.Action, d.Text = o, ""
			return d
		}
	}
	return d
}

// entry returns the decision as a line of the approval history.
func (d decided) entry(kind, stepID, note string) approval {
	a := approval{Kind: kind, Action: d.Action, By: d.By, At: d.At, Step: stepID, Auto: d.Auto, Note: note}
	if d.Expired {
		a.Action = "expired"
	}
	return a
}
