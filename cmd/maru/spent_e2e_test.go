package main

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// document uploads a document to a place of the web's.
func (p *program) document(name, text string) {
	p.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	if code := p.api("POST", "/api/documents?thread=t", &form, w.FormDataContentType(), nil); code >= 300 {
		p.t.Fatalf("upload: %d", code)
	}
}

// TestCallsOutsideOfRunsAreInTheSums: what embeddings of documents and lessons cost
// is counted where they belong, with its kind and its price; what an evaluation
// costs as well.
func TestCallsOutsideOfRunsAreInTheSums(t *testing.T) {
	t.Parallel()
	unraced(t)
	model := brain(t)
	env := []string{"OPENAI_BASE_URL=" + model.URL, "OPENAI_MODEL=test", "OPENAI_EMBEDDING_MODEL=vectors", "MODEL_PRICES=test=1000/1000,vectors=500/0"}
	p := newProgram(t, env...)
	p.start()
	p.document("picnic.md", "# Picnic\n\nThe summer picnic takes place on 14 July at Lake Hwarang.\n")
	p.tell("t", "I am responsible for the summer picnic")
	p.hears("t", 3, "summer picnic")
	day := time.Now()
	link := fmt.Sprintf("/exports/usage-%s-%s.csv", day.AddDate(0, 0, -1).Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly))
	cost := func(rows [][]string, kind, team string) (sum float64) {
		for _, r := range rows {
			if r[15] == kind && r[1] == team {
				c, err := strconv.ParseFloat(r[12], 64)
				if err != nil {
					t.Fatal(err)
				}
				sum += c
			}
		}
		return sum
	}
	var rows [][]string
	for late := within(t, atMost); ; {
		code, body := p.get(link)
		if code != http.StatusOK {
			t.Fatalf("%s: %d", link, code)
		}
		rows = usageRows(t, []byte(body))
		if cost(rows, "indexing", "web/local") > 0 && cost(rows, "memory", "web/local") > 0 && cost(rows, "run", "web/local") > 0 {
			break
		}
		select {
		case <-late.Done():
			t.Fatalf("the sums are %v", rows)
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	code, out, errs := runHere(t, "", p.env, "usage", "--days", "2")
	if code != 0 || cost(usageRows(t, []byte(out)), "indexing", "") == 0 {
		t.Errorf("the handbook's vectors cost nothing: %d %s%s", code, out, errs)
	}

	code, out, errs = runHere(t, "", p.env, "usage", "--days", "2", "--by", "model")
	models, host := usageRows(t, []byte(out)), strings.TrimPrefix(strings.TrimSuffix(model.URL, "/v1"), "http://")
	for _, want := range []string{"vectors indexing", "vectors embedding", "test answer", "test memory"} {
		if !slices.ContainsFunc(models, func(r []string) bool {
			c, err := strconv.ParseFloat(r[8], 64)
			return r[1]+" "+r[3] == want && r[2] == host && err == nil && c > 0
		}) {
			t.Errorf("no cost of %s at %s: %d %s%s", want, host, code, out, errs)
		}
	}

	questions := filepath.Join(t.TempDir(), "q.jsonl")
	if err := os.WriteFile(questions, []byte(`{"question":"When does the picnic take place?","relevant":[]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs = runHere(t, "", p.env, "eval", questions)
	if code != 0 {
		t.Fatalf("eval: %d %s", code, errs)
	}
	_, out, _ = runHere(t, "", p.env, "usage", "--days", "2")
	if cost(usageRows(t, []byte(out)), "evaluation", "") == 0 || strings.Contains(out, ",/") {
		t.Errorf("an evaluation costs nothing: %s", out)
	}
}
