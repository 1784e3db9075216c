package grade_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag/eval"
	"maru/rag/eval/grade"
)

// strict grades by what it is shown: right if the reply says what the prompt says is right, cited if it has a citation.
func strict(t *testing.T) llm.Model {
	t.Helper()
	return llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		shown := r.Messages[len(r.Messages)-1].Content
		_, reply, _ := strings.Cut(shown, "Reply to grade:\n")
		_, want, _ := strings.Cut(shown, "A right answer says: ")
		want, _, _ = strings.Cut(want, "\n")
		right := want != "" && strings.Contains(reply, want)
		return llmtest.JSON(map[string]any{
			"because": strings.TrimSpace(reply), "declined": strings.Contains(reply, "do not say"), "right": right,
			"cited": strings.Contains(reply, "[1]") && strings.Contains(shown, "Passage [1]"), "complete": right,
		})
	})
}

func TestAll(t *testing.T) {
	t.Parallel()
	cases := []eval.Case{{Question: "How many days?", Answer: []string{"15 days"}, Relevant: make([]eval.Reference, 1)}, {Question: "며칠이야?", Answer: []string{"15일"}, Relevant: make([]eval.Reference, 1)}, {Question: "Who won?"}}
	e := eval.Examination{Name: "a <b>", Outcomes: []eval.Outcome{
		{Line: 1, Question: "How many days?", Reply: "15 days [1].", Quotes: []string{"Everybody has 15 days."}, Cited: []string{"Leave"}},
		{Line: 2, Question: "며칠이야?", Reply: "20일이에요 <script>", Wrong: "does not say what was expected"},
		{Line: 3, Question: "Who won?", Reply: "The documents do not say."},
	}}
	if err := grade.All(t.Context(), strict(t), cases, &e); err != nil {
		t.Fatal(err)
	}
	if g := e.Outcomes[0].Graded; !g.Right || !g.Cited || g.Because != "15 days [1]." {
		t.Errorf("%+v", g)
	}
	groups := map[string]eval.Quality{}
	for _, r := range e.Rows {
		groups[r.Group] = r
	}
	if groups["Korean"].Questions != 1 || groups["English"].Questions != 2 || groups["English"].GradedDeclined.Value() != 0.5 {
		t.Errorf("%+v", e.Rows)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := grade.Page(file, eval.Comparison{File: "q.jsonl", Configurations: []eval.Examination{e}}); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(html), "line 2: 며칠이야?") || strings.Contains(string(html), "<script>") || strings.Contains(string(html), "line 1:") {
		t.Errorf("%v\n%s", err, html)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "labels.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	good := `{"question":"How many days?","expected":["15 days"],"known":true,"passages":["15 days."],"reply":"15 days [1].","grades":{"right":true,"cited":true,"complete":true,"declined":false,"because":"15 days [1]."},"by":"ann"}
{"question":"며칠이야?","expected":["15일"],"known":true,"passages":["15일"],"reply":"16일 [1].","grades":{"right":true,"cited":true,"complete":false,"declined":false,"because":"16일"},"by":"bob"}
`
	var out strings.Builder
	if err := grade.Labels(t.Context(), strict(t), write(good), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"all                  2     0.500", "labelled by ann: 1", "labelled by bob: 1", `right, 며칠이야?: true by bob ("16일"), false by the model`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out.String())
		}
	}
	for bad, why := range map[string]string{
		`{"question":"a"}`: "line 1", good + `{"question":"a","reply":"b","grades":{"because":"x"}}`: `line 3: "by"`,
		`{"question":"a","reply":"b","by":"c","grades":{}}`: "because", "": "no label", `{"qestion":"a"}`: "line 1",
	} {
		if _, err := grade.ReadLabels(write(bad)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", bad, err, why)
		}
	}
}

// TestTheLabelsOfTheProject: a hundred, of each kind in both languages.
func TestTheLabelsOfTheProject(t *testing.T) {
	t.Parallel()
	labels, err := grade.ReadLabels(filepath.Join("..", "..", "..", "handbook", "testdata", "labels.jsonl"))
	if err != nil || len(labels) != 100 {
		t.Fatalf("%d labels, %v", len(labels), err)
	}
	kinds := map[string]int{}
	for _, l := range labels {
		kinds[grade.Language(l.Question)+" "+l.Kind]++
		if because := l.Grades.Because; !strings.Contains(l.Reply+strings.Join(l.Passages, ""), because) {
			t.Errorf("%q is in neither the reply nor a passage", because)
		}
	}
	if len(kinds) != 14 {
		t.Errorf("kinds %v", kinds)
	}
}
