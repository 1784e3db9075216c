package eval_test

import (
	"fmt"
	"testing"

	"maru/rag/eval"
)

// TestRemoved: a question is answerable exactly if its passage is still there, and
// what is taken out does not change from one call to the next.
func TestRemoved(t *testing.T) {
	t.Parallel()
	set := &eval.Set{Name: "s", Answers: map[string]map[string]int{}}
	for i := range 500 {
		id := fmt.Sprint("p", i)
		set.Corpus = append(set.Corpus, eval.Passage{ID: id, Text: "text " + id})
		set.Queries = append(set.Queries, eval.Question{ID: "q" + id, Text: "what is " + id, Answers: []string{id}})
		set.Answers["q"+id] = map[string]int{id: 1}
	}
	set.Queries = append(set.Queries, eval.Question{ID: "both", Text: "?"}, eval.Question{ID: "none", Text: "?"})
	set.Answers["both"] = map[string]int{}
	for _, p := range set.Corpus {
		set.Answers["both"][p.ID] = 1
	}
	rest, cases := set.Removed()
	there := map[string]bool{}
	for _, p := range rest.Corpus {
		there[p.ID] = true
	}
	if n := len(there); n < 370 || n > 430 {
		t.Errorf("%d of 500 passages are left, want about four in five", n)
	}
	if len(cases) != 500 || len(rest.Queries) != len(there) {
		t.Errorf("%d cases, %d questions of the rest", len(cases), len(rest.Queries))
	}
	for _, c := range cases {
		kept := there[c.ID[1:]]
		if c.Answerable() != kept || (c.Kind == eval.KindKept) != kept || (len(c.Answer) == 1) != kept {
			t.Fatalf("passage there: %v, case %+v", kept, c)
		}
	}
	if again, _ := set.Removed(); len(again.Corpus) != len(rest.Corpus) || again.Corpus[7].ID != rest.Corpus[7].ID {
		t.Error("another fifth is taken out the second time")
	}
}
