package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

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
	if vs, err := e.Embed(t.Context(), llm.PassageText, nil); err != nil || len(vs) != 0 || len(srv.Journal()) != 0 {
		t.Errorf("nothing: %v, %v, %d requests", vs, err, len(srv.Journal()))
	}
	var texts []string
	for i := range 25 {
		texts = append(texts, fmt.Sprintf("text %d", i))
	}
	texts[7] = "" // endpoints refuse it
	vs, err := e.Embed(t.Context(), llm.PassageText, texts)
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
	if _, err := e.Embed(t.Context(), llm.PassageText, []string{"a"}); llm.ClassOf(err) != llm.Garbage {
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
	if _, err := e.Embed(t.Context(), llm.PassageText, []string{"a"}); llm.ClassOf(err) != llm.Overloaded {
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
		_, err = e.Embed(llm.Listen(t.Context(), func(c llm.Call) { heard = append(heard, c); used.Add(c.Usage) }), llm.PassageText, []string{"one", "two", "three"})
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

// An endpoint that takes few texts in a call, or few characters in a text, gets that many, with
// each server's own status for it.
func TestEmbedSendsLess(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("규정 ", 1000)
	for name, c := range map[string]struct {
		texts, letters, status int
		in                     []string
		requests               int
	}{
		"few texts":               {texts: 4, letters: 1 << 20, status: http.StatusUnprocessableEntity, in: slices.Repeat([]string{"leave"}, 20), requests: 7},
		"one text":                {texts: 1, letters: 1 << 20, status: http.StatusRequestEntityTooLarge, in: slices.Repeat([]string{"leave"}, 3), requests: 4},
		"a long text":             {texts: 32, letters: 1200, status: http.StatusBadRequest, in: []string{"leave", long, "office"}, requests: 6},
		"nothing is small enough": {texts: 32, letters: 0, status: http.StatusBadRequest, in: []string{long}, requests: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				var req struct{ Input []string }
				if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
					t.Error(err)
				}
				data := []map[string]any{}
				for i, in := range req.Input {
					if len(req.Input) > c.texts || utf8.RuneCountInString(in) > c.letters {
						w.WriteHeader(c.status)
						_, _ = io.WriteString(w, `{"error":"too much"}`)
						return
					}
					data = append(data, map[string]any{"index": i, "embedding": []float32{1, 2}})
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
			}))
			t.Cleanup(srv.Close)
			e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: "own"})
			if err != nil {
				t.Fatal(err)
			}
			vs, err := e.Embed(t.Context(), llm.PassageText, c.in)
			if wants := c.letters > 0; (err == nil) != wants || wants && len(vs) != len(c.in) || int(asked.Load()) != c.requests {
				t.Errorf("%d vectors of %d after %d requests: %v", len(vs), len(c.in), asked.Load(), err)
			}
		})
	}
}

// A question and a passage are sent as the model's family is documented to want them, unless
// the settings say something else.
func TestEmbedTellsQuestionsFromPassages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, ownQuery, ownPassage string
		query, passage, as, name    string
	}{
		{model: "all-MiniLM-L6-v2", query: "휴가", passage: "휴가", name: "all-MiniLM-L6-v2"},
		{model: "text-embedding-3-small", query: "휴가", passage: "휴가", name: "text-embedding-3-small"},
		{model: "intfloat/multilingual-e5-small", query: "query: 휴가", passage: "passage: 휴가", name: "intfloat/multilingual-e5-small [passage:]"},
		{model: "nomic-embed-text:v1.5", query: "search_query: 휴가", passage: "search_document: 휴가", name: "nomic-embed-text:v1.5 [search_document:]"},
		{model: "BAAI/bge-m3", query: "휴가", passage: "휴가", name: "BAAI/bge-m3"},
		{model: "snowflake-arctic-embed2", query: "query: 휴가", passage: "휴가", name: "snowflake-arctic-embed2"},
		{model: "nvidia/nv-embedqa-e5-v5", query: "휴가", passage: "휴가", as: "query", name: "nvidia/nv-embedqa-e5-v5 [passage]"},
		{model: "voyage-3", query: "휴가", passage: "휴가", as: "query", name: "voyage-3 [document]"},
		{model: "my-e5", ownQuery: "none", ownPassage: "none", query: "휴가", passage: "휴가", name: "my-e5"},
		{model: "own", ownQuery: "Q: ", ownPassage: "P: ", query: "Q: 휴가", passage: "P: 휴가", name: "own [P:]"},
	} {
		var sent struct {
			Input     []string
			InputType string `json:"input_type"`
		}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent.InputType = ""
			if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
				t.Error(err)
			}
			_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[1,2]}]}`)
		}))
		t.Cleanup(srv.Close)
		e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: c.model, QueryPrefix: c.ownQuery, PassagePrefix: c.ownPassage})
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() != c.name || openai.ModelOf(e.Name()) != c.model {
			t.Errorf("%s: the vectors' name is %q", c.model, e.Name())
		}
		for kind, want := range map[llm.TextKind]string{llm.QuestionText: c.query, llm.PassageText: c.passage} {
			if _, err := e.Embed(t.Context(), kind, []string{"휴가"}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(sent.Input, []string{want}) || kind == llm.QuestionText && sent.InputType != c.as {
				t.Errorf("%s, %s: %+v", c.model, kind, sent)
			}
		}
	}
}

// TestBatchesShrinkForADay: a batch that an endpoint refuses is halved until it takes it, and the
// next process begins there; vectors that are not numbered are those of the texts in order.
func TestBatchesShrinkForADay(t *testing.T) {
	t.Parallel()
	refused := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if len(q.Input) > 5 {
			refused++
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			_, _ = io.WriteString(w, `{"message":"nein"}`)
			return
		}
		var data []map[string]any
		for _, text := range q.Input {
			data = append(data, map[string]any{"object": "embedding", "index": 0, "embedding": llmtest.Vector(text, 4)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "created": 1.5, "id": 7, "data": data, "usage": map[string]any{"prompt_tokens": 5.0}})
	}))
	defer srv.Close()
	path, now := t.TempDir(), time.Now()
	texts := strings.Fields(strings.Repeat("one two three four five six ", 5))
	for i, want := range []int{2, 0, 2} {
		refusals := openai.RefusalsIn(path)
		e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: "e", Refusals: refusals, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		refused = 0
		vs, err := e.Embed(t.Context(), llm.PassageText, texts)
		if err != nil || len(vs) != 30 || !slices.Equal(vs[29], llmtest.Vector("six", 4)) || refused != want {
			t.Errorf("process %d: %d vectors, %v, %d refusals", i, len(vs), err, refused)
		}
		if got := refusals.Learned(now); len(got) != 1 || got[0].What != "large batches of texts" {
			t.Errorf("learned %+v", got)
		}
		if i == 1 {
			now = now.Add(25 * time.Hour)
		}
	}
}

// TestLongTextsGetVectors: a text that is too long for the server is shortened and sent again. Such a refusal is not remembered
// as a limit on the number of texts. Replies as llama.cpp's server (xllamacpp 2026.10) gave them; it answers a long text with 500.
func TestLongTextsGetVectors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 900)
	for name, tc := range map[string]struct {
		status int
		body   string
		fails  func(input []string) bool
		vector bool
	}{
		"too_long": {500, `{"error":{"code":500,"message":"input (1002 tokens) is too large to process. increase the physical batch size (current batch size: 512)","type":"server_error"}}`,
			func(input []string) bool {
				return slices.ContainsFunc(input, func(s string) bool { return len(s) > 2500 })
			}, true},
		"no_vectors": {400, `{"error":{"code":400,"message":"Pooling type 'none' is not OAI compatible. Please use a different pooling type","type":"invalid_request_error"}}`,
			func([]string) bool { return true }, false},
		"other_trouble": {500, `{"error":{"code":500,"message":"out of memory","type":"server_error"}}`, func([]string) bool { return true }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var q struct{ Input []string }
				if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", "application/json")
				if tc.fails(q.Input) {
					w.WriteHeader(tc.status)
					_, _ = io.WriteString(w, tc.body)
					return
				}
				var data []map[string]any
				for i := range q.Input {
					data = append(data, map[string]any{"index": i, "embedding": []float32{1, 2}})
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
			}))
			defer srv.Close()
			refusals := openai.RefusalsIn("")
			e, err := openai.NewEmbedder(openai.Config{BaseURL: srv.URL, EmbeddingModel: "e", Refusals: refusals})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			vs, err := e.Embed(t.Context(), llm.PassageText, []string{"one", "two", long, "three", "four"})
			if got := err == nil && len(vs) == 5; got != tc.vector {
				t.Errorf("%d vectors, %v", len(vs), err)
			}
			if learned := refusals.Learned(time.Now()); len(learned) != 0 {
				t.Errorf("learned %+v", learned)
			}
		})
	}
}
