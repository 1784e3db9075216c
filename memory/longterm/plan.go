package longterm

// PlanLesson is a plan, a person's decision about it, and its outcome.
type PlanLesson struct {
	Query    string `json:"query"`             // the request, in the person's words
	Pattern  string `json:"pattern,omitempty"` // kind of workflow: "research", "report", …
	Original []Step `json:"original"`          // as proposed
	Final    []Step `json:"final"`             // as run
	Success  bool   `json:"success"`
}

// Plan is a person's preferred plan for a kind of request.
type Plan struct {
	Query        string  `json:"query"` // newest session's
	Pattern      string  `json:"pattern,omitempty"`
	Original     []Step  `json:"original"`
	Final        []Step  `json:"final"`      // newest successful plan, otherwise the newest
	WasEdited    bool    `json:"was_edited"` // the person changed Original to Final
	Edits        int     `json:"edits"`      // number of plans they changed
	SuccessCount int     `json:"success_count"`
	Failures     int     `json:"failures"`
	SuccessRate  float64 `json:"success_rate"`
}

// Plans stores plans by request.
type Plans struct{ manager[PlanLesson, Plan] }

func planRule() rule[PlanLesson, Plan] {
	return rule[PlanLesson, Plan]{
		kind: KindPlan,
		clean: func(l PlanLesson) (PlanLesson, error) {
			var err error
			l.Query = tidy(l.Query, maxQuery)
			if l.Query == "" || len(l.Final) == 0 {
				return l, errEmpty
			}
			if l.Pattern, err = word("pattern", l.Pattern); err != nil {
				return l, err
			}
			if l.Original, err = steps(l.Original); err != nil {
				return l, err
			}
			l.Final, err = steps(l.Final)
			return l, err
		},
		key:  func(l PlanLesson, _ string) string { return l.Pattern + "\n" + essence(l.Query) },
		fold: foldPlans,
	}
}

func foldPlans(list []told[PlanLesson]) (Plan, sum) {
	var p Plan
	well := false
	for _, t := range list {
		l := t.Lesson
		p.Query, p.Pattern = l.Query, l.Pattern
		if l.Success || !well { // a plan that failed does not replace one that worked
			p.Original, p.Final, p.WasEdited = l.Original, l.Final, edited(l)
		}
		well = well || l.Success
		if edited(l) {
			p.Edits++
		}
		if l.Success {
			p.SuccessCount++
		} else {
			p.Failures++
		}
	}
	p.SuccessRate = rate(p.SuccessCount, len(list))
	return p, sum{text: p.Query, raw: p.SuccessRate, samples: len(list)}
}

// edited reports whether the person changed the plan. Without an original it is unknown, and false.
func edited(l PlanLesson) bool {
	if len(l.Original) == 0 {
		return false
	}
	if len(l.Original) != len(l.Final) {
		return true
	}
	for i := range l.Original {
		if l.Original[i] != l.Final[i] {
			return true
		}
	}
	return false
}
