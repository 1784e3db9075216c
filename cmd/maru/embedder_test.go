package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"maru/agent/llm/llmtest"
	"maru/bot"
	"maru/config"
	"maru/rag"
	"maru/rag/local"
)

// embeddingServer is an endpoint of vectors alone: it has no chat, asks for no key and keeps
// what it was sent.
type embeddingServer struct {
	*httptest.Server

	mu   sync.Mutex
	sent []string
	away bool
}

func newEmbeddingServer(t *testing.T) *embeddingServer {
	t.Helper()
	s := &embeddingServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "" || req.Model != "own-e5" {
			http.NotFound(w, r)
			return
		}
		s.mu.Lock()
		if s.away {
			s.mu.Unlock()
			http.Error(w, `{"error": {"message": "the model is being loaded"}}`, http.StatusBadRequest)
			return
		}
		s.sent = append(s.sent, req.Input...)
		s.mu.Unlock()
		data := []map[string]any{}
		for i, in := range req.Input {
			data = append(data, map[string]any{"index": i, "embedding": llmtest.Vector(in, 16)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *embeddingServer) count(prefix string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.sent {
		if strings.HasPrefix(text, prefix) {
			n++
		}
	}
	return n
}

// TestVectorsOfAnEndpointOfTheirOwn: they need neither a language model nor a key, and questions
// and passages are told apart.
func TestVectorsOfAnEndpointOfTheirOwn(t *testing.T) {
	t.Parallel()
	srv := newEmbeddingServer(t)
	b := newBase(config.Config{Model: config.Model{Embedding: config.Embedding{Model: "own-e5", BaseURL: srv.URL + "/v1"}}}, slog.New(slog.DiscardHandler))
	b.cfg.Store.DataDir = t.TempDir()
	b.cfg.Documents = config.Documents{MaxFile: 1 << 20, Timeout: 1 << 35, Handbook: true}
	lib, err := openLibrary(t.Context(), b, newEmbedders(b, newMeter(b, nil, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.opened.Close(); err != nil {
			t.Error(err)
		}
	})
	index, ok := lib.Index.(*local.Index)
	if !ok {
		t.Fatalf("the index is a %T", lib.Index)
	}
	if err := index.EmbedNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c, err := index.Embedded(t.Context()); err != nil || !c.Complete() || c.All < 100 {
		t.Errorf("%s, %v", c, err)
	}
	if made, err := os.ReadFile(filepath.Join(b.cfg.Store.DataDir, "index", "VECTORS.json")); err != nil || !strings.Contains(string(made), "own-e5 [passage:]") {
		t.Errorf("the index has no vectors of the model: %s, %v", made, err)
	}
	question := rag.Query{Text: "how many days of annual leave", Scopes: []string{bot.ScopePublic}, Limit: 5}
	if hits, err := lib.Search(t.Context(), question); err != nil || len(hits) == 0 {
		t.Errorf("%v, %v", hits, err)
	}
	if passages := srv.count("passage: "); passages < 40 || srv.count("query: how many days") != 1 {
		t.Errorf("%d passages were embedded, and of questions %d", passages, srv.count("query: "))
	}
}

// TestDoctorTriesTheEndpointOfVectors, and advises on its own settings where it fails.
func TestDoctorTriesTheEndpointOfVectors(t *testing.T) {
	t.Parallel()
	srv := newEmbeddingServer(t)
	env := []string{"LANG=C.UTF-8", "MARU_PYTHON=off", "OPENAI_EMBEDDING_MODEL=own-e5"}
	for at, want := range map[string]string{srv.URL + "/v1": "✓ embeddings   own-e5 answers in", srv.URL + "/v1/": "passages have vectors", srv.URL + "/nowhere": "OPENAI_EMBEDDING_BASE_URL"} {
		_, stdout, _ := runHere(t, "", slices.Concat(env, []string{"DATA_DIR=" + t.TempDir(), "OPENAI_EMBEDDING_BASE_URL=" + at}), "doctor")
		if !strings.Contains(stdout, want) || !strings.Contains(stdout, "built-in") {
			t.Errorf("%s: doctor lacks %q: %s", at, want, stdout)
		}
	}
}

func (s *embeddingServer) setAway(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}
