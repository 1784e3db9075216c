package orchestrator

import (
	"context"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

func (c clarifier) clarificationApproval() workflow.Type {
	return c.define("task_clarification_approval", "Asks the person what is unclear, and offers earlier answers with one click.",
		c.askClarity, nil, c.decided.Name())
}

func (c clarifier) askClarity(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	d, err := ask(ctx, kindClarification, clarityAsk(x, c.clarity.Get(s)))
	if err != nil {
		return nil, err
	}
	return []graph.Write{c.decided.Set(d)}, nil
}

// questionLines returns the questions with their suggested answers.
func questionLines(list []question) []string {
	out := make([]string, len(list))
	for i, q := range list {
		out[i] = literal(q.Text)
		if len(q.Options) > 0 {
			out[i] += " (" + literal(strings.Join(q.Options, " / ")) + ")"
		}
	}
	return out
}

func clarityAsk(x *workflow.Exec, c clarity) agent.Ask {
	a := agent.Ask{
		Question: x.Phrase("orchestrator.clarify.ask"),
		Detail:   numbered(questionLines(c.Questions)),
		Actions: []agent.Action{
			{Verb: agent.VerbClarify, Label: x.Phrase("orchestrator.clarify.answer"), Style: "primary", Some: true, Words: true},
			{Verb: agent.VerbProceed, Label: x.Phrase("orchestrator.clarify.proceed")},
		},
	}
	if c.Note != "" {
		a.Notes = append(a.Notes, c.Note)
	}
	for _, q := range c.Questions {
		in := agent.Input{ID: q.ID, Label: q.Text, Long: len(q.Options) == 0, Max: 1000}
		if len(q.Options) > 0 {
			in.Hint = strings.Join(q.Options, " / ")
			for _, o := range q.Options {
				in.Offers = append(in.Offers, agent.Option{Value: o, Label: o})
			}
		}
		a.Actions[0].Inputs = append(a.Actions[0].Inputs, in)
	}
	for _, p := range c.Past {
		a.Suggestions = append(a.Suggestions, agent.Option{Value: p.Session, Label: fit.Clip(p.Answer, 70)})
	}
	if len(a.Suggestions) > 0 {
		a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbReuse})
	}
	a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbStop, Spoken: true})
	return a
}
