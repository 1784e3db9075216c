package main

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestEmbeddingsJoin runs the program with an embedding model: the handbook is
// embedded in the background, and questions are asked with vectors.
func TestEmbeddingsJoin(t *testing.T) {
	t.Parallel()
	model := brain(t)
	p := newProgram(t, "MARU_HANDBOOK=true", "OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=test", "OPENAI_EMBEDDING_MODEL=vectors")
	p.start()
	embedded := func() (n int) {
		for _, e := range model.Journal() {
			if strings.HasSuffix(e.Path, "embeddings") && e.Status == http.StatusOK {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(atMost); embedded() == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing is embedded")
		}
	}
	p.tell("t", "연차는 며칠이야?")
	p.hears("t", 2, "15일")
	for _, e := range model.Journal() {
		if e.Refused != "" {
			t.Errorf("the endpoint refused %s: %s", e.Path, e.Refused)
		}
	}
}
