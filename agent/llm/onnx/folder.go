//go:build !race

package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// folder is where the parts of an encoder are, and what its settings say.
type folder struct {
	dir       string
	model     string // file
	tokenizer string // file
	maxTokens int
	first     bool // the first token's vector stands for the text, not the mean of all
}

// maxTokens bounds a text where the model says nothing of it: what most encoders
// were trained on.
const maxTokens = 512

// find finds the parts of an encoder by the path of its folder, or of its model.
func find(path string) (folder, error) {
	f := folder{dir: filepath.Clean(path), maxTokens: maxTokens}
	info, err := os.Stat(f.dir)
	switch {
	case err != nil:
		return f, fmt.Errorf("onnx: find the model: %w", err)
	case info.IsDir():
		f.model = first(filepath.Join(f.dir, "model.onnx"), filepath.Join(f.dir, "onnx", "model.onnx"))
		if f.model == "" {
			return f, fmt.Errorf("onnx: %s has neither model.onnx nor onnx/model.onnx", f.dir)
		}
	default:
		f.model, f.dir = f.dir, filepath.Dir(f.dir)
	}
	if f.tokenizer = first(filepath.Join(f.dir, "tokenizer.json")); f.tokenizer == "" && filepath.Base(f.dir) == "onnx" {
		f.dir = filepath.Dir(f.dir)
		f.tokenizer = first(filepath.Join(f.dir, "tokenizer.json"))
	}
	if f.tokenizer == "" {
		return f, fmt.Errorf("onnx: %s has no tokenizer.json beside its model", f.dir)
	}
	return f, f.settings()
}

// settings reads how long a text may be and how a vector is made of its tokens.
func (f *folder) settings() error {
	var model struct {
		Positions int    `json:"max_position_embeddings"`
		Type      string `json:"model_type"`
		Pad       int    `json:"pad_token_id"`
	}
	var sentence struct {
		Length int `json:"max_seq_length"`
	}
	var pooling struct {
		First bool `json:"pooling_mode_cls_token"`
		Mean  bool `json:"pooling_mode_mean_tokens"`
	}
	pooling.Mean = true
	for name, into := range map[string]any{"config.json": &model, "sentence_bert_config.json": &sentence, "1_Pooling/config.json": &pooling} {
		raw, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			return fmt.Errorf("onnx: %s of %s: %w", name, f.dir, err)
		}
	}
	if model.Type == "xlm-roberta" || model.Type == "roberta" { // its positions begin behind the padding's
		model.Positions -= model.Pad + 1
	}
	for _, n := range []int{model.Positions, sentence.Length} {
		if n > 1 {
			f.maxTokens = min(f.maxTokens, n)
		}
	}
	if !pooling.Mean && !pooling.First {
		return fmt.Errorf("onnx: 1_Pooling/config.json of %s asks for neither mean nor first token: other poolings are not known", f.dir)
	}
	f.first = pooling.First
	return nil
}

// first returns the first of some files that is there.
func first(paths ...string) string {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return p
		}
	}
	return ""
}
