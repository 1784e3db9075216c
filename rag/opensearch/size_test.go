package opensearch_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"maru/rag"
	"maru/rag/ragtest"
)

// TestSizeOfWhatIsSent: a Korean file of MARU_MAX_FILE, 20 MiB, stays below the 100 MiB that OpenSearch takes in a
// request: what is sent is less than five times its text. All of it comes back.
func TestSizeOfWhatIsSent(t *testing.T) {
	t.Parallel()
	c := fake(t)
	var sent atomic.Int64
	cfg := c.config()
	cfg.HTTP = &http.Client{Transport: through(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/_doc/") {
			sent.Store(r.ContentLength)
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
	x := openWith(t, cfg)
	rnd := rand.New(rand.NewPCG(1, 2))
	var passages []string
	text := 0
	for range 600 {
		var b strings.Builder
		for b.Len() < 1500 {
			word := make([]rune, 2+rnd.IntN(3))
			for i := range word {
				word[i] = '가' + rune(rnd.IntN(1500))
			}
			fmt.Fprintf(&b, "%s ", string(word))
			if rnd.IntN(12) == 0 {
				b.WriteString("\"인용\"\n")
			}
		}
		passages = append(passages, b.String())
		text += b.Len()
	}
	doc, chunks := ragtest.Doc("public", "book", passages...)
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	if times := float64(sent.Load()) / float64(text); times >= 5 {
		t.Errorf("%.2f times the text is sent", times)
	} else {
		t.Logf("%.2f times the text is sent", times)
	}
	got, _, err := x.Passages(t.Context(), []string{"public"}, doc.ID, 0, len(chunks))
	if err != nil || len(got) != len(chunks) {
		t.Fatalf("%d passages, %v", len(got), err)
	}
	for i := range got {
		if fmt.Sprint(got[i]) != fmt.Sprint(chunks[i]) {
			t.Fatalf("passage %d came back as %+v, was %+v", i, got[i], chunks[i])
		}
	}
	one := strings.Fields(passages[17])[3]
	hits, err := x.Search(t.Context(), rag.Query{Text: one, Scopes: []string{"public"}, Threshold: -1, Repeats: true, Limit: 20})
	if err != nil || len(hits) == 0 || !strings.Contains(fmt.Sprint(hits), chunks[17].ID) {
		t.Errorf("%s found %d passages, %v", one, len(hits), err)
	}
}
