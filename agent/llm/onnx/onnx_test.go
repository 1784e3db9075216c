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

func apart(a, b []float32) float64 {
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
// onnxruntime-node) for the same file and tokens, mean over the tokens, length 1.
func TestVectorsAreThoseOfONNXRuntime(t *testing.T) {
	t.Parallel()
	e := open(t, onnxtest.Write(t, onnxtest.Tiny))
	for text, want := range map[string][]float32{
		"How many days of annual leave?": {0.394641, -0.326692, -0.118737, 0.508853, 0.100921, 0.446707, 0.000575, -0.504746},
		"연차는 며칠이야?":                      {0.404571, -0.333633, -0.111648, 0.504986, 0.112290, 0.441118, 0.001209, -0.500339},
		"office in Busan.":               {0.404876, -0.334606, -0.111653, 0.506514, 0.121735, 0.448621, -0.011662, -0.488748},
	} {
		if got := embed(t, e, text); apart(got, want) > 2e-6 {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestLongTextsAreCut: what is behind the model's last position changes nothing, and what
// the tokenizer's file says of cutting and padding holds for nobody.
func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	e := open(t, onnxtest.Write(t, onnxtest.Tiny))
	long := strings.Repeat("office in ", onnxtest.Positions)
	if d := apart(embed(t, e, long), embed(t, e, long+strings.Repeat("annual leave ", 500))); d != 0 {
		t.Errorf("a longer text is %v away", d)
	}
	full := strings.Repeat("office in ", onnxtest.Positions/2-1) // with the marks of its beginning and its end
	if d := apart(embed(t, e, full), embed(t, e, full+"office")); d != 0 {
		t.Errorf("a text that is cut is %v away from one that fits: it does not end as that does", d)
	}
	if apart(embed(t, e, full), embed(t, e, strings.TrimSuffix(full, "in "))) == 0 {
		t.Error("the last word that fits is not read")
	}
	ten := "office in office in office in office in office "
	if apart(embed(t, e, ten+"annual"), embed(t, e, ten+"leave")) == 0 {
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
				if d := apart(got[i], alone[i]); d != 0 {
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
	put(t, dir, "1_Pooling/config.json", `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`)
	if apart(embed(t, open(t, dir), "annual leave"), mean) == 0 {
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

// TestWhatIsWrongIsSaid: of a folder that is no encoder the error names the file and the fault.
func TestWhatIsWrongIsSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string) (path string)
		want  string
	}{
		"no_folder":    {func(_ *testing.T, dir string) string { return dir + "x" }, "no such file"},
		"empty_folder": {func(t *testing.T, _ string) string { return t.TempDir() }, "neither model.onnx nor onnx/model.onnx"},
		"no_tokenizer": {func(t *testing.T, dir string) string { remove(t, dir, "tokenizer.json"); return dir }, "no tokenizer.json"},
		"broken_model": {func(t *testing.T, dir string) string { put(t, dir, "onnx/model.onnx", "<html>"); return dir }, "model.onnx"},
		"pointer_of_lfs": {func(t *testing.T, dir string) string {
			put(t, dir, "onnx/model.onnx", "version https://git-lfs.github.com/spec/v1\n")
			return dir
		}, "model.onnx"},
		"empty_model":     {func(t *testing.T, dir string) string { put(t, dir, "onnx/model.onnx", ""); return dir }, "model.onnx"},
		"broken_words":    {func(t *testing.T, dir string) string { put(t, dir, "tokenizer.json", "{"); return dir }, "tokenizer.json"},
		"no_words":        {func(t *testing.T, dir string) string { put(t, dir, "tokenizer.json", "{}"); return dir }, "tokenizer.json"},
		"broken_settings": {func(t *testing.T, dir string) string { put(t, dir, "config.json", "["); return dir }, "config.json"},
		"other_pooling": {func(t *testing.T, dir string) string {
			put(t, dir, "1_Pooling/config.json", `{"pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": false}`)
			return dir
		}, "other poolings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, err := onnx.Open(c.spoil(t, onnxtest.Write(t, onnxtest.Tiny))); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v; want %q", e, err, c.want)
			}
		})
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
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
