package opensearch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/ragtest"
)

// TestOldAnalyser: what another version of the analyser wrote, by a program from before the
// version was kept, is found again once the index is opened. A damaged document, the first in their
// order, holds up no other. The cluster's own analysis keeps accents, so that terms alone find them.
func TestOldAnalyser(t *testing.T) {
	t.Parallel()
	mapping, err := os.ReadFile("mapping.json")
	if err != nil {
		t.Fatal(err)
	}
	onBoth(t, func(t *testing.T, old cluster) { oldAnalyser(t, mapping, old) })
}

func oldAnalyser(t *testing.T, mapping []byte, old cluster) {
	before := bytes.Replace(mapping, []byte(`"analyser": {"type": "integer"},`), nil, 1)
	call(t, http.MethodPut, old.index(), before)

	model := fake(t) // its documents are those of today
	x := model.open(t)
	for i := range 30 {
		doc, chunks := ragtest.Doc("public", fmt.Sprint("doc", i), fmt.Sprintf("A zébra of number %d.", i), "A lion.")
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Source map[string]any `json:"_source"`
		}
		if err := json.Unmarshal(call(t, http.MethodGet, model.index()+"/_doc/"+doc.ID, nil), &got); err != nil {
			t.Fatal(err)
		}
		delete(got.Source, "analyser")
		for k, p := range got.Source["passages"].([]any) {
			record, err := json.Marshal(chunks[k]) // with its text, as it was then
			if err != nil {
				t.Fatal(err)
			}
			p.(map[string]any)["terms"], p.(map[string]any)["record"] = []string{"zebrz"}, string(record)
		}
		if i == 29 {
			got.Source["passages"].([]any)[1].(map[string]any)["record"] = "damaged"
		}
		body, err := json.Marshal(got.Source)
		if err != nil {
			t.Fatal(err)
		}
		call(t, http.MethodPut, old.index()+"/_doc/"+doc.ID+"?refresh=true", body)
	}
	y, n := old.open(t), 0
	for tick, tries := time.NewTicker(10*time.Millisecond), 0; n < 29 && tries < 60_000; tries++ {
		<-tick.C
		hits, err := y.Search(t.Context(), rag.Query{Text: "zebra", Scopes: []string{"public"}, Limit: 50, Threshold: -1, Repeats: true})
		if err != nil {
			t.Fatal(err)
		}
		n = 0
		for _, h := range hits {
			if strings.Contains(h.Chunk.Text, "zébra") {
				n++
			}
		}
	}
	if n != 29 {
		t.Errorf("%d zebras are found again, want 29", n)
	}
}
