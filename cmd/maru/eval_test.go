package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvalQuestions asks a file of questions of the documents in a folder, with
// two settings beside each other, through the agent that answers people.
func TestEvalQuestions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("docs/parking.md", "# Parking\n\n## Fees\n\nParking costs fifty euros a month.\n\n## Bicycles\n\nBicycles stand in the cellar.\n")
	questions := write("q.jsonl", `{"question":"hello, how many euros a month does parking cost in winter?","relevant":["docs/parking.md#Fees"],"answer":"fifty euros"}
{"question":"and for bicycles?","relevant":["parking.md#Bicycles"],"conversation":[{"role":"user","text":"How much does parking cost?"},{"role":"assistant","text":"Fifty euros."}]}
{"question":"who won the world cup?","relevant":[]}
`)
	never := write("never.yaml", "documents:\n  threshold: 1\n")
	env := []string{"DATA_DIR=" + t.TempDir()}
	code, stdout, stderr := runHere(t, "", env, "eval", "--json", "--documents", filepath.Join(dir, "docs"), "--against", never, questions)
	var out struct {
		Configurations []struct {
			Configuration, Model string
			Rows                 []struct {
				NDCG, Answered, Right, Declined, Citations *float64
				Answer                                     int64 `json:"answer_p50_ns"`
			}
			Questions []struct{ Reply, Wrong string }
		}
	}
	js := strings.NewReplacer(`"ndcg_at_10"`, `"ndcg"`, `"citation_precision"`, `"citations"`).Replace(stdout)
	if err := json.Unmarshal([]byte(js), &out); code != 0 || err != nil || len(out.Configurations) != 2 {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	first, second := out.Configurations[0], out.Configurations[1]
	if r := first.Rows[0]; *r.NDCG != 1 || *r.Right != 1 || *r.Declined != 1 || *r.Answered != 1 || *r.Citations != 1 || r.Answer <= 0 {
		t.Errorf("figures %+v of %+v", r, first.Questions)
	}
	if r := second.Rows[0]; second.Configuration != never || *r.NDCG != 1 || *r.Answered != 0.5 {
		t.Errorf("with a threshold of 1: %+v of %+v", r, second.Questions)
	}
	code, stdout, _ = runHere(t, "", env, "eval", "--wrong", "--documents", filepath.Join(dir, "docs"), "--against", never, questions)
	if code != 0 || !strings.Contains(stdout, "B-A") || !strings.Contains(stdout, "B line 1: hello, how many euros a month does parking cost in winter?\n  not answered") {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

// TestEvalFaults: what is wrong is told by line, before anything is asked.
func TestEvalFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.jsonl", `{"question":"How long is parental leave?","relevant":["en/parental-leave.md#Parental leave"]}`)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a_bad_line":     {[]string{file("bad.jsonl", `{"question":"x"}`)}, 1, `bad.jsonl:1: "relevant" is missing`},
		"no_such_file":   {[]string{filepath.Join(dir, "none")}, 1, "no such file"},
		"unknown_page":   {[]string{file("u.jsonl", `{"question":"x","relevant":["nowhere.md#X"]}`)}, 1, `line 1 (x): no passage of the`},
		"two_files":      {[]string{good, good}, 2, "one file of questions"},
		"bad_settings":   {[]string{"--against", file("b.yaml", "max_messagez: 3\n"), good}, 1, "--against"},
		"no_settings":    {[]string{"--against", filepath.Join(dir, "none.yaml"), good}, 1, "cannot be read"},
		"no_documents":   {[]string{"--documents", filepath.Join(dir, "none"), good}, 1, "no such file"},
		"wrong_of_a_set": {[]string{"--wrong", dir}, 2, "for a file of questions"},
	} {
		code, _, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir()}, append([]string{"eval"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, want %d: %s", name, code, c.code, stderr)
		}
	}
}

// TestEvalHandbook asks the 156 everyday questions of handbook/testdata through
// the command, and fails when a figure falls. The rules were made with the half
// "tune"; docs/evaluation.md has both.
func TestEvalHandbook(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir()}, "eval", "--json", filepath.Join("..", "..", "handbook", "testdata", "questions.jsonl"))
	var out struct {
		Configurations []struct {
			Rows []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(stdout), &out); code != 0 || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, stderr)
	}
	least := map[string]map[string]float64{
		"tune":     {"ndcg_at_10": 0.92, "recall_at_10": 0.96, "answered": 0.77, "right": 0.68, "citation_precision": 0.69, "declined": 0.74, "not_found_accuracy": 0.76},
		"held-out": {"ndcg_at_10": 0.90, "recall_at_10": 0.96, "answered": 0.80, "right": 0.60, "citation_precision": 0.53, "declined": 0.69, "not_found_accuracy": 0.77},
	}
	for _, row := range out.Configurations[0].Rows {
		for figure, want := range least[row["group"].(string)] {
			if got, _ := row[figure].(float64); got < want {
				t.Errorf("%s: %s is %.4f, want at least %.2f", row["group"], figure, got, want)
			}
		}
		delete(least, row["group"].(string))
	}
	if len(least) > 0 {
		t.Errorf("no row of %v", least)
	}
}
