//go:build !race

package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folder is where the parts of an encoder are, and what its settings say.
type folder struct {
	dir       string
	model     string // file
	tokenizer string // file
	maxTokens int
	words     int      // the model knows; 0: it does not say
	first     bool     // the first token's vector stands for the text, not the mean of all
	said      bool     // the folder says so, or the mean
	lower     bool     // the text is made lower case before anything else
	more      []string // what its tools do with a vector behind the pooling, which is not done here
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
		Words     int    `json:"vocab_size"`
	}
	var sentence struct {
		Length int  `json:"max_seq_length"`
		Lower  bool `json:"do_lower_case"`
	}
	var tokens struct {
		Length float64 `json:"model_max_length"` // 1e30: it knows none
	}
	pooling := map[string]any{}
	var modules []struct{ Type string }
	var prompts struct {
		Default string `json:"default_prompt_name"`
	}
	sentenceFile := "sentence_bert_config.json"
	if all, _ := filepath.Glob(filepath.Join(f.dir, "sentence_*_config.json")); len(all) > 0 { // old ones are named after other families
		sentenceFile = filepath.Base(all[0])
	}
	for _, part := range []struct {
		name string
		into any
	}{
		{"config.json", &model}, {sentenceFile, &sentence}, {"tokenizer_config.json", &tokens}, {"1_Pooling/config.json", &pooling},
		{"modules.json", &modules}, {"config_sentence_transformers.json", &prompts},
	} {
		raw, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(part.name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(raw, part.into)
		}
		if err != nil {
			return fmt.Errorf("onnx: %s of %s: %w", part.name, f.dir, err)
		}
	}
	if prompts.Default != "" {
		return fmt.Errorf("onnx: config_sentence_transformers.json of %s asks for the prompt %q in front of every text, which is not known; %s", f.dir, prompts.Default, instead)
	}
	switch model.Type {
	case "xlm-roberta", "roberta", "camembert", "mpnet": // their positions begin behind the padding's
		model.Positions -= model.Pad + 1
	}
	for _, n := range []int{model.Positions, sentence.Length, int(min(tokens.Length, maxTokens))} {
		if n > 1 {
			f.maxTokens = min(f.maxTokens, n)
		}
	}
	f.lower, f.words = sentence.Lower, model.Words
	for _, m := range modules {
		switch name := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; name {
		case "Transformer", "Pooling", "Normalize":
		default:
			f.more = append(f.more, name)
		}
	}
	return f.pooling(pooling)
}

// pooling reads how one vector is made of the tokens'.
func (f *folder) pooling(settings map[string]any) error {
	var modes []string
	some := false
	for name, on := range settings {
		mode, ok := strings.CutPrefix(name, "pooling_mode_")
		if some = some || ok; ok && on == true {
			modes = append(modes, mode)
		}
	}
	if name, ok := settings["pooling_mode"].(string); ok {
		modes = append(modes, name)
	}
	slices.Sort(modes)
	switch strings.Join(modes, " ") {
	case "", "mean_tokens", "mean", "mean_sqrt_len_tokens": // the last is another length of the same direction
	case "cls_token", "cls":
		f.first = true
	default:
		return fmt.Errorf("onnx: 1_Pooling/config.json of %s asks for %s, and poolings other than the mean or the first token are not known; %s",
			f.dir, strings.Join(modes, " and "), instead)
	}
	f.said = len(settings) > 0 // without a word of it, it is the mean
	if some && len(modes) == 0 {
		return fmt.Errorf("onnx: 1_Pooling/config.json of %s asks for neither mean nor first token", f.dir)
	}
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
