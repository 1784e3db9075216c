//go:build !race

package onnx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/llm/onnx"
	"maru/agent/llm/onnx/onnxtest"
)

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
		}, "asks for max_tokens"},
		"two_poolings": {func(t *testing.T, dir string) string {
			put(t, dir, "1_Pooling/config.json", `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}`)
			return dir
		}, "asks for cls_token and mean_tokens"},
		"no_pooling": {func(t *testing.T, dir string) string {
			put(t, dir, "1_Pooling/config.json", `{"pooling_mode_mean_tokens": false}`)
			return dir
		}, "neither mean nor first token"},
		"a_prompt": {func(t *testing.T, dir string) string {
			put(t, dir, "config_sentence_transformers.json", `{"prompts": {"query": "query: "}, "default_prompt_name": "query"}`)
			return dir
		}, `the prompt "query"`},
		"more_behind_it": {func(t *testing.T, dir string) string {
			put(t, dir, "modules.json", `[{"type":"sentence_transformers.models.Transformer"},{"type":"sentence_transformers.models.Pooling"},{"type":"sentence_transformers.models.Dense"}]`)
			return dir
		}, "[Dense] behind the model"},
		"unknown_words": {func(t *testing.T, dir string) string {
			put(t, dir, "tokenizer.json", `{"model":{"type":"WordLevel"}}`)
			return dir
		}, `"WordLevel" is not known; a model that this program cannot run can be served`},
		"words_of_another": {func(t *testing.T, dir string) string {
			put(t, dir, "config.json", `{"vocab_size": 20}`)
			return dir
		}, "24 tokens, and config.json says 20"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, err := onnx.Open(c.spoil(t, onnxtest.Write(t, onnxtest.Tiny))); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v; want %q", e, err, c.want)
			}
		})
	}
}

// TestWeightsThatAreAway: without the file of the weights, or with a part of it, nothing
// starts.
func TestWeightsThatAreAway(t *testing.T) {
	t.Parallel()
	apart := onnxtest.Tiny
	apart.Apart = true
	weights := "onnx/" + onnxtest.Weights
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"gone":      {func(t *testing.T, dir string) { remove(t, dir, weights) }, onnxtest.Weights + ": no such file"},
		"cut_short": {func(t *testing.T, dir string) { put(t, dir, weights, "version https://git-lfs.github.com/spec/v1\n") }, "the file is not whole"},
		"elsewhere": {func(t *testing.T, dir string) {
			edit(t, dir, "onnx/model.onnx", func(raw []byte) {
				for at := strings.Index(string(raw), onnxtest.Weights); at >= 0; at = strings.Index(string(raw), onnxtest.Weights) {
					copy(raw[at:], "../../x")
				}
			})
		}, "not beside it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := onnxtest.Write(t, apart)
			c.spoil(t, dir)
			if e, err := onnx.Open(dir); err == nil || !strings.Contains(err.Error(), c.want) {
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

// TestAVectorThatTheModelMakesToo: with operators that are not known the tokens' vectors
// are taken, if the folder says what to make of them.
func TestAVectorThatTheModelMakesToo(t *testing.T) {
	t.Parallel()
	summed := onnxtest.Tiny
	summed.Odd = "summed"
	dir := onnxtest.Write(t, summed)
	if e, err := onnx.Open(dir); err == nil || !strings.Contains(err.Error(), "ReduceSum") {
		t.Errorf("%v, %v", e, err)
	}
	put(t, dir, "1_Pooling/config.json", `{"pooling_mode_mean_tokens": true}`)
	plain := open(t, onnxtest.Write(t, onnxtest.Tiny))
	if d := distance(embed(t, open(t, dir), "annual leave"), embed(t, plain, "annual leave")); d != 0 {
		t.Errorf("the mean of the tokens is %v away", d)
	}
}

// TestWhatWouldBeWrongIsRefused: what the library computes otherwise than ONNX Runtime, or
// not at all, ends the start with what is left to do.
func TestWhatWouldBeWrongIsRefused(t *testing.T) {
	t.Parallel()
	for odd, want := range map[string]string{
		"quantized": "quantized (MatMulInteger)", "fused": "com.microsoft:BiasGelu", "from the end": "counts from the end", "scaled": "factors",
		"old softmax": "all axes behind the first", "half": "half the precision", "judge": "judges texts",
	} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			shape := onnxtest.Tiny
			shape.Odd = odd
			e, err := onnx.Open(onnxtest.Write(t, shape))
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "model.onnx") {
				t.Errorf("%v, %v; want %q", e, err, want)
			}
			if odd != "judge" && !strings.Contains(err.Error(), "OPENAI_EMBEDDING_MODEL") {
				t.Errorf("what is left is not said: %v", err)
			}
		})
	}
}
