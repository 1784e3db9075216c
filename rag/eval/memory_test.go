package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/rag/eval"
)

func TestEvalMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"corpus.jsonl": `{"_id":"1","text":"Ann: I bought a tent.","conv":"a","session":1,"date":"1:56 pm on 8 May, 2023","speaker":"Ann"}
{"_id":"2","text":"Bob: The sea was cold.","conv":"a","session":1,"date":"1:56 pm on 8 May, 2023","speaker":"Bob"}
{"_id":"3","text":"Ann: I sold the tent.","conv":"b","session":1,"date":"1:56 pm on 8 May, 2023","speaker":"Ann"}`,
		"queries.jsonl": `{"_id":"q1","text":"What did Ann buy?","conv":"a"}
{"_id":"q2","text":"What about the sea?","conv":"a"}
{"_id":"q3","text":"What did Ann buy?","conv":"b"}
{"_id":"q4","text":"Nobody knows this?","conv":"a"}`,
		"qrels.tsv": "query-id\tcorpus-id\tscore\nq1\t1\t1\nq2\t2\t1\nq3\t1\t1\n", // q3 asks another conversation
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := eval.WriteMemory(&out, []string{dir}, 1, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 conversations, 3 turns, 3 questions", "0.667  0.667", "full transcript"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if err := eval.WriteMemory(&out, []string{filepath.Join(dir, "none")}, 1, false); err == nil {
		t.Error("a set that is not there is measured")
	}
}
