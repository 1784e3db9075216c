package eval

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Mean is an average. Without samples it is null in JSON and "-" in a table.
type Mean struct {
	sum float64
	n   int
}

func (m *Mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }

// Count adds a yes, 1, or a no, 0.
func (m *Mean) Count(yes bool) {
	x := 0.0
	if yes {
		x = 1
	}
	m.add(x)
}

// Of returns the number of samples.
func (m Mean) Of() int { return m.n }

// Value returns the average, 0 without samples.
func (m Mean) Value() float64 { return m.sum / float64(max(m.n, 1)) }

// MarshalJSON implements [json.Marshaler].
func (m Mean) MarshalJSON() ([]byte, error) {
	if m.n == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(m.Value())
}

// rowsOf aggregates outcomes: all, then each language if there are two, each split and each kind, in order of first appearance.
func rowsOf(outcomes []Outcome) []Quality {
	rows := []Quality{rowOf("all", outcomes)}
	groups := []func(Outcome) string{func(o Outcome) string { return o.split }, func(o Outcome) string { return o.kind }}
	if two := func(o Outcome) bool { return language(o) != language(outcomes[0]) }; slices.ContainsFunc(outcomes, two) {
		groups = slices.Insert(groups, 0, language)
	}
	for _, of := range groups {
		var order []string
		by := map[string][]Outcome{}
		for _, o := range outcomes {
			g := of(o)
			if g != "" && by[g] == nil {
				order = append(order, g)
			}
			by[g] = append(by[g], o)
		}
		for _, g := range order {
			rows = append(rows, rowOf(g, by[g]))
		}
	}
	return rows
}

// language returns that of a question: Korean with any Hangul, else English.
func language(o Outcome) string {
	if strings.ContainsFunc(o.Question, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return "Korean"
	}
	return "English"
}

func rowOf(group string, outcomes []Outcome) Quality {
	q := Quality{Group: group, Questions: len(outcomes)}
	var searches, answers []time.Duration
	for _, o := range outcomes {
		searches, answers = append(searches, o.search), append(answers, o.answer)
		if o.answerable {
			q.NDCG10.add(o.ranking.NDCG10)
			q.Recall1.add(o.ranking.Recall1)
			q.Recall5.add(o.ranking.Recall5)
			q.Recall10.add(o.ranking.Recall10)
			q.MRR.add(o.ranking.MRR)
			q.Answered.Count(!o.Declined && !o.Unsupported && o.Failed == "")
		} else {
			q.Declined.Count(o.Declined)
		}
		q.NotFound.Count(o.answerable != o.Declined && !(o.answerable && o.Unsupported) && o.Failed == "")
		q.Failed.Count(o.Failed != "")
		q.Unsupported.Count(o.Unsupported)
		if g := o.Graded; g != nil && o.answerable {
			q.GradedRight.Count(g.Right)
			q.GradedCited.Count(g.Cited)
			q.GradedComplete.Count(g.Complete)
		} else if g != nil {
			q.GradedDeclined.Count(g.Declined)
		}
		if o.Says != nil {
			q.Right.Count(*o.Says)
			q.Shown.Count(*o.Shown)
		}
		if !o.Declined {
			q.Citations.sum += float64(o.Relevant)
			q.Citations.n += len(o.Cited)
		}
	}
	q.SearchP50, q.SearchP99 = quantiles(searches)
	q.AnswerP50, q.AnswerP99 = quantiles(answers)
	return q
}

// quantiles returns the median and the 99th percentile.
func quantiles(times []time.Duration) (p50, p99 time.Duration) {
	if len(times) == 0 {
		return 0, 0
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)*99/100]
}
