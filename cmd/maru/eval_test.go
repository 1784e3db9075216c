package main

import (
	"encoding/json"
	"fmt"
	"maru/memory/memtest/servers"
	"maru/rag/opensearch/opensearchfake"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvalQuestions asks a file of questions of the documents in a folder, with
// two settings beside each other, through the agent that answers people.
func TestEvalQuestions(t *testing.T) {
	t.Parallel()
	unraced(t)
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
	code, stdout, stderr := runHere(t, "", env, "eval", "--json", "--html", filepath.Join(dir, "page.html"), "--documents", filepath.Join(dir, "docs"), "--against", never, questions)
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
	unraced(t)
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

// TestEvalHandbook asks the everyday questions of handbook/testdata and the near
// misses beside them through the command, and fails when a figure falls.
// docs/evaluation.md has the figures.
func TestEvalHandbook(t *testing.T) {
	if testing.Short() {
		t.Skip("figures; TestEvalRemoved goes the same way")
	}
	t.Parallel()
	for file, least := range map[string]map[string]map[string]float64{
		"questions.jsonl": {
			"tune":     {"ndcg_at_10": 0.93, "recall_at_10": 0.97, "answered": 0.81, "right": 0.73, "citation_precision": 0.84, "declined": 0.95, "not_found_accuracy": 0.85},
			"held-out": {"ndcg_at_10": 0.92, "recall_at_10": 0.99, "answered": 0.77, "right": 0.68, "citation_precision": 0.68, "declined": 0.85, "not_found_accuracy": 0.82},
		},
		"nearmisses.jsonl": {"all": {"answered": 0.99, "right": 0.99, "declined": 0.54}},
	} {
		code, stdout, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir()}, "eval", "--json", filepath.Join("..", "..", "handbook", "testdata", file))
		var out struct {
			Configurations []struct {
				Rows []map[string]any
			}
		}
		if err := json.Unmarshal([]byte(stdout), &out); code != 0 || err != nil {
			t.Fatalf("%s: exit %d, %v: %s", file, code, err, stderr)
		}
		for _, row := range out.Configurations[0].Rows {
			for figure, want := range least[row["group"].(string)] {
				if got, _ := row[figure].(float64); got < want {
					t.Errorf("%s, %s: %s is %.4f, want at least %.2f", file, row["group"], figure, got, want)
				}
			}
			delete(least, row["group"].(string))
		}
		if len(least) > 0 {
			t.Errorf("%s: no row of %v", file, least)
		}
	}
}

// TestEvalRemoved takes passages out of a set: the questions whose passage is gone
// are told so, the others are answered.
func TestEvalRemoved(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	var corpus, queries, qrels strings.Builder
	for i, animal := range strings.Fields("aardvark badger camel dolphin echidna flamingo giraffe hamster iguana jackal kangaroo lemur meerkat narwhal ocelot porcupine quokka raccoon salamander tapir") {
		fmt.Fprintf(&corpus, `{"_id":"p%d","text":"The keeper feeds the %s at gate %d."}`+"\n", i, animal, i+10)
		fmt.Fprintf(&queries, `{"_id":"q%d","text":"At which gate is the %s fed?","answers":["gate %d"]}`+"\n", i, animal, i+10)
		fmt.Fprintf(&qrels, "q%d\tp%d\t1\n", i, i)
	}
	for name, text := range map[string]string{"corpus.jsonl": corpus.String(), "queries.jsonl": queries.String(), "qrels.tsv": qrels.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"DATA_DIR=" + t.TempDir()}
	code, stdout, stderr := runHere(t, "", env, "eval", "--json", "--removed", dir)
	var out struct {
		Configurations []struct {
			Rows []struct {
				Group                     string
				Questions                 int
				Answered, Right, Declined *float64
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &out); code != 0 || err != nil {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	all := out.Configurations[0].Rows[0]
	if all.Questions != 20 || all.Declined == nil || *all.Declined != 1 || *all.Answered != 1 || *all.Right != 1 {
		t.Errorf("figures %s", stdout)
	}
	if code, _, stderr := runHere(t, "", env, "eval", "--removed", "--documents", dir, dir); code != 2 || !strings.Contains(stderr, "--removed takes folders") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestEvalEmbeds: with an embedding model the files of --documents have their
// vectors before the first question, as the configured documents have.
func TestEvalEmbeds(t *testing.T) {
	t.Parallel()
	unraced(t)
	model := brain(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"parking.md": "# Parking\n\nParking costs fifty euros a month.\n",
		"q.jsonl":    `{"question":"what does parking cost?","relevant":["parking.md"]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"DATA_DIR=" + t.TempDir(), "OPENAI_BASE_URL=" + model.URL, "OPENAI_MODEL=test", "OPENAI_EMBEDDING_MODEL=vectors"}
	code, _, stderr := runHere(t, "", env, "eval", "--documents", filepath.Join(dir, "parking.md"), filepath.Join(dir, "q.jsonl"))
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, e := range model.Journal() {
		if strings.HasSuffix(e.Path, "embeddings") {
			return
		}
	}
	t.Error("nothing was embedded")
}

// TestEvalSetAsConfigured: a folder is measured by words and with the configured embedding model, in an index of the
// configured kind, which is removed afterwards.
func TestEvalSetAsConfigured(t *testing.T) {
	t.Parallel()
	unraced(t)
	set := t.TempDir()
	write(t, filepath.Join(set, "corpus.jsonl"), `{"_id":"p","title":"Parking","text":"Parking costs fifty euros a month."}
{"_id":"l","title":"Leave","text":"Staff may take fifteen days of leave."}
{"_id":"b","title":"Bicycles","text":"Bicycles stand in the cellar."}
`)
	write(t, filepath.Join(set, "queries.jsonl"), `{"_id":"1","text":"how much is parking a month"}
{"_id":"2","text":"days of leave"}
`)
	write(t, filepath.Join(set, "qrels.tsv"), "query-id\tcorpus-id\tscore\n1\tp\t1\n2\tl\t1\n")
	srv, cluster, pg := newEmbeddingServer(t), opensearchfake.New(t), servers.StartPostgres(t)
	for kind, env := range map[string][]string{
		"local":      nil,
		"opensearch": {"MARU_INDEX=opensearch", "MARU_INDEX_URL=" + cluster.URL},
		"pgvector":   {"MARU_INDEX=pgvector", "MARU_INDEX_URL=" + pg.URL},
	} {
		for _, vectors := range []bool{false, true} {
			env := append([]string{"DATA_DIR=" + t.TempDir()}, env...)
			want := 1
			if vectors {
				want, env = 2, append(env, "OPENAI_EMBEDDING_MODEL=own-e5", "OPENAI_EMBEDDING_BASE_URL="+srv.URL+"/v1")
			}
			before := srv.count("passage: ")
			code, stdout, stderr := runHere(t, "", env, "eval", set)
			if code != 0 || strings.Count("\n"+stdout, "\n"+filepath.Base(set)) != want || vectors != strings.Contains(stdout, "vectors of own-e5") {
				t.Errorf("%s, vectors %v: exit %d: %s%s", kind, vectors, code, stdout, stderr)
			}
			if n := srv.count("passage: ") - before; n != 3*(want-1) {
				t.Errorf("%s, vectors %v: %d passages were embedded", kind, vectors, n)
			}
		}
	}
	if left := cluster.Indexes(); len(left) > 0 {
		t.Errorf("left in the cluster: %v", left)
	}
	srv.setAway(true)
	env := []string{"DATA_DIR=" + t.TempDir(), "OPENAI_EMBEDDING_MODEL=own-e5", "OPENAI_EMBEDDING_BASE_URL=" + srv.URL + "/v1", "MARU_INDEX=opensearch", "MARU_INDEX_URL=" + cluster.URL}
	if code, _, stderr := runHere(t, "", env, "eval", set); code == 0 || !strings.Contains(stderr, "the model is being loaded") || len(cluster.Indexes()) > 0 {
		t.Errorf("without the model: exit %d, left %v: %s", code, cluster.Indexes(), stderr)
	}
}
