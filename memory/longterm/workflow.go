package longterm

import (
	"context"
	"slices"
)

// WorkflowLesson is a completed task and its outcome.
type WorkflowLesson struct {
	Query    string   `json:"query"` // the request, in the person's words
	Category string   `json:"category"`
	Plan     []Step   `json:"plan"`
	Tools    []string `json:"tools"`              // in the order of their calls
	Answered bool     `json:"answered,omitempty"` // the task was unclear, and answers went into the plan
	Success  bool     `json:"success"`
}

// Workflow is a person's way of doing a kind of task.
type Workflow struct {
	Query       string   `json:"query"`
	Category    string   `json:"category"`
	Plan        []Step   `json:"plan"`
	Tools       []string `json:"tools"`              // of the newest successful session
	Answered    bool     `json:"answered,omitempty"` // answers went into that plan
	Successes   int      `json:"successes"`
	Failures    int      `json:"failures"`
	SuccessRate float64  `json:"success_rate"`
}

// Workflows stores workflows by request.
type Workflows struct {
	manager[WorkflowLesson, Workflow]
}

func workflowRule() rule[WorkflowLesson, Workflow] {
	return rule[WorkflowLesson, Workflow]{
		kind: KindWorkflow,
		clean: func(l WorkflowLesson) (WorkflowLesson, error) {
			var err error
			l.Query = tidy(l.Query, maxQuery)
			if l.Query == "" {
				return l, errEmpty
			}
			if l.Category, err = word("category", l.Category); err != nil {
				return l, err
			}
			if l.Plan, err = steps(l.Plan); err != nil {
				return l, err
			}
			l.Tools, err = wordList("tools", l.Tools)
			return l, err
		},
		key:  func(l WorkflowLesson, _ string) string { return l.Category + "\n" + essence(l.Query) },
		fold: foldWorkflows,
	}
}

func foldWorkflows(list []told[WorkflowLesson]) (Workflow, sum) {
	var w Workflow
	for _, t := range list {
		l := t.Lesson
		w.Query, w.Category = l.Query, l.Category
		if l.Success || w.Successes == 0 {
			w.Plan, w.Tools, w.Answered = l.Plan, l.Tools, l.Answered
		}
		if l.Success {
			w.Successes++
		} else {
			w.Failures++
		}
	}
	w.SuccessRate = rate(w.Successes, len(list))
	return w, sum{text: w.Query, raw: w.SuccessRate, samples: len(list)}
}

// Minimum successes and success rate of a template.
const (
	templateSuccesses = 2
	templateRate      = 0.7
)

// Template returns the proven workflow for tasks like this one. It selects the category of most similar tasks and,
// within it, the same task or else the best match; ok is false if none is proven.
func (w *Workflows) Template(ctx context.Context, o Owner, task string) (best Hit[Workflow], ok bool, err error) {
	found, err := w.Search(ctx, o, task, MaxFound)
	if err != nil {
		return best, false, err
	}
	found = slices.DeleteFunc(found, func(h Hit[Workflow]) bool {
		return h.Relevance < likeTask && !SameTask(h.Data.Query, task) || denied.MatchString(h.Data.Query) != denied.MatchString(task)
	})
	votes := map[string]float64{}
	for _, h := range found {
		votes[h.Data.Category] += h.Relevance * float64(h.Record.Samples)
	}
	for _, h := range found {
		if h.Data.Successes < templateSuccesses || h.Data.SuccessRate < templateRate {
			continue
		}
		same, sameBest := SameTask(h.Data.Query, task), ok && SameTask(best.Data.Query, task)
		switch more := votes[h.Data.Category] - votes[best.Data.Category]; {
		case !ok, same && !sameBest, same == sameBest && more > 0: // hits are sorted best first
			best, ok = h, true
		}
	}
	return best, ok, nil
}
