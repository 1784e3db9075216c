package orchestrator

import (
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

// maxClarifications limits the rounds of questions about one task.
const maxClarifications = 2

func (c clarifier) clarificationFeedback() workflow.Type {
	return c.define("process_clarification_feedback", "Takes the answers in, measures what they brought, and asks on if need be.",
		c.takeClarity, []string{toAgain, toClear, toStop}, c.clarity.Name(), c.history.Name(), c.problem.Name(), c.messages.Name())
}

func (k clarifier) takeClarity(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	d, c := k.decided.Get(s), k.clarity.Get(s)
	c.Note = ""
	c.Rounds++
	noted := k.history.Add(d.entry(kindClarification, "", ""))
	switch {
	case d.Expired:
		return []graph.Write{noted, k.clarity.Set(c), k.next.Set(toStop), k.problem.Set(
			x.Phrase("orchestrator.clarify.expired"))}, nil
	case d.Action == agent.VerbStop:
		return []graph.Write{noted, k.clarity.Set(c), k.next.Set(toStop), k.problem.Set(
			x.Phrase("orchestrator.clarify.stopped"))}, nil
	case d.Action == agent.VerbReuse:
		i := slices.IndexFunc(c.Past, func(p clarified) bool { return p.Session == d.Suggestion })
		if i < 0 {
			return k.askClarityAgain(x, c, noted), nil
		}
		c.Answers, c.Reused = append(c.Answers, answered{Question: c.Past[i].Questions, Answer: c.Past[i].Answer, At: c.Past[i].At}), d.Suggestion
		tellUsed(x, c.Past[i].known(x))
	case d.Action == agent.VerbClarify:
		given := answersOf(c.Questions, d.Reply, d.By == x.Request.User.ID)
		if len(given) == 0 {
			return k.askClarityAgain(x, c, noted), nil
		}
		c.Answers = append(c.Answers, given...)
	default: // proceed anyway
		return []graph.Write{noted, k.clarity.Set(c), k.next.Set(toClear)}, nil
	}
	writes, err := k.improve(ctx, s, x, &c)
	if err != nil {
		return nil, err
	}
	return append(writes, noted), nil
}

// improve measures the task's clarity with the answers. If it is still low, the person is asked once more.
func (k clarifier) improve(ctx context.Context, s graph.State, x *workflow.Exec, c *clarity) ([]graph.Write, error) {
	got, err := k.measure(ctx, s, x, c.Answers)
	if err != nil {
		return nil, err
	}
	writes := k.cost(got.Usage, 1)
	port := toClear
	if got.Failed == "" {
		c.After = &got.Value.Score
		left := k.questions(got.Value).Questions
		if got.Value.Score < clearEnough && len(left) > 0 && c.Rounds < maxClarifications {
			c.Questions, c.Past, port = left, nil, toAgain
			c.Note = x.Phrase("orchestrator.clarify.still_open")
		}
	}
	return append(writes, k.clarity.Set(*c), k.next.Set(port)), nil
}

// askClarityAgain repeats the question after an empty answer, a bounded number of
// times; then the task continues as it is.
func (k clarifier) askClarityAgain(x *workflow.Exec, c clarity, noted graph.Write) []graph.Write {
	port := toAgain
	if c.Note = x.Phrase("orchestrator.clarify.empty"); c.Rounds >= k.limits.Asked {
		port = toClear
	}
	return []graph.Write{noted, k.clarity.Set(c), k.next.Set(port)}
}

// answersOf pairs the person's words with the questions. A plain reply answers all
// questions at once.
func answersOf(questions []question, r agent.Reply, own bool) []answered {
	var out []answered
	for _, q := range questions {
		if v := strings.TrimSpace(r.Values[q.ID]); v != "" {
			out = append(out, answered{Question: q.Text, Answer: fit.Clip(v, 1000), Own: own})
		}
	}
	if t := strings.TrimSpace(r.Text); t != "" {
		out = append(out, answered{Question: strings.ReplaceAll(asked(questions), "\n", " / "), Answer: fit.Clip(t, 2000), Own: own})
	}
	return out
}
