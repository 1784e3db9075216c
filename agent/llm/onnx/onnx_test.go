//go:build !race

package onnx_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/onnx"
	"maru/agent/llm/onnx/onnxtest"
)

var _ llm.Embedder = (*onnx.Embedder)(nil)

func open(t testing.TB, path string) *onnx.Embedder {
	t.Helper()
	e, err := onnx.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func embed(t testing.TB, e *onnx.Embedder, text string) []float32 {
	t.Helper()
	v, err := e.Embed(t.Context(), []string{text})
	if err != nil || len(v) != 1 {
		t.Fatalf("%q: %v, %v", text, v, err)
	}
	return v[0]
}

func distance(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(float64(a[i]-b[i])))
	}
	return most
}

// TestVectorsAreThoseOfONNXRuntime: the figures are those of ONNX Runtime 1.30.0 (npm's
// onnxruntime-node) for the same files and the tokens of tokenizers 0.23.2, without
// padding, mean over the tokens, length 1.
func TestVectorsAreThoseOfONNXRuntime(t *testing.T) {
	t.Parallel()
	plain, apart, bare, later := onnxtest.Tiny, onnxtest.Tiny, onnxtest.Tiny, onnxtest.Tiny
	apart.Apart, bare.Bare, later.Later = true, true, true
	texts := []string{"How many days of annual leave?", "연차는 며칠이야?", "office in Busan."}
	figures := [][]float32{
		{0.394641, -0.326692, -0.118737, 0.508853, 0.100921, 0.446707, 0.000575, -0.504746},
		{0.404571, -0.333633, -0.111648, 0.504986, 0.112290, 0.441118, 0.001209, -0.500339},
		{0.404876, -0.334606, -0.111653, 0.506514, 0.121735, 0.448621, -0.011662, -0.488748},
	}
	for name, c := range map[string]struct {
		shape onnxtest.Shape
		want  [][]float32
	}{
		"plain": {plain, figures}, "weights_apart": {apart, figures}, "without_a_mask": {bare, figures},
		"places_of_roberta": {later, [][]float32{
			{-0.217722, -0.247784, -0.518604, 0.456067, 0.458471, 0.303779, 0.218981, 0.252633},
			{-0.229958, -0.246776, -0.511459, 0.462976, 0.464868, 0.301711, 0.225345, 0.228849},
			{-0.240751, -0.262124, -0.499868, 0.469528, 0.461968, 0.307669, 0.221294, 0.214385},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := open(t, onnxtest.Write(t, c.shape))
			for i, text := range texts {
				if got := embed(t, e, text); distance(got, c.want[i]) > 2e-6 {
					t.Errorf("%q: %v, want %v", text, got, c.want[i])
				}
			}
		})
	}
}

// TestLongTextsAreCut: what is behind the model's last position changes nothing, and what
// the tokenizer's file says of cutting and padding holds for nobody.
func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	later := onnxtest.Tiny
	later.Later = true
	for name, shape := range map[string]onnxtest.Shape{"bert": onnxtest.Tiny, "roberta": later} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			longTextsAreCut(t, open(t, onnxtest.Write(t, shape)))
		})
	}
}

func longTextsAreCut(t *testing.T, e *onnx.Embedder) {
	t.Helper()
	long := strings.Repeat("office in ", onnxtest.Positions)
	if d := distance(embed(t, e, long), embed(t, e, long+strings.Repeat("annual leave ", 500))); d != 0 {
		t.Errorf("a longer text is %v away", d)
	}
	full := strings.Repeat("office in ", onnxtest.Positions/2-1) // with the marks of its beginning and its end
	if d := distance(embed(t, e, full), embed(t, e, full+"office")); d != 0 {
		t.Errorf("a text that is cut is %v away from one that fits: it does not end as that does", d)
	}
	if distance(embed(t, e, full), embed(t, e, strings.TrimSuffix(full, "in "))) == 0 {
		t.Error("the last word that fits is not read")
	}
	ten := "office in office in office in office in office "
	if distance(embed(t, e, ten+"annual"), embed(t, e, ten+"leave")) == 0 {
		t.Error("the tenth word is not read")
	}
}

func TestManyAtOnceAndInBatches(t *testing.T) {
	t.Parallel()
	e := open(t, onnxtest.Write(t, onnxtest.Tiny))
	texts := []string{"office", "annual leave", strings.Repeat("how many days ", 9), "연차"}
	alone := make([][]float32, len(texts))
	for i, text := range texts {
		alone[i] = embed(t, e, text)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got, err := e.Embed(t.Context(), texts)
			if err != nil || len(got) != len(texts) {
				t.Errorf("%v, %v", got, err)
				return
			}
			for i := range texts {
				if d := distance(got[i], alone[i]); d != 0 {
					t.Errorf("%q beside others is %v away", texts[i], d)
				}
			}
		})
	}
	all.Wait()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ended, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}

// TestTheNameIsOfAllFiles: other weights, another tokenizer and other settings are another
// encoder, whose vectors are not compared with those before.
func TestTheNameIsOfAllFiles(t *testing.T) {
	t.Parallel()
	apart := onnxtest.Tiny
	apart.Apart = true
	weights := "onnx/" + onnxtest.Weights
	for name, change := range map[string]func(t *testing.T, dir string){
		"weights": func(t *testing.T, dir string) { edit(t, dir, weights, func(raw []byte) { raw[len(raw)/2]++ }) },
		"tokenizer": func(t *testing.T, dir string) {
			edit(t, dir, "tokenizer.json", func(raw []byte) { copy(raw[strings.Index(string(raw), "annual"):], "casual") })
		},
		"pooling": func(t *testing.T, dir string) {
			put(t, dir, "1_Pooling/config.json", `{"pooling_mode_cls_token": true}`)
		},
		"length": func(t *testing.T, dir string) {
			put(t, dir, "sentence_xlm-roberta_config.json", `{"max_seq_length": 32}`)
		},
		"tokens": func(t *testing.T, dir string) { put(t, dir, "tokenizer_config.json", `{"model_max_length": 16}`) },
		"case":   func(t *testing.T, dir string) { put(t, dir, "sentence_bert_config.json", `{"do_lower_case": true}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := onnxtest.Write(t, apart)
			before := open(t, dir).Name()
			if again := open(t, dir).Name(); again != before {
				t.Errorf("%s is called %s when it is opened again", before, again)
			}
			change(t, dir)
			if after := open(t, dir).Name(); after == before {
				t.Errorf("another %s has the same name %s", name, after)
			}
		})
	}
}

func edit(t *testing.T, dir, name string, change func(raw []byte)) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change(raw)
	put(t, dir, name, string(raw))
}

// TestSpaceAroundATextIsNone, as for the tools that the models come from.
func TestSpaceAroundATextIsNone(t *testing.T) {
	t.Parallel()
	dir := onnxtest.Write(t, onnxtest.Tiny)
	put(t, dir, "tokenizer.json", `{"normalizer":{"type":"Replace","pattern":{"String":" "},"content":"_"},
		"model":{"type":"BPE","unk_token":"?","vocab":{"?":0,"_":1,"a":2,"b":3},"merges":[]}}`)
	e := open(t, dir)
	if d := distance(embed(t, e, "a b"), embed(t, e, " a b\n")); d != 0 {
		t.Errorf("with space around it a text is %v away", d)
	}
	if distance(embed(t, e, "ab"), embed(t, e, "a b")) == 0 {
		t.Error("the space within a text is not read")
	}
}

// TestLowerCaseBeforeAnythingElse: some models say so beside their tokenizer.
func TestLowerCaseBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	dir := onnxtest.Write(t, onnxtest.Tiny)
	words, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "tokenizer.json", strings.Replace(string(words), `"lowercase":true`, `"lowercase":false`, 1))
	e := open(t, dir)
	if distance(embed(t, e, "annual LEAVE"), embed(t, e, "annual leave")) == 0 {
		t.Fatal("the case is not read")
	}
	put(t, dir, "sentence_bert_config.json", `{"max_seq_length": 64, "do_lower_case": true}`)
	e = open(t, dir)
	if d := distance(embed(t, e, "annual LEAVE"), embed(t, e, "annual leave")); d != 0 {
		t.Errorf("upper case is %v away", d)
	}
}

func TestTheNameIsTheModels(t *testing.T) {
	t.Parallel()
	dir := onnxtest.Write(t, onnxtest.Tiny)
	name := open(t, dir).Name()
	file := filepath.Join(dir, "onnx", "model.onnx")
	if got := open(t, file).Name(); got != name || !strings.HasPrefix(name, "onnx:bert@") {
		t.Errorf("by its folder %s, by its file %s", name, got)
	}
	raw, err := os.ReadFile(file)
	if err == nil {
		raw[len(raw)/2]++ // one weight is another one
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := open(t, dir).Name(); got == name {
		t.Errorf("another model has the same name: %s", got)
	}
}

func TestPoolingByTheFirstToken(t *testing.T) {
	t.Parallel()
	dir := onnxtest.Write(t, onnxtest.Tiny)
	mean := embed(t, open(t, dir), "annual leave")
	put(t, dir, "1_Pooling/config.json", `{"word_embedding_dimension": 8}`)
	if distance(embed(t, open(t, dir), "annual leave"), mean) != 0 {
		t.Error("where nothing is said of it, it is not the mean")
	}
	put(t, dir, "1_Pooling/config.json", `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`)
	if distance(embed(t, open(t, dir), "annual leave"), mean) == 0 {
		t.Error("the first token's vector is the mean of all")
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkEmbed encodes texts with an encoder of the size of all-MiniLM-L6-v2.
func BenchmarkEmbed(b *testing.B) {
	e := open(b, onnxtest.Write(b, onnxtest.MiniLM))
	for name, text := range map[string]string{"question": "How many days of annual leave?", "passage": strings.Repeat("how many days of annual leave ", 10)} {
		b.Run(name, func(b *testing.B) {
			embed(b, e, text)
			for b.Loop() {
				embed(b, e, text)
			}
		})
	}
}
