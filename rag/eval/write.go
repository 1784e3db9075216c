package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Comparison is the result of a question file under one configuration, or two.
type Comparison struct {
	File           string        `json:"file"`
	Configurations []Examination `json:"configurations"`
}

// columns are the table's columns with their figures.
var columns = []struct {
	name string
	of   func(Quality) Mean
}{
	{"nDCG@10", func(q Quality) Mean { return q.NDCG10 }},
	{"R@1", func(q Quality) Mean { return q.Recall1 }},
	{"R@5", func(q Quality) Mean { return q.Recall5 }},
	{"R@10", func(q Quality) Mean { return q.Recall10 }},
	{"MRR", func(q Quality) Mean { return q.MRR }},
	{"answered", func(q Quality) Mean { return q.Answered }},
	{"right", func(q Quality) Mean { return q.Right }},
	{"shown", func(q Quality) Mean { return q.Shown }},
	{"cit.prec", func(q Quality) Mean { return q.Citations }},
	{"declined", func(q Quality) Mean { return q.Declined }},
	{"no source", func(q Quality) Mean { return q.Unsupported }},
	{"failed", func(q Quality) Mean { return q.Failed }},
	{"notfound", func(q Quality) Mean { return q.NotFound }},
	{"g.right", func(q Quality) Mean { return q.GradedRight }},
	{"g.cited", func(q Quality) Mean { return q.GradedCited }},
	{"g.compl", func(q Quality) Mean { return q.GradedComplete }},
	{"g.decl", func(q Quality) Mean { return q.GradedDeclined }},
}

// WriteTable prints the figures as text: one line per group of questions and configuration, and the difference of
// two. wrong adds the failed questions.
func (c Comparison) WriteTable(w io.Writer, wrong bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", c.File)
	for i, e := range c.Configurations {
		fmt.Fprintf(&b, "  %c = %s, model: %s\n", letter(i), e.Name, e.Model)
	}
	fmt.Fprintf(&b, "%-14s %-4s %9s", "group", "conf", "questions")
	for _, col := range columns {
		fmt.Fprintf(&b, " %8s", col.name)
	}
	fmt.Fprintf(&b, " %10s %10s %10s %10s\n", "search p50", "p99", "answer p50", "p99")
	for _, first := range c.Configurations[0].Rows {
		for i, e := range c.Configurations {
			n := slices.IndexFunc(e.Rows, func(q Quality) bool { return q.Group == first.Group })
			if n < 0 { // it was stopped before
				continue
			}
			if writeRow(&b, letter(i), e.Rows[n]); i == 1 {
				writeDifference(&b, first, e.Rows[n])
			}
		}
	}
	for i, e := range c.Configurations {
		writeFailed(&b, letter(i), e.Outcomes)
	}
	if wrong {
		for i, e := range c.Configurations {
			writeWrong(&b, letter(i), e.Outcomes)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeFailed says how many questions had no reply, and why the first of them had none.
func writeFailed(b *strings.Builder, name rune, outcomes []Outcome) {
	var first *Outcome
	n := 0
	for i := range outcomes {
		if o := &outcomes[i]; o.Failed != "" {
			if n++; first == nil {
				first = o
			}
		}
	}
	if n > 0 {
		fmt.Fprintf(b, "\n%c: %d of %d questions had no reply, the first on line %d: %s\n", name, n, len(outcomes), first.Line, first.Failed)
	}
}

func letter(i int) rune { return rune('A' + i) }

func writeRow(b *strings.Builder, name rune, q Quality) {
	fmt.Fprintf(b, "%-14s %-4c %9d", q.Group, name, q.Questions)
	for _, col := range columns {
		text := "-"
		if m := col.of(q); m.Of() > 0 {
			text = fmt.Sprintf("%.4f", m.Value())
		}
		fmt.Fprintf(b, " %8s", text)
	}
	for _, d := range []time.Duration{q.SearchP50, q.SearchP99, q.AnswerP50, q.AnswerP99} {
		fmt.Fprintf(b, " %10s", d.Round(time.Microsecond))
	}
	b.WriteByte('\n')
}

func writeDifference(b *strings.Builder, x, y Quality) {
	fmt.Fprintf(b, "%-14s %-4s %9s", "", "B-A", "")
	for _, col := range columns {
		text := "-"
		if m, n := col.of(x), col.of(y); m.Of() > 0 && n.Of() > 0 {
			text = fmt.Sprintf("%+.4f", n.Value()-m.Value())
		}
		fmt.Fprintf(b, " %8s", text)
	}
	for _, d := range []time.Duration{y.SearchP50 - x.SearchP50, y.SearchP99 - x.SearchP99, y.AnswerP50 - x.AnswerP50, y.AnswerP99 - x.AnswerP99} {
		fmt.Fprintf(b, " %10s", d.Round(time.Microsecond))
	}
	b.WriteByte('\n')
}

func writeWrong(b *strings.Builder, name rune, outcomes []Outcome) {
	for _, o := range outcomes {
		if o.Wrong == "" {
			continue
		}
		fmt.Fprintf(b, "\n%c line %d: %s\n  %s\n", name, o.Line, o.Question, o.Wrong)
		for _, p := range o.Cited {
			fmt.Fprintf(b, "  cites %s\n", p)
		}
		fmt.Fprintf(b, "  | %s\n", strings.ReplaceAll(strings.TrimSpace(o.Reply), "\n", "\n  | "))
	}
}

// WriteJSON prints everything for programs, each question with its answer.
func (c Comparison) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(c)
}
