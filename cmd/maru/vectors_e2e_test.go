package main

import (
	"net/http"
	"path/filepath"
	"slices"
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

// TestHowFarVectorsAre: the probe, doctor and the console say how many passages have vectors, and why the others have
// none; the program is ready all the same.
func TestHowFarVectorsAre(t *testing.T) {
	t.Parallel()
	srv := newEmbeddingServer(t)
	srv.setAway(true)
	env := []string{"MARU_HANDBOOK=true", "OPENAI_EMBEDDING_MODEL=own-e5", "OPENAI_EMBEDDING_BASE_URL=" + srv.URL + "/v1"}
	if _, stdout, _ := runHere(t, "", append(env, "DATA_DIR="+t.TempDir()), "doctor"); !strings.Contains(stdout, " passages have vectors; last failure: ") || !strings.Contains(stdout, "the model is being loaded") {
		t.Errorf("doctor: %s", stdout)
	}
	p := newProgram(t, env...)
	p.start()
	says := func(want ...string) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for deadline := time.Now().Add(atMost); ; <-tick.C {
			said := p.operator("/readyz?verbose")
			if !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(said, w) }) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("readyz lacks one of %q: %s", want, said)
			}
		}
	}
	says(`"ready":true`, `"vectors":"limited"`, " passages have vectors; last failure: ", "the model is being loaded")
	p.tell("t", "/maru doctor")
	p.hears("t", 2, "passages have vectors")
	srv.setAway(false)
	p.tell("t2", "연차는 며칠이야?") // makes vectors of a question again
	says(`"vectors":"ok"`)
}

// TestIngestWaitsForVectors: with --wait it ends when every passage has a vector, or says why one has none; without, it
// says who makes them.
func TestIngestWaitsForVectors(t *testing.T) {
	t.Parallel()
	srv := newEmbeddingServer(t)
	env := []string{"DATA_DIR=" + t.TempDir(), "MARU_HANDBOOK=false", "OPENAI_EMBEDDING_MODEL=own-e5", "OPENAI_EMBEDDING_BASE_URL=" + srv.URL + "/v1"}
	file := filepath.Join(t.TempDir(), "harbour.md")
	write(t, file, "# 항구 안내\n\n제주행 여객선은 07:40에 3번 부두에서 출발합니다.\n")
	srv.setAway(true)
	for _, c := range []struct {
		args []string
		away bool
		code int
		want string
	}{
		{[]string{"ingest", file}, true, 0, "passages have vectors"},
		{[]string{"ingest", file}, true, 0, "`maru serve` makes the others, and `maru ingest --wait` waits for them"},
		{[]string{"ingest", "--wait", file}, true, 1, "last failure: llm: bad_request (own-e5): the model is being loaded"},
		{[]string{"ingest", "--wait", file}, false, 0, "\nall "},
		{[]string{"ingest", file}, false, 0, "\nall "},
	} {
		srv.setAway(c.away)
		code, stdout, stderr := runHere(t, "", env, c.args...)
		if code != c.code || !strings.Contains(stdout, c.want) {
			t.Errorf("%v, away %v: exit %d, want %d and %q: %s%s", c.args, c.away, code, c.code, c.want, stdout, stderr)
		}
	}
}
