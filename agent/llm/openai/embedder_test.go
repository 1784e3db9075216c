package openai_test

import (
	"fmt"
	"slices"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/llm/openai"
)

func TestEmbed(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServerWith(t, llmtest.Config{Dimensions: 16})
	e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: "e", Batch: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if vs, err := e.Embed(t.Context(), nil); err != nil || len(vs) != 0 || len(srv.Journal()) != 0 {
		t.Errorf("nothing: %v, %v, %d requests", vs, err, len(srv.Journal()))
	}
	var texts []string
	for i := range 25 {
		texts = append(texts, fmt.Sprintf("text %d", i))
	}
	texts[7] = "" // endpoints refuse it
	vs, err := e.Embed(t.Context(), texts)
	if err != nil || len(vs) != 25 || len(srv.Journal()) != 3 {
		t.Fatalf("%d vectors, %v, %d requests", len(vs), err, len(srv.Journal()))
	}
	for i, v := range vs {
		if i != 7 && !slices.Equal(v, llmtest.Vector(texts[i], 16)) {
			t.Errorf("vector %d is not that of its text", i)
		}
	}
}

func TestEmbedRefusesOtherDimensions(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServerWith(t, llmtest.Config{Dimensions: 16})
	e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: "e", Dimensions: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Embed(t.Context(), []string{"a"}); llm.ClassOf(err) != llm.Garbage {
		t.Errorf("error %v", err)
	}
}

func TestEmbedFault(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: "fake-503-ra2"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Embed(t.Context(), []string{"a"}); llm.ClassOf(err) != llm.Overloaded {
		t.Errorf("error %v", err)
	}
}

// What is embedded is told to the run, or whoever listens: as the endpoint counts,
// and as failed where it fails.
func TestEmbedIsAccountedFor(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t, nil)
	for model, fails := range map[string]bool{"e": false, "fake-503-ra2": true} {
		e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: model, Batch: 2})
		if err != nil {
			t.Fatal(err)
		}
		var heard []llm.Call
		var used llm.Usage
		_, err = e.Embed(llm.Listen(t.Context(), func(c llm.Call) { heard = append(heard, c); used.Add(c.Usage) }), []string{"one", "two", "three"})
		if (err != nil) != fails {
			t.Fatal(err)
		}
		if fails {
			if len(heard) != 1 || heard[0].Err == nil || used.Input != 0 {
				t.Errorf("a failure: %+v, %+v", heard, used)
			}
			continue
		}
		if len(heard) != 2 || heard[0].Purpose != llm.ForEmbedding || heard[0].Model != model || heard[0].Usage.Input == 0 ||
			used.Input != heard[0].Usage.Input+heard[1].Usage.Input {
			t.Errorf("heard %+v, spent %+v", heard, used)
		}
	}
}
