package handbook_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/load"
	"maru/rag/local"
)

// fact is a question of testdata/facts.jsonl or one of its neighbours; one without Relevant has no
// answer in the documents beside it, though these say other things of what it names.
type fact struct {
	Question string
	Relevant []string
	Answer   any
	Split    string
}

// figure counts how the questions of one split were answered.
type figure struct{ there, right, absent, declined int }

// TestFacts asks who, when, why, where and how many of five sets of small documents, some of it about facts that they do not give,
// and prints what came of it. The model looks at how much of a question a sentence holds, and whether it has the kind of value that
// is asked for. "places" asks where and why, with the handbook beside its documents. The gates stand a little below what was reached.
func TestFacts(t *testing.T) {
	if testing.Short() {
		t.Skip("figures; TestDeclines and TestAnswers go the same ways")
	}
	t.Parallel()
	for _, set := range []struct {
		name      string
		documents int
		least     map[string][2]float64 // of a split: right, declined
	}{
		{"facts", 10, map[string][2]float64{"tune": {0.71, 0.72}, "held-out": {0.62, 0.76}}},
		{"unseen", 8, map[string][2]float64{"": {0.80, 0.76}}},
		{"fresh", 6, map[string][2]float64{"": {0.83, 0.70}}},
		{"clauses", 8, map[string][2]float64{"open": {0.73, 0.87}, "held-out": {0.66, 1}}},
		{"places", 12, map[string][2]float64{"first": {0.70, 0.84}, "second": {0.57, 0.84}}},
	} {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			sum := askFacts(t, set.name, set.documents)
			for split, least := range set.least {
				f := sum[split]
				t.Logf("%s %s: %d of %d answered rightly, %d of %d without an answer declined", set.name, split, f.right, f.there, f.declined, f.absent)
				if float64(f.right) < least[0]*float64(f.there) || float64(f.declined) < least[1]*float64(f.absent) {
					t.Errorf("%s: fewer than %.2f right or %.2f declined", split, least[0], least[1])
				}
			}
		})
	}
}

// askFacts asks the questions of testdata/NAME.jsonl of the documents in testdata/NAME and
// returns what came of each split.
func askFacts(t *testing.T, name string, documents int) map[string]figure {
	t.Helper()
	x := factIndex(t, name, documents)
	if name == "places" {
		addHandbook(t, x)
	}
	b, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	sum := map[string]figure{}
	for line := range strings.Lines(string(b)) {
		var q fact
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		f, got := sum[q.Split], answer(t, x, q.Question)
		switch quoted := strings.Contains(got, "\n> "); {
		case len(q.Relevant) == 0:
			f.absent++
			if !quoted {
				f.declined++
			}
		default:
			f.there++
			if says(got, q.Answer) {
				f.right++
			}
		}
		sum[q.Split] = f
	}
	return sum
}

// factIndex indexes the documents of testdata/NAME, of which there are n.
func factIndex(t *testing.T, name string, n int) *local.Index {
	t.Helper()
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	in := rag.Ingester{Loader: load.New(load.Config{}), Index: x, Now: time.Now}
	dir := os.DirFS(filepath.Join("testdata", name))
	names, err := fs.Glob(dir, "*/*.md")
	if err != nil || len(names) != n {
		t.Fatalf("%d documents, %v", len(names), err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := in.Add(t.Context(), rag.File{Scope: "public", Name: name, By: "maru", Data: data}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// says reports whether an answer has what is expected, a text or one of several.
func says(got string, want any) bool {
	switch w := want.(type) {
	case string:
		return strings.Contains(got, w)
	case []any:
		for _, one := range w {
			if says(got, one) {
				return true
			}
		}
	}
	return false
}
