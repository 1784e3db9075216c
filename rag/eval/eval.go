package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"maru/rag"
)

// Scope holds the passages of an evaluated set.
const Scope = "eval"

// depth is the number of passages requested per question.
const depth = 10

// Report holds an index's figures on a set.
type Report struct {
	Set      string  `json:"set"`
	Passages int     `json:"passages"`
	Rows     []Row   `json:"rows"` // all questions first, then each kind
	Indexing float64 `json:"indexing_seconds"`
}

// Row holds the figures of a group of questions.
type Row struct {
	Kind      string        `json:"kind"`
	Questions int           `json:"questions"`
	NDCG10    float64       `json:"ndcg_at_10"`
	Recall1   float64       `json:"recall_at_1"`
	Recall5   float64       `json:"recall_at_5"`
	Recall10  float64       `json:"recall_at_10"`
	MRR       float64       `json:"mrr"`
	Found     float64       `json:"found"` // share of questions whose first passage passes the index's own threshold
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
}

// Put stores documents; [Fill] calls it with batches.
type Put func(ctx context.Context, docs []rag.Document, chunks [][]rag.Chunk) error

// Fill puts a set's passages, one document each, into an index.
func Fill(ctx context.Context, s *Set, put Put) error {
	const batch = 2000
	for part := range slices.Chunk(s.Corpus, batch) {
		docs, chunks := make([]rag.Document, len(part)), make([][]rag.Chunk, len(part))
		for i, p := range part {
			docs[i] = rag.Document{ID: p.ID, Scope: Scope, Title: p.Title, Source: p.ID}
			chunks[i] = []rag.Chunk{{ID: p.ID + "#0", Document: p.ID, Context: p.Title, Text: p.Text, End: len(p.Text)}}
		}
		if err := put(ctx, docs, chunks); err != nil {
			return fmt.Errorf("fill index from %s: %w", s.Name, err)
		}
	}
	return nil
}

// Evaluate queries the index with every question of the set, or each every-th one if every is more than 1, and scores
// the rankings. now returns the time, for latency.
func Evaluate(ctx context.Context, index rag.Index, s *Set, every int, now func() time.Time) (Report, error) {
	r := Report{Set: s.Name, Passages: len(s.Corpus)}
	all := &sample{}
	kinds := map[string]*sample{}
	n := 0
	for _, q := range s.Queries {
		if len(s.Answers[q.ID]) == 0 {
			continue
		}
		if n++; every > 1 && n%every != 0 {
			continue
		}
		one, err := ask(ctx, index, s, q, now)
		if err != nil {
			return r, fmt.Errorf("question %s: %w", q.ID, err)
		}
		all.add(one)
		if q.Kind == "" {
			continue
		}
		if kinds[q.Kind] == nil {
			kinds[q.Kind] = &sample{}
		}
		kinds[q.Kind].add(one)
	}
	r.Rows = append(r.Rows, all.row("all"))
	names := []string{}
	for k := range kinds {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		r.Rows = append(r.Rows, kinds[k].row(k))
	}
	return r, nil
}

// Teach asks the questions of a set as people would, so that an index has learned from them how far its vectors can be
// trusted ([rag.Blend]) before [Evaluate] measures. It looks at no answer.
func Teach(ctx context.Context, index rag.Index, s *Set, every int) error {
	for i := 0; i < len(s.Queries); i += max(1, every) {
		if _, err := index.Search(ctx, rag.Query{Text: s.Queries[i].Text, Scopes: []string{Scope}}); err != nil {
			return fmt.Errorf("teach %s: %w", s.Name, err)
		}
	}
	return nil
}

func ask(ctx context.Context, index rag.Index, s *Set, q Question, now func() time.Time) (Row, error) {
	start := now()
	hits, err := index.Search(ctx, rag.Query{Text: q.Text, Scopes: []string{Scope}, Limit: depth, Threshold: -1, Repeats: true, Exam: true})
	took := now().Sub(start)
	if err != nil {
		return Row{}, err
	}
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Document.ID
	}
	row := score(ids, s.Answers[q.ID])
	row.P50 = took
	if len(hits) > 0 && hits[0].Score >= rag.DefaultThreshold {
		row.Found = 1
	}
	return row, nil
}

// score compares a ranking with the graded passages.
func score(ranked []string, grades map[string]int) Row {
	var r Row
	var ideal []int
	relevant := 0.0
	for _, g := range grades {
		if g > 0 {
			ideal = append(ideal, g)
			relevant++
		}
	}
	slices.SortFunc(ideal, func(a, b int) int { return b - a })
	var gain, best float64
	for i, g := range ideal[:min(len(ideal), depth)] {
		best += float64(g) / math.Log2(float64(i+2))
	}
	for i, id := range ranked[:min(len(ranked), depth)] {
		g := grades[id]
		if g <= 0 {
			continue
		}
		gain += float64(g) / math.Log2(float64(i+2))
		if r.MRR == 0 {
			r.MRR = 1 / float64(i+1)
		}
		if i < 1 {
			r.Recall1 += 1 / relevant
		}
		if i < 5 {
			r.Recall5 += 1 / relevant
		}
		r.Recall10 += 1 / relevant
	}
	if best > 0 {
		r.NDCG10 = gain / best
	}
	return r
}

// sample accumulates rows.
type sample struct {
	sum   Row
	times []time.Duration
}

func (s *sample) add(r Row) {
	s.sum.Questions++
	s.sum.NDCG10 += r.NDCG10
	s.sum.Recall1 += r.Recall1
	s.sum.Recall5 += r.Recall5
	s.sum.Recall10 += r.Recall10
	s.sum.MRR += r.MRR
	s.sum.Found += r.Found
	s.times = append(s.times, r.P50)
}

func (s *sample) row(kind string) Row {
	n := float64(max(s.sum.Questions, 1))
	r := Row{
		Kind: kind, Questions: s.sum.Questions, NDCG10: s.sum.NDCG10 / n, Recall1: s.sum.Recall1 / n,
		Recall5: s.sum.Recall5 / n, Recall10: s.sum.Recall10 / n, MRR: s.sum.MRR / n, Found: s.sum.Found / n,
	}
	if len(s.times) > 0 {
		slices.Sort(s.times)
		r.P50, r.P99 = s.times[len(s.times)/2], s.times[len(s.times)*99/100]
	}
	return r
}

// WriteTable prints reports for people.
func WriteTable(w io.Writer, reports ...Report) error {
	const line = "%-16s %-8s %8s %9s %8s %7s %7s %7s %7s %7s %9s %9s\n"
	out := fmt.Sprintf(line, "set", "kind", "passages", "questions", "nDCG@10", "R@1", "R@5", "R@10", "MRR", "found", "p50", "p99")
	var b strings.Builder
	b.WriteString(out)
	f := func(x float64) string { return fmt.Sprintf("%.4f", x) }
	for _, r := range reports {
		for _, k := range r.Rows {
			fmt.Fprintf(&b, line, r.Set, k.Kind, fmt.Sprint(r.Passages), fmt.Sprint(k.Questions), f(k.NDCG10), f(k.Recall1), f(k.Recall5), f(k.Recall10), f(k.MRR), f(k.Found), k.P50.Round(time.Microsecond), k.P99.Round(time.Microsecond))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON prints reports for programs.
func WriteJSON(w io.Writer, reports ...Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(reports)
}
