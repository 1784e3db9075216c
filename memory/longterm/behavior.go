package longterm

import (
	"context"
	"fmt"
	"strings"
	"time"

	"maru/phrase/fit"
)

// Decision is a person's answer to an approval.
type Decision string

// The kinds of decision.
const (
	Accepted Decision = "accept"
	Edited   Decision = "edit"
	Rejected Decision = "reject"
	Skipped  Decision = "skip"
)

// BehaviorLesson is one decision.
type BehaviorLesson struct {
	Task     string   `json:"task"`     // the subject, in the person's words
	Approval string   `json:"approval"` // kind of approval: "clarification", "plan", "step"
	Decision Decision `json:"decision"`
	Millis   int64    `json:"millis"` // how long the person took
}

// Behavior is a person's decision pattern for one kind of approval in one context of tasks.
type Behavior struct {
	Task       string           `json:"task"`
	Approval   string           `json:"approval"`
	Actions    map[Decision]int `json:"actions"`
	MeanMillis float64          `json:"mean_millis"`
	EditRate   float64          `json:"edit_frequency"`
	SkipRate   float64          `json:"skip_frequency"`
}

// Behaviors remembers decisions by kind of approval and task.
type Behaviors struct {
	manager[BehaviorLesson, Behavior]
}

func behaviorRule() rule[BehaviorLesson, Behavior] {
	return rule[BehaviorLesson, Behavior]{
		kind: KindBehavior,
		clean: func(l BehaviorLesson) (BehaviorLesson, error) {
			var err error
			l.Task = tidy(l.Task, maxQuery)
			if l.Approval, err = word("approval", l.Approval); err != nil {
				return l, err
			}
			switch {
			case l.Approval == "":
				return l, errEmpty
			case l.Decision != Accepted && l.Decision != Edited && l.Decision != Rejected && l.Decision != Skipped:
				return l, fmt.Errorf("unknown decision %q", fit.Clip(string(l.Decision), maxWord))
			case l.Millis < 0:
				return l, fmt.Errorf("decision time of %d ms out of range", l.Millis)
			}
			return l, nil
		},
		key:  func(l BehaviorLesson, _ string) string { return l.Approval + "\n" + essence(l.Task) },
		fold: foldBehaviors,
	}
}

func foldBehaviors(list []told[BehaviorLesson]) (Behavior, sum) {
	b := Behavior{Actions: map[Decision]int{}}
	var took int64
	most := 0
	for _, t := range list {
		l := t.Lesson
		b.Task, b.Approval = l.Task, l.Approval
		b.Actions[l.Decision]++
		took += l.Millis
		most = max(most, b.Actions[l.Decision])
	}
	n := len(list)
	if n > 0 {
		b.MeanMillis = float64(took) / float64(n)
	}
	b.EditRate, b.SkipRate = rate(b.Actions[Edited], n), rate(b.Actions[Skipped], n)
	return b, sum{text: strings.TrimSpace(b.Approval + " " + b.Task), raw: rate(most, n), samples: n}
}

// Prediction is a person's probable decision.
type Prediction struct {
	Acceptance float64       // probability that they accept without a change, 0..1
	Confidence float64       // Acceptance weighed by its samples; see [Confidence]
	Samples    int           // decisions about this kind of approval
	EditRate   float64       // of them
	SkipRate   float64       // of them
	Mean       time.Duration // mean time of a decision
	Records    []string      // evidence
}

// elsewhere is the weight of a decision about another task.
const elsewhere = 0.3

// Predict predicts a person's decision about an approval of this kind for this task, from their own decisions alone.
// It never grants permission: callers must still ask before a write, an execution or a send.
func (b *Behaviors) Predict(ctx context.Context, o Owner, approval, task string) (Prediction, error) {
	all, err := b.All(ctx, o)
	if err != nil {
		return Prediction{}, err
	}
	alike, err := b.Search(ctx, o, approval+" "+task, MaxFound)
	if err != nil {
		return Prediction{}, err
	}
	near := map[string]bool{}
	for _, h := range alike {
		near[h.Record.ID] = h.Relevance >= likeTask || essence(h.Data.Task) == essence(task)
	}
	var p Prediction
	var accepted, weight, edits, skips, millis float64
	for _, h := range all {
		if h.Data.Approval != approval {
			continue
		}
		w, n := elsewhere, float64(h.Record.Samples)
		if near[h.Record.ID] {
			w = 1
		}
		accepted += w * float64(h.Data.Actions[Accepted])
		weight += w * n
		edits += float64(h.Data.Actions[Edited])
		skips += float64(h.Data.Actions[Skipped])
		millis += h.Data.MeanMillis * n
		p.Samples += h.Record.Samples
		p.Records = append(p.Records, h.Record.ID)
	}
	if p.Samples == 0 {
		return Prediction{Acceptance: 0.5}, nil
	}
	// Laplace's rule of succession: one decision is not certainty.
	p.Acceptance = (accepted + 1) / (weight + 2)
	p.Confidence = Confidence(p.Acceptance, p.Samples)
	n := float64(p.Samples)
	p.EditRate, p.SkipRate, p.Mean = edits/n, skips/n, time.Duration(millis/n*float64(time.Millisecond))
	return p, nil
}
