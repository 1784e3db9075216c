package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
)

// Thresholds of the clarification.
const (
	clearEnough = 0.7 // a task with this score is planned without questions

	suggestSuccess    = 0.5 // earlier answers with a lower success rate are not suggested
	suggestConfidence = 0.5
	applyReused       = 5 // minimum uses for applying earlier answers …
	applyConfidence   = 0.9
)

// analysed is the model's verdict on a task's clarity.
type analysed struct {
	Score     float64 `json:"score"`
	Questions []struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
	} `json:"questions"`
}

var clarityShape = llm.MustShape("clarity", `{
  "type": "object",
  "properties": {
    "score": {"type": "number", "minimum": 0, "maximum": 1, "description": "1: could be started at once; 0: nobody can tell what is wanted"},
    "questions": {"type": "array", "maxItems": 8, "items": {
      "type": "object",
      "properties": {
        "question": {"type": "string", "minLength": 1, "description": "one question, in the person's language"},
        "options": {"type": "array", "maxItems": 6, "items": {"type": "string"}, "description": "likely answers, may be empty"}
      },
      "required": ["question", "options"],
      "additionalProperties": false
    }}
  },
  "required": ["score", "questions"],
  "additionalProperties": false
}`)

// clarifier asks people for missing details of a task.
type clarifier struct {
	stage

	memory answerMemory
	limits Limits
}

// answerMemory returns this person's answers to similar unclear tasks, best first.
type answerMemory interface {
	clarifications(ctx context.Context, x *workflow.Exec, task string) ([]clarified, error)
}

func (c clarifier) clarificationAnalysis() workflow.Type {
	return c.define("task_clarification_analysis", "Scores how clear the task is, and looks for earlier answers of this person.",
		c.analyse, []string{toClear, toUnclear}, c.clarity.Name(), c.notes.Name(), c.applied.Name())
}

func (k clarifier) analyse(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	// A known call needs no clarification.
	if !x.Request.Approvals.Clarification || k.seed.Get(s).Tool != "" {
		return []graph.Write{k.next.Set(toClear)}, nil
	}
	x.Doing("orchestrator.clarify.looking")
	was := k.clarity.Get(s)
	got, err := k.measure(ctx, s, x, nil)
	if err != nil {
		return nil, err
	}
	writes := k.cost(got.Usage, 1)
	if got.Failed != "" {
		return append(writes, k.next.Set(toClear)), nil
	}
	c := k.questions(got.Value)
	c.Undone = was.Undone
	if c.Score >= clearEnough || len(c.Questions) == 0 {
		c.Questions = nil
		return append(writes, k.clarity.Set(c), k.next.Set(toClear)), nil
	}
	past, err := k.memory.clarifications(ctx, x, k.input.Get(s))
	if err != nil {
		return nil, err
	}
	return append(writes, k.usePast(s, x, c, past, was.Reused)...), nil
}

// measure asks the model for the task's clarity, given the answers so far.
func (c clarifier) measure(ctx context.Context, s graph.State, x *workflow.Exec, answers []answered) (workflow.Filled[analysed], error) {
	text, err := c.prompt("clarity", s, x, map[string]any{
		"Answers": answers, "Max": c.limits.Questions, "Earlier": host.LongAgo(ctx, x, c.log, c.shown(s)),
	})
	if err != nil {
		return workflow.Filled[analysed]{}, err
	}
	return workflow.Fill[analysed](ctx, x, "clarity", llm.Request{Purpose: llm.ForExtract, Messages: system(text, c.talk(s)...)}, clarityShape)
}

// questions returns the model's questions, up to the limit.
func (k clarifier) questions(a analysed) clarity {
	c := clarity{Score: a.Score}
	for i, q := range a.Questions {
		if i == k.limits.Questions {
			break
		}
		c.Questions = append(c.Questions, question{
			ID: fmt.Sprintf("q%d", i+1), Text: fit.Clip(fit.OneLine(q.Question), 300), Options: q.Options,
		})
	}
	return c
}

// usePast applies earlier answers with a proven success rate to the same task and questions, and suggests the
// others, since another task may need another answer. An answer that was just withdrawn is not applied again.
func (k clarifier) usePast(s graph.State, x *workflow.Exec, c clarity, past []clarified, undone string) []graph.Write {
	slices.SortStableFunc(past, func(a, b clarified) int { // most used first
		return cmp.Or(cmp.Compare(b.Reused, a.Reused), cmp.Compare(b.Success, a.Success), cmp.Compare(b.Confidence, a.Confidence))
	})
	for _, p := range past {
		if p.Success < suggestSuccess || p.Confidence < suggestConfidence || p.Session == undone {
			continue
		}
		if p.answers(k.input.Get(s), c.Questions) && !c.Undone {
			c.Answers = []answered{{Question: p.Questions, Answer: p.Answer, At: p.At}}
			c.Reused, c.Auto = p.Session, true // the questions are kept for a withdrawal
			tellUsed(x, p.known(x))
			x.Doing("orchestrator.clarify.reusing")
			note := x.Phrase("orchestrator.clarify.reused", fit.Clip(p.Answer, 200), x.Phrase("orchestrator.clarify.undo_words"))
			return []graph.Write{
				k.clarity.Set(c), k.notes.Add(note), k.applied.Set(applied{ID: p.Session, Task: k.input.Get(s)}), k.next.Set(toClear),
			}
		}
		c.Past = append(c.Past, p)
	}
	return []graph.Write{k.clarity.Set(c), k.next.Set(toUnclear)}
}

func asked(list []question) string {
	out := make([]string, len(list))
	for i, q := range list {
		out[i] = q.Text
	}
	return strings.Join(out, "\n")
}
