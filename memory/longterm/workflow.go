package longterm

import (
	"context"
	"slices"
)

// WorkflowLesson is a whole piece of work and how it went.
type WorkflowLesson struct {
	Query    string   `json:"query"` // the request, in the person's words
	Category string   `json:"category"`
	Plan     []Step   `json:"plan"`
	Tools    []string `json:"tools"` // in the order of their calls
	Success  bool     `json:"success"`
}

// Workflow is a way of working that a person has used.
type Workflow struct {
	Query       string   `json:"query"`
	Category    string   `json:"category"`
	Plan        []Step   `json:"plan"`
	Tools       []string `json:"tools"` // of the newest session that went well
	Successes   int      `json:"successes"`
	Failures    int      `json:"failures"`
	SuccessRate float64  `json:"success_rate"`
}

// Workflows stores ways of working by request.
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
			w.Plan, w.Tools = l.Plan, l.Tools
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

// A workflow that went well this often, and at this rate, is a template.
const (
	templateSuccesses = 2
	templateRate      = 0.7
)

// Templates returns the ways of working that have proved themselves, the surest
// first: of one category, or of all with "". At most limit, 5 if it is 0.
func (w *Workflows) Templates(ctx context.Context, o Owner, category string, limit int) ([]Hit[Workflow], error) {
	all, err := w.All(ctx, o)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(h Hit[Workflow]) bool {
		return h.Data.Successes < templateSuccesses || h.Data.SuccessRate < templateRate ||
			category != "" && h.Data.Category != category
	})
	slices.SortStableFunc(all, func(a, b Hit[Workflow]) int {
		switch {
		case a.Confidence > b.Confidence:
			return -1
		case a.Confidence < b.Confidence:
			return 1
		}
		return 0
	})
	if limit <= 0 {
		limit = 5
	}
	return all[:min(len(all), limit)], nil
}
