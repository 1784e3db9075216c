//go:build !race

package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/backends"
	_ "github.com/gomlx/gomlx/backends/simplego" // the backend that is Go alone
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	ml "github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/onnx-gomlx/onnx"
	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/pretrained"
)

// Embedder is an open encoder. It implements llm.Embedder and is safe for
// concurrent use; texts are encoded one after the other.
type Embedder struct {
	name    string
	folder  folder
	inputs  []string
	pooled  bool // the model gives one vector a text, not one a token
	backend backends.Backend

	mu     sync.Mutex // of what follows
	tokens *tokenizer.Tokenizer
	exec   *ml.Exec
}

// Open reads the encoder of a folder and tries it. Errors name the file that is at
// fault.
func Open(path string) (e *Embedder, err error) {
	f, err := find(path)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(f.model)
	if err != nil {
		return nil, fmt.Errorf("onnx: read the model: %w", err)
	}
	sum := sha256.Sum256(raw)
	e = &Embedder{name: "onnx:" + filepath.Base(f.dir) + "@" + hex.EncodeToString(sum[:6]), folder: f}
	err = survived(func() error { return e.load(raw) })
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: %w", f.model, err)
	}
	err = survived(func() error { return e.loadTokenizer(f.tokenizer) })
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: %w", f.tokenizer, err)
	}
	if _, err := e.Embed(context.Background(), []string{"maru"}); err != nil {
		return nil, err
	}
	return e, nil
}

// loadTokenizer reads how a text becomes tokens. What the file says of cutting and padding
// is for another program's batches.
func (e *Embedder) loadTokenizer(file string) (err error) {
	if e.tokens, err = pretrained.FromFile(file); err != nil {
		return err
	}
	e.tokens.WithTruncation(nil)
	e.tokens.WithPadding(nil)
	return nil
}

// load makes the model ready to run.
func (e *Embedder) load(raw []byte) error {
	m, err := onnx.Parse(raw)
	if err != nil {
		return err
	}
	e.inputs, _ = m.Inputs()
	for _, name := range e.inputs {
		if !slices.Contains([]string{inputIDs, inputMask, inputTypes, inputPositions}, name) {
			return fmt.Errorf("it wants %q, which an encoder of texts has not", name)
		}
	}
	if !slices.Contains(e.inputs, inputIDs) {
		return fmt.Errorf("it takes %v, no %s: it is no encoder of texts", e.inputs, inputIDs)
	}
	outputs, shapes := m.Outputs()
	if len(outputs) == 0 {
		return fmt.Errorf("it has no output")
	}
	at := max(0, slices.Index(outputs, "sentence_embedding"), slices.Index(outputs, "last_hidden_state"))
	e.pooled = shapes[at].Rank() == 2
	weights := ml.New().Reuse()
	if err := m.VariablesToContext(weights); err != nil {
		return err
	}
	if e.backend, err = backends.NewWithConfig("go"); err != nil {
		return err
	}
	e.exec, err = ml.NewExec(e.backend, weights, func(weights *ml.Context, in []*graph.Node) []*graph.Node {
		by := map[string]*graph.Node{}
		for i, name := range e.inputs {
			by[name] = in[i]
		}
		return m.CallGraph(weights, in[0].Graph(), by, outputs[at])
	})
	return err
}

// The inputs that encoders of texts have.
const (
	inputIDs       = "input_ids"
	inputMask      = "attention_mask"
	inputTypes     = "token_type_ids"
	inputPositions = "position_ids"
)

// Name implements llm.Embedder: the folder and the sum of its model, so that another
// model in the same place is another one.
func (e *Embedder) Name() string { return e.name }

// Embed implements llm.Embedder: unit vectors. A text that is longer than the model
// reads is cut.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := survived(func() (err error) { out[i], err = e.encode(text); return err })
		if err != nil {
			return nil, fmt.Errorf("onnx: %s: %w", e.name, err)
		}
	}
	return out, nil
}

// encode makes the vector of one text. Between two texts of a batch others take
// their turn: a question does not wait for a folder of documents.
func (e *Embedder) encode(text string) ([]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	code, err := e.tokens.EncodeSingle(text, true)
	if err != nil {
		return nil, fmt.Errorf("tokenize: %w", err)
	}
	ids := cut(code.Ids, e.folder.maxTokens)
	n, size := len(ids), bucket(len(ids), e.folder.maxTokens)
	if n == 0 {
		return nil, fmt.Errorf("tokenize: no token of %d bytes", len(text))
	}
	feed := make([]any, len(e.inputs))
	for i, name := range e.inputs {
		row := make([]int64, size)
		for j := range n {
			switch name {
			case inputIDs:
				row[j] = int64(ids[j])
			case inputMask:
				row[j] = 1
			case inputPositions:
				row[j] = int64(j)
			}
		}
		feed[i] = tensors.FromFlatDataAndDimensions(row, 1, size)
	}
	got, err := e.exec.Exec(feed...)
	if err != nil {
		return nil, err
	}
	return e.pool(got[0], n, size)
}

// pool makes one vector of what the model gave for n tokens, padded to size.
func (e *Embedder) pool(got *tensors.Tensor, n, size int) ([]float32, error) {
	all, err := tensors.CopyFlatData[float32](got)
	if err != nil {
		return nil, fmt.Errorf("its output is no list of floats: %w", err)
	}
	v := all
	switch {
	case e.pooled:
	case len(all)%size != 0:
		return nil, fmt.Errorf("its output has %d numbers for %d tokens", len(all), size)
	case e.folder.first:
		v = all[:len(all)/size]
	default:
		dim := len(all) / size
		v = make([]float32, dim)
		for t := range n {
			for j := range dim {
				v[j] += all[t*dim+j]
			}
		}
	}
	return unit(v)
}

// unit scales a vector to the length 1.
func unit(v []float32) ([]float32, error) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, fmt.Errorf("its output is no direction")
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out, nil
}

// cut keeps the first tokens and the last, which ends a text for many models.
func cut(ids []int, most int) []int {
	if len(ids) <= most {
		return ids
	}
	return append(slices.Clone(ids[:most-1]), ids[len(ids)-1])
}

// bucket is the length to which n tokens are padded: each length is compiled once.
func bucket(n, most int) int {
	for size := 16; size < most; size *= 2 {
		if n <= size {
			return size
		}
	}
	return most
}

// survived turns a panic into an error: the libraries report some faults of a file so.
func survived(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return do()
}

// Close frees the model.
func (e *Embedder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.exec.Finalize()
	e.backend.Finalize()
	return nil
}
