//go:build !race

package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/gomlx/backends"
	_ "github.com/gomlx/gomlx/backends/simplego" // the backend that is Go alone
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	ml "github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/onnx-gomlx/onnx"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"maru/agent/llm/onnx/tokenizer"
)

// Embedder is an open encoder. It implements llm.Embedder and is safe for
// concurrent use; texts are encoded one after the other.
type Embedder struct {
	name    string
	folder  folder
	tokens  *tokenizer.Tokenizer
	inputs  []string
	pooled  bool // the model gives one vector a text, not one a token
	backend backends.Backend

	mu   sync.Mutex // of exec
	exec *ml.Exec
}

// edition is part of every name. It counts the changes after which the same files make
// other vectors.
const edition = "2"

// Open reads the encoder of a folder and tries it. Errors name the file that is at
// fault.
func Open(path string) (e *Embedder, err error) {
	f, err := find(path)
	if err != nil {
		return nil, err
	}
	e = &Embedder{folder: f}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %v %v %d\n", edition, f.first, f.lower, f.maxTokens)
	if err := e.openModel(sum); err != nil {
		return nil, err
	}
	if err := e.openTokenizer(sum); err != nil {
		return nil, err
	}
	e.name = "onnx:" + filepath.Base(f.dir) + "@" + hex.EncodeToString(sum.Sum(nil)[:6])
	if _, err := e.Embed(context.Background(), []string{"maru"}); err != nil {
		return nil, fmt.Errorf("%w; %s", err, instead)
	}
	return e, nil
}

// instead is what is left where a model may be good and cannot be run here.
const instead = "a model that this program cannot run can be served beside it behind an OpenAI-compatible endpoint (OPENAI_BASE_URL, OPENAI_EMBEDDING_MODEL)"

// openTokenizer reads how a text becomes tokens.
func (e *Embedder) openTokenizer(sum io.Writer) error {
	raw, err := os.ReadFile(e.folder.tokenizer)
	if err != nil {
		return fmt.Errorf("onnx: read the tokenizer: %w", err)
	}
	e.tokens, err = tokenizer.Parse(raw)
	switch {
	case errors.Is(err, tokenizer.ErrUnknown):
		return fmt.Errorf("onnx: %s: %w; %s", e.folder.tokenizer, err, instead)
	case err != nil:
		return fmt.Errorf("onnx: %s: %w", e.folder.tokenizer, err)
	}
	if n := e.tokens.Words(); e.folder.words > 0 && n > e.folder.words {
		return fmt.Errorf("onnx: %s has %d tokens, and config.json says %d: it is another model's", e.folder.tokenizer, n, e.folder.words)
	}
	_, err = sum.Write(raw)
	return err
}

// openModel makes the model ready to run.
func (e *Embedder) openModel(sum hash.Hash) error {
	raw, err := os.ReadFile(e.folder.model)
	if err != nil {
		return fmt.Errorf("onnx: read the model: %w", err)
	}
	sum.Write(raw)
	if err := survived(func() error { return e.load(raw, sum) }); err != nil {
		return fmt.Errorf("onnx: %s: %w", e.folder.model, err)
	}
	return nil
}

// load makes the model ready to run.
func (e *Embedder) load(raw []byte, sum io.Writer) error {
	m, err := onnx.Parse(raw)
	if err != nil {
		return err
	}
	if err := fetchWeights(m, filepath.Dir(e.folder.model), sum); err != nil {
		return err
	}
	if err := check(m); err != nil {
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
	output, err := e.output(m)
	if err != nil {
		return err
	}
	weights := ml.New().Reuse()
	if err := m.VariablesToContext(weights); err != nil {
		return err
	}
	for _, t := range m.Proto.Graph.GetInitializer() {
		if len(t.RawData) > 1<<16 { // the library has its own of the weights and reads only what is small again
			t.RawData = nil
		}
	}
	if e.backend, err = backends.NewWithConfig("go"); err != nil {
		return err
	}
	e.exec, err = ml.NewExec(e.backend, weights, func(weights *ml.Context, in []*graph.Node) *graph.Node {
		by := map[string]*graph.Node{}
		for i, name := range e.inputs {
			by[name] = in[i]
		}
		return graph.ConvertDType(m.CallGraph(weights, in[0].Graph(), by, output)[0], dtypes.Float32)
	})
	return err
}

// output chooses what of a model's outputs is the vector.
func (e *Embedder) output(m *onnx.Model) (string, error) {
	outputs, shapes := m.Outputs()
	if len(outputs) == 0 {
		return "", fmt.Errorf("it has no output")
	}
	known := []string{"token_embeddings", "last_hidden_state", "sentence_embedding"}
	if e.folder.said && len(e.folder.more) == 0 { // what is behind the tokens is done here, with fewer operators
		known = []string{"sentence_embedding", "token_embeddings", "last_hidden_state"}
	}
	at := 0
	for _, name := range known {
		if i := slices.Index(outputs, name); i >= 0 {
			at = i
		}
	}
	name := outputs[at]
	if e.pooled = shapes[at].Rank() == 2; name == "logits" || name == "pooler_output" {
		return "", fmt.Errorf("it gives %v: it judges texts, it makes no vectors of them", outputs)
	}
	if len(e.folder.more) > 0 && !e.pooled {
		return "", fmt.Errorf("modules.json has %v behind the model, which would be left out; %s", e.folder.more, instead)
	}
	return name, nil
}

// The inputs that encoders of texts have.
const (
	inputIDs       = "input_ids"
	inputMask      = "attention_mask"
	inputTypes     = "token_type_ids"
	inputPositions = "position_ids"
)

// Name implements llm.Embedder: the folder and the sum of all that makes a vector what it
// is, so that another model in the same place is another one.
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
	text = strings.TrimSpace(text) // as the models' own tools do
	if e.folder.lower {
		text = cases.Lower(language.Und).String(text)
	}
	ids := e.tokens.IDs(text, e.folder.maxTokens)
	n, size := len(ids), bucket(len(ids), e.folder.maxTokens)
	if n == 0 {
		return nil, fmt.Errorf("tokenize: no token of %d bytes", len(text))
	}
	if !slices.Contains(e.inputs, inputMask) {
		size = n // nothing tells the model what is padding
	}
	e.mu.Lock()
	defer e.mu.Unlock()
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
