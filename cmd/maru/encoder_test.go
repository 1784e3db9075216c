//go:build !race

package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/llm/onnx/onnxtest"
	"maru/bot"
	"maru/config"
	"maru/rag"
	"maru/rag/local"
)

// An encoder on this machine makes the vectors of documents and of questions, with the
// built-in model too.
func TestAnEncoderMakesTheVectors(t *testing.T) {
	t.Parallel()
	b := newBase(config.Config{Model: config.Model{Encoder: onnxtest.Write(t, onnxtest.Tiny)}}, slog.New(slog.DiscardHandler))
	b.cfg.Store.DataDir = t.TempDir()
	b.cfg.Documents = config.Documents{MaxFile: 1 << 20, Timeout: 1 << 35, Handbook: true}
	vectors := newEmbedders(b, newMeter(b, nil, nil))
	lib, err := openLibrary(t.Context(), b, vectors)
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
	encoder, err := vectors.encoder()
	if err != nil {
		t.Fatal(err)
	}
	if made, err := os.ReadFile(filepath.Join(b.cfg.Store.DataDir, "index", "VECTORS.json")); err != nil || !strings.Contains(string(made), encoder.Name()) {
		t.Errorf("the index has no vectors of %s: %s, %v", encoder.Name(), made, err)
	}
	question := rag.Query{Text: "how many days of annual leave", Scopes: []string{bot.ScopePublic}, Limit: 5}
	if hits, err := lib.Search(t.Context(), question); err != nil || len(hits) == 0 || !strings.Contains(strings.ToLower(hits[0].Chunk.Text), "leave") {
		t.Errorf("%v, %v", hits, err)
	}
	took, err := vectors.try(t.Context())
	if err != nil {
		t.Errorf("after %s: %v", took, err)
	}
}

// A folder that is no encoder is named by whatever is started with it.
func TestAFolderThatIsNoEncoder(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	env := []string{"LANG=C.UTF-8", "MARU_PYTHON=off", "MARU_EMBEDDING_ONNX=" + empty}
	for name, args := range map[string][]string{"ask": {"ask", "hello"}, "doctor": {"doctor"}, "serve": {"serve"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := runHere(t, "", append(env, "DATA_DIR="+t.TempDir(), "HTTP_ADDR=127.0.0.1:0"), args...)
			if said := stdout + stderr; code != 1 || !strings.Contains(said, "MARU_EMBEDDING_ONNX") || !strings.Contains(said, "neither model.onnx nor onnx/model.onnx") {
				t.Errorf("exit %d: %s", code, said)
			}
		})
	}
}

func TestDoctorTriesTheEncoder(t *testing.T) {
	t.Parallel()
	dir := onnxtest.Write(t, onnxtest.Tiny)
	env := []string{"LANG=C.UTF-8", "MARU_PYTHON=off", "MARU_EMBEDDING_ONNX=" + dir}
	if code, stdout, _ := runHere(t, "", append(env, "DATA_DIR="+t.TempDir()), "doctor"); code != 0 || !strings.Contains(stdout, "✓ embeddings   "+dir+" answers in") {
		t.Errorf("exit %d: %s", code, stdout)
	}
	said := strings.Join(strings.Fields(strings.ReplaceAll(newProgram(t, env...).talk("main", "/doctor"), "**", "")), " ")
	for _, want := range []string{"▫️ language model not set up", "✅ embeddings OK"} {
		if !strings.Contains(said, want) {
			t.Errorf("the chat lacks %q: %s", want, said)
		}
	}
}
