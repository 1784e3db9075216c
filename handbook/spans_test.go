package handbook_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/datatest"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
)

// spanned is a passage with questions whose answers are in it.
type spanned struct {
	title, text string
	asks        []span
}

type span struct {
	question string
	answers  []string
}

// spanScore counts the quotations of answers that hold an answer's span.
type spanScore struct{ asked, first, any, quoted, declined int }

func (s *spanScore) add(reply string, answers []string) {
	_, quotes, ok := strings.Cut(reply, "\n> ")
	s.asked++
	if !ok {
		s.declined++
		return
	}
	first, _, _ := strings.Cut(quotes, "\n")
	holds := func(text string) bool {
		return slices.ContainsFunc(answers, func(a string) bool { return strings.Contains(text, a) })
	}
	s.quoted += strings.Count(reply, "\n> ")
	if holds(first) {
		s.first++
	}
	if holds(reply) {
		s.any++
	}
}

// TestSpans asks the questions of KorQuAD and, if MARU_SQUAD names a file of SQuAD's form, of that: does a sentence that
// the built-in model quotes hold the answer? Once with the passage that has it alone, once with the index's five best.
func TestSpans(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	for _, set := range []struct {
		name  string
		all   []spanned
		every int
		least float64 // of first quotations that hold the answer
	}{{"KorQuAD", korquad(t), 8, 0.76}, {"SQuAD", squad(t, os.Getenv("MARU_SQUAD")), 2, 0.60}} {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			if len(set.all) == 0 {
				t.Skip("MARU_SQUAD names no file of SQuAD's form")
			}
			every := set.every
			if os.Getenv("MARU_EVAL_FULL") != "" {
				every = 1
			}
			x := spanIndex(t, set.all)
			var alone, among [2]spanScore
			n := 0
			for _, p := range set.all {
				for _, q := range p.asks {
					n++
					if n%every != 0 {
						continue
					}
					half := n / every % 2
					a := answerFrom(t, q.question, []llm.Passage{{N: 1, Title: p.title, Text: p.text, Score: 1}})
					alone[half].add(a, q.answers)
					among[half].add(answer(t, x, q.question), q.answers)
				}
			}
			for half := range alone {
				for _, s := range []struct {
					name string
					spanScore
				}{{"alone", alone[half]}, {"among five", among[half]}} {
					t.Logf("%s half %d, %s: asked %d, first quotation %.4f, any %.4f, declined %.4f, quotations %.2f",
						set.name, half, s.name, s.asked, share(s.first, s.asked), share(s.any, s.asked), share(s.declined, s.asked), share(s.quoted, s.asked))
					if share(s.first, s.asked) < set.least {
						t.Errorf("fewer than %.2f", set.least)
					}
				}
			}
		})
	}
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

func answerFrom(t *testing.T, question string, passages []llm.Passage) string {
	t.Helper()
	resp, err := extractive.New().Generate(t.Context(), llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.User, Content: question}}, Passages: passages}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Message.Content
}

func korquad(t *testing.T) (all []spanned) {
	t.Helper()
	set, err := eval.ReadSet(filepath.Join(datatest.Dir(t), "korquad1-dev"))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, p := range set.Corpus {
		at[p.ID] = i
		all = append(all, spanned{title: p.Title, text: p.Text})
	}
	for _, q := range set.Queries {
		for id := range set.Answers[q.ID] {
			all[at[id]].asks = append(all[at[id]].asks, span{q.Text, q.Answers})
		}
	}
	return all
}

// squad reads a file of SQuAD's form.
func squad(t *testing.T, file string) (all []spanned) {
	t.Helper()
	if file == "" {
		return nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var set struct {
		Data []struct {
			Title      string
			Paragraphs []struct {
				Context string
				Qas     []struct {
					Question string
					Answers  []struct{ Text string }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	for _, d := range set.Data {
		for _, p := range d.Paragraphs {
			one := spanned{title: strings.ReplaceAll(d.Title, "_", " "), text: p.Context}
			for _, q := range p.Qas {
				s := span{question: q.Question}
				for _, a := range q.Answers {
					s.answers = append(s.answers, a.Text)
				}
				one.asks = append(one.asks, s)
			}
			all = append(all, one)
		}
	}
	return all
}

func spanIndex(t *testing.T, all []spanned) *local.Index {
	t.Helper()
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	set := &eval.Set{}
	for i, p := range all {
		set.Corpus = append(set.Corpus, eval.Passage{ID: strconv.Itoa(i), Title: p.title, Text: p.text})
	}
	if err := eval.Fill(t.Context(), set, func(ctx context.Context, docs []rag.Document, chunks [][]rag.Chunk) error {
		entries := make([]local.Entry, len(docs))
		for i := range docs {
			docs[i].Scope = "public"
			entries[i] = local.Entry{Document: docs[i], Chunks: chunks[i]}
		}
		return x.PutAll(ctx, entries)
	}); err != nil {
		t.Fatal(err)
	}
	return x
}
