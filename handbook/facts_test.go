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

// fact is a question of testdata/facts.jsonl; one without Relevant has no answer in the
// documents beside it, though these say other things of what it names.
type fact struct {
	Question string
	Relevant []string
	Answer   any
	Split    string
}

// TestFacts asks who, when, why, where and how many of ten small documents, half of it about
// facts that they do not give, and prints both halves: the rules were made with "tune". The
// gates stand a little below what was reached; before the rules of decision 0656
// one in seven of the unanswerable ones was declined.
func TestFacts(t *testing.T) {
	t.Parallel()
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	in := rag.Ingester{Loader: load.New(load.Config{}), Index: x, Now: time.Now}
	dir := os.DirFS(filepath.Join("testdata", "facts"))
	names, err := fs.Glob(dir, "*/*.md")
	if err != nil || len(names) != 10 {
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
	b, err := os.ReadFile(filepath.Join("testdata", "facts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	type figure struct{ there, right, absent, declined int }
	sum := map[string]*figure{"tune": {}, "held-out": {}}
	for line := range strings.Lines(string(b)) {
		var q fact
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		f, got := sum[q.Split], answer(t, x, q.Question)
		if len(q.Relevant) > 0 {
			f.there++
			if says(got, q.Answer) {
				f.right++
			}
			continue
		}
		f.absent++
		if !strings.Contains(got, "\n> ") {
			f.declined++
		}
	}
	for split, least := range map[string][2]float64{"tune": {0.90, 0.77}, "held-out": {0.80, 0.52}} {
		f := sum[split]
		t.Logf("%s: %d of %d answered rightly, %d of %d without an answer declined", split, f.right, f.there, f.declined, f.absent)
		if float64(f.right) < least[0]*float64(f.there) || float64(f.declined) < least[1]*float64(f.absent) {
			t.Errorf("%s: fewer than %.2f right or %.2f declined", split, least[0], least[1])
		}
	}
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
