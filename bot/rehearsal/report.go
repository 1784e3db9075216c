package rehearsal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"maru/agent"
)

// Row is one question in a report.
type Row struct {
	N int // from 1, in the order of the report

	Question
	Outcome

	Before     Answer // that the change is compared with: of the baseline, or the recorded one
	Difference Difference
	Chance     bool // the baseline differs from the recorded answer as well
}

// Report is the result of a rehearsal, with the most different answers first.
type Report struct {
	Name  string // of the change
	Rows  []Row
	Gone  int   // questions that were deleted since
	Left  int   // that were not replayed
	Why   error // why some questions are left, nil if none are
	Based bool  // with a baseline
	Used  agent.Usage
	Spent float64 // of everything, grading included
	Was   float64 // cost of the recorded answers
}

// Report compares the outcomes of a journal with the record.
func (p Plan) Report(ctx context.Context, name string, stopped error) (Report, error) {
	r := Report{Name: name, Why: stopped, Based: p.Base != nil}
	done := p.Journal.Done()
	for _, run := range p.Runs {
		q, ok, err := Load(ctx, p.Record, run)
		if err != nil {
			return r, err
		}
		o, asked := done[run]
		switch {
		case !ok:
			r.Gone++
		case !asked:
			r.Left++
		default:
			r.add(q, o)
		}
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		if n := cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.Difference.Score, a.Difference.Score)); n != 0 {
			return n
		}
		return a.At.Compare(b.At)
	})
	for i := range r.Rows {
		r.Rows[i].N = i + 1
	}
	if r.Left == 0 {
		r.Why = nil
	}
	return r, nil
}

// rank sorts incomparable rows between different and equal ones.
func (r Row) rank() int { return slices.Index([]Kind{Open, Unchanged}, r.Difference.Kind()) }

func (r *Report) add(q Question, o Outcome) {
	row := Row{Question: q, Outcome: o, Before: q.Was}
	if o.Base != nil {
		row.Before = *o.Base
		row.Chance = Compare(q.Was, *o.Base).Changed()
		r.Used.Add(o.Base.Usage)
	}
	row.Difference = Compare(row.Before, o.After)
	r.Used.Add(o.After.Usage)
	r.Spent += o.Spent
	r.Was += q.Was.Usage.Cost
	r.Rows = append(r.Rows, row)
}

// Count returns how many rows have one of these kinds as their gravest.
func (r Report) Count(kinds ...Kind) int {
	n := 0
	for _, row := range r.Rows {
		if slices.Contains(kinds, row.Difference.Kind()) {
			n++
		}
	}
	return n
}

// Changed returns the number of answers that differ in more than wording.
func (r Report) Changed() int {
	return len(r.Rows) - r.Count(Unchanged, Worded, Open)
}

// Chance returns the number of answers that differed without the change.
func (r Report) Chance() int {
	n := 0
	for _, row := range r.Rows {
		if row.Chance {
			n++
		}
	}
	return n
}

// reference names a passage that answers a question, as `maru eval` reads it.
type reference struct {
	Document string `json:"document"`
	Heading  string `json:"heading,omitempty"`
	Page     int    `json:"page,omitempty"`
}

type turn struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// SaveCases writes questions as lines of a question file of `maru eval`, and returns their number: those with
// these numbers or, without any, those whose answers changed. The relevant passages are those cited before the
// change.
func (r Report) SaveCases(w io.Writer, numbers []int, saved map[string]bool) (int, error) {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	n := 0
	for _, row := range r.Rows {
		if saved[row.Question.Run] || len(numbers) > 0 && !slices.Contains(numbers, row.N) || len(numbers) == 0 && !row.Difference.Changed() {
			continue
		}
		line := struct {
			ID           string      `json:"id"`
			Question     string      `json:"question"`
			Relevant     []reference `json:"relevant"`
			Conversation []turn      `json:"conversation,omitempty"`
			Kind         string      `json:"kind"`
		}{row.Question.Run, row.Text, []reference{}, nil, "rehearsal"}
		for _, s := range row.Before.Sources {
			line.Relevant = append(line.Relevant, reference{s.Title, s.Heading, s.Page})
		}
		for _, e := range row.Earlier {
			role := "user"
			if e.Own {
				role = "assistant"
			}
			line.Conversation = append(line.Conversation, turn{role, e.Text})
		}
		if err := out.Encode(line); err != nil {
			return n, fmt.Errorf("save questions: %w", err)
		}
		n++
	}
	return n, nil
}

// Ended reports whether an error of [Plan.Run] only means that questions are left, so that there is a report.
func Ended(err error) bool {
	return err == nil || errors.Is(err, ErrCost) || errors.Is(err, ErrTime) || errors.Is(err, context.Canceled)
}
