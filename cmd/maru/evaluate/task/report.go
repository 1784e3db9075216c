package task

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"maru/phrase"
)

// Report holds the figures of one agent on one file.
type Report struct {
	File     string    `json:"file"`
	Agent    string    `json:"agent"`
	Model    string    `json:"model"`
	Rows     []Row     `json:"rows"` // of all tasks, then of each language
	Outcomes []Outcome `json:"tasks"`
}

// Row holds the figures of a group of tasks.
type Row struct {
	Group       string  `json:"group"`
	Tasks       int     `json:"tasks"`
	Route       Share   `json:"route"`
	Clarified   Share   `json:"clarification"`
	Plan        Share   `json:"plan"`
	Calls       Share   `json:"calls"`
	Answer      Share   `json:"answer"`
	Cited       Share   `json:"cited"`
	Declined    Share   `json:"declined"`
	Unsupported int     `json:"unsupported"`
	Failed      int     `json:"failed"`
	ModelCalls  float64 `json:"model_calls"` // a task
	Tokens      float64 `json:"tokens"`      // a task, in and out
	Seconds     float64 `json:"seconds"`     // a task
}

// Share is how many of how many were right.
type Share struct {
	Right int `json:"right"`
	Of    int `json:"of"`
}

// String returns the share as a table shows it.
func (s Share) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", s.Right, s.Of)
}

func (s *Share) add(right *bool) {
	if right == nil {
		return
	}
	if s.Of++; *right {
		s.Right++
	}
}

// count makes the rows.
func (r *Report) count() {
	r.Rows = []Row{rowOf("all", r.Outcomes)}
	for _, language := range phrase.Languages() {
		var of []Outcome
		for _, o := range r.Outcomes {
			if o.Language == language {
				of = append(of, o)
			}
		}
		if len(of) > 0 && len(of) < len(r.Outcomes) {
			r.Rows = append(r.Rows, rowOf(language, of))
		}
	}
}

func rowOf(group string, of []Outcome) Row {
	row := Row{Group: group, Tasks: len(of)}
	for _, o := range of {
		row.Route.add(o.Route)
		row.Clarified.add(o.Clarified)
		row.Plan.add(o.Plan)
		row.Calls.add(o.Calls)
		row.Answer.add(o.Answer)
		row.Cited.add(o.Cited)
		row.Declined.add(o.Declined)
		if o.Unsupported {
			row.Unsupported++
		}
		if o.Failed != "" {
			row.Failed++
		}
		n := float64(len(of))
		row.ModelCalls += float64(o.ModelCalls) / n
		row.Tokens += float64(o.Input+o.Output) / n
		row.Seconds += o.Seconds / n
	}
	return row
}

// WriteTable prints the figures of agents as one Markdown table, which docs/models.md takes as it is. wrong adds every
// task that went wrong.
func WriteTable(w io.Writer, reports []Report, wrong bool) error {
	var b strings.Builder
	for i, r := range reports {
		if i == 0 {
			fmt.Fprintf(&b, "Model: %s\n\n", r.Model)
			b.WriteString("| agent | tasks | routed | asked when unclear | plan accepted as it is | tool calls right | answer right | cited | declined | unsupported | failed | calls a task | tokens a task | seconds a task |\n")
			b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
		}
		for _, row := range r.Rows {
			name := r.Agent
			if row.Group != "all" {
				name += ", " + row.Group
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %d | %d | %.1f | %.0f | %.1f |\n", name, row.Tasks,
				row.Route, row.Clarified, row.Plan, row.Calls, row.Answer, row.Cited, row.Declined, row.Unsupported, row.Failed, row.ModelCalls, row.Tokens, row.Seconds)
		}
	}
	if wrong {
		for _, r := range reports {
			r.writeWrong(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) writeWrong(b *strings.Builder) {
	for _, o := range r.Outcomes {
		if len(o.Wrong) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n%s:%d %s: %s\n  wrong: %s\n", r.File, o.Line, o.ID, o.Text, strings.Join(o.Wrong, "; "))
		for _, s := range o.Steps {
			fmt.Fprintf(b, "  plan  | %s\n", s)
		}
		for _, c := range o.Called {
			fmt.Fprintf(b, "  call  | %s\n", c)
		}
		fmt.Fprintf(b, "  reply | %s\n", strings.ReplaceAll(strings.TrimSpace(o.Reply), "\n", "\n        | "))
	}
}

// WriteJSON prints everything for programs, each task with its answer.
func WriteJSON(w io.Writer, reports []Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"agents": reports})
}
