//go:build !race

package onnxtest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Shape is how large an encoder is.
type Shape struct {
	Layers, Hidden, Heads, Inner int64

	Apart bool   // its weights lie in a file beside it
	Bare  bool   // it has no input that tells what is padding
	Later bool   // it counts the places of tokens behind the padding, as RoBERTa does; its padding is [UNK]
	Odd   string // it has something else that exporters write, see odd
}

// Tiny has a few kilobytes; MiniLM is as large as all-MiniLM-L6-v2 but for its
// vocabulary.
var (
	Tiny   = Shape{Layers: 1, Hidden: 8, Heads: 2, Inner: 16}
	MiniLM = Shape{Layers: 6, Hidden: 384, Heads: 12, Inner: 1536}
)

// Weights is the file of those that lie apart, in the folder of the model.
const Weights = "model.onnx_data"

// Positions is how many tokens an encoder reads.
const Positions = 64

// vocabulary has the words of the tests; others are unknown to the encoder.
var vocabulary = []string{
	"[PAD]", "[UNK]", "[CLS]", "[SEP]", "how", "many", "days", "of", "annual", "leave", "##s", "office", "in", "bus", "##an", "?", ".",
	"연차", "##는", "휴가", "며칠", "##이야", "15", "##일",
}

// Write writes an encoder into a folder of the test's and returns its path.
func Write(t testing.TB, shape Shape) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bert")
	model, weights := model(shape)
	settings := `{"model_type":"bert","max_position_embeddings":64,"pad_token_id":0}`
	if shape.Later {
		settings = `{"model_type":"xlm-roberta","max_position_embeddings":66,"pad_token_id":1}`
	}
	for name, raw := range map[string][]byte{"onnx/model.onnx": model, "onnx/" + Weights: weights, "tokenizer.json": tokenizer(t), "config.json": []byte(settings)} {
		if len(raw) == 0 {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tokenizer(t testing.TB) []byte {
	t.Helper()
	vocab := map[string]int{}
	for i, w := range vocabulary {
		vocab[w] = i
	}
	special := func(id int) map[string]any {
		return map[string]any{"id": id, "content": vocabulary[id], "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}
	}
	raw, err := json.Marshal(map[string]any{
		"version":        "1.0",
		"truncation":     map[string]any{"max_length": 8, "strategy": "LongestFirst", "stride": 0},
		"padding":        map[string]any{"strategy": map[string]any{"Fixed": 32}, "direction": "Right", "pad_to_multiple_of": nil, "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
		"added_tokens":   []any{special(0), special(1), special(2), special(3)},
		"normalizer":     map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": false, "lowercase": true},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "BertProcessing", "sep": []any{"[SEP]", 3}, "cls": []any{"[CLS]", 2}},
		"decoder":        map[string]any{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model":          map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// graph is a model in the making. The numbers of the fields are those of onnx.proto,
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
type graph struct {
	Shape

	nodes, weights, apart []byte
	seed                  float64
}

// node adds an operation and returns its output's name.
func (g *graph) node(op, out string, in []string, attributes ...[]byte) string {
	var n []byte
	for _, name := range in {
		n = text(n, 1, name)
	}
	n = text(text(n, 2, out), 4, op)
	for _, a := range attributes {
		n = bytes(n, 5, a)
	}
	g.nodes = bytes(g.nodes, 1, n)
	return out
}

// weight adds a tensor of fixed numbers and returns its name.
func (g *graph) weight(name string, dims ...int64) string {
	size := int64(1)
	for _, d := range dims {
		size *= d
	}
	v := make([]float32, size)
	for i := range v {
		g.seed++
		v[i] = float32(0.5 * math.Sin(g.seed*g.seed*0.37))
	}
	return g.floats(name, v, dims...)
}

func (g *graph) floats(name string, v []float32, dims ...int64) string {
	var raw []byte
	for _, x := range v {
		raw = protowire.AppendFixed32(raw, math.Float32bits(x))
	}
	return g.tensor(name, 1, raw, dims)
}

func (g *graph) ints(name string, v []int64, dims ...int64) string {
	var raw []byte
	for _, x := range v {
		raw = protowire.AppendFixed64(raw, uint64(x))
	}
	return g.tensor(name, 7, raw, dims)
}

func (g *graph) tensor(name string, kind uint64, raw []byte, dims []int64) string {
	var t []byte
	for _, d := range dims {
		t = number(t, 1, uint64(d))
	}
	t = text(number(t, 2, kind), 8, name)
	if g.Apart && kind == 1 {
		for key, v := range map[string]string{"location": Weights, "offset": strconv.Itoa(len(g.apart)), "length": strconv.Itoa(len(raw))} {
			t = bytes(t, 13, text(text(nil, 1, key), 2, v))
		}
		t = number(t, 14, 1)
		g.apart = append(g.apart, raw...)
	} else {
		t = bytes(t, 9, raw)
	}
	g.weights = bytes(g.weights, 5, t)
	return name
}

// dense is x·w + b.
func (g *graph) dense(name, x string, from, to int64) string {
	y := g.node("MatMul", name+".matmul", []string{x, g.weight(name+".w", from, to)})
	return g.node("Add", name, []string{y, g.weight(name+".b", to)})
}

// norm normalises the last axis, with the operations that exporters write.
func (g *graph) norm(name, x string) string {
	last := attributeInts("axes", -1)
	mean := g.node("ReduceMean", name+".mean", []string{x}, last)
	d := g.node("Sub", name+".d", []string{x, mean})
	squares := g.node("Pow", name+".sq", []string{d, g.floats(name+".two", []float32{2})})
	variance := g.node("ReduceMean", name+".var", []string{squares}, last)
	sum := g.node("Add", name+".eps", []string{variance, g.floats(name+".epsilon", []float32{1e-6})})
	y := g.node("Div", name+".div", []string{d, g.node("Sqrt", name+".sqrt", []string{sum})})
	y = g.node("Mul", name+".mul", []string{y, g.weight(name+".gamma", g.Hidden)})
	return g.node("Add", name, []string{y, g.weight(name+".beta", g.Hidden)})
}

// head turns [1, n, hidden] into [1, heads, n, hidden/heads].
func (g *graph) head(name, x string, order ...int64) string {
	y := g.node("Reshape", name+".split", []string{x, g.ints(name+".shape", []int64{0, -1, g.Heads, g.Hidden / g.Heads}, 4)})
	return g.node("Transpose", name+".heads", []string{y}, attributeInts("perm", order...))
}

// layer is one block of attention and feed-forward.
func (g *graph) layer(l, x, mask string) string {
	q := g.head(l+"q", g.dense(l+"query", x, g.Hidden, g.Hidden), 0, 2, 1, 3)
	k := g.head(l+"k", g.dense(l+"key", x, g.Hidden, g.Hidden), 0, 2, 3, 1)
	v := g.head(l+"v", g.dense(l+"value", x, g.Hidden, g.Hidden), 0, 2, 1, 3)
	root := g.floats(l+"root", []float32{float32(math.Sqrt(float64(g.Hidden / g.Heads)))})
	score := g.node("Div", l+"scaled", []string{g.node("MatMul", l+"qk", []string{q, k}), root})
	score = g.node("Softmax", l+"softmax", []string{g.node("Add", l+"masked", []string{score, mask})}, attributeInt("axis", -1))
	a := g.node("Transpose", l+"back", []string{g.node("MatMul", l+"av", []string{score, v})}, attributeInts("perm", 0, 2, 1, 3))
	a = g.node("Reshape", l+"joined", []string{a, g.ints(l+"hidden", []int64{0, -1, g.Hidden}, 3)})
	x = g.norm(l+"attended", g.node("Add", l+"r1", []string{g.dense(l+"out", a, g.Hidden, g.Hidden), x}))

	y := g.dense(l+"inner", x, g.Hidden, g.Inner)
	erf := g.node("Erf", l+"erf", []string{g.node("Div", l+"half", []string{y, g.floats(l+"root2", []float32{math.Sqrt2})})})
	y = g.node("Mul", l+"gelu2", []string{y, g.node("Add", l+"erf1", []string{erf, "onef"})})
	y = g.node("Mul", l+"gelu", []string{y, g.floats(l+"halff", []float32{0.5})})
	return g.norm(l+"final", g.node("Add", l+"r2", []string{g.dense(l+"outer", y, g.Inner, g.Hidden), x}))
}

func model(shape Shape) (raw, apart []byte) {
	g := &graph{Shape: shape}
	n := g.node("Gather", "n", []string{g.node("Shape", "shape", []string{"input_ids"}), g.ints("one", []int64{1}, 1)}, attributeInt("axis", 0))
	places := g.node("Slice", "places", []string{g.ints("all", sequence(Positions), 1, Positions), g.ints("zero", []int64{0}, 1), n, g.ints("axis1", []int64{1}, 1)})
	x := g.node("Add", "e1", []string{
		g.node("Gather", "words", []string{g.weight("word", int64(len(vocabulary)), g.Hidden), "input_ids"}),
		g.node("Gather", "types", []string{g.weight("type", 2, g.Hidden), "token_type_ids"}),
	})
	table := int64(Positions)
	if g.Later {
		places, table = g.later(), Positions+2
	}
	x = g.node("Add", "e2", []string{x, g.node("Gather", "positions", []string{g.weight("position", table, g.Hidden), places})})
	x = g.norm("embeddings", x)

	inputs := []string{"input_ids", "attention_mask", "token_type_ids"}
	mask := "attention_mask"
	if g.Bare {
		inputs = []string{"input_ids", "token_type_ids"}
		mask = g.node("Expand", "everything", []string{g.ints("there", []int64{1}, 1, 1), "shape"})
	}
	mask = g.node("Unsqueeze", "mask3", []string{mask, g.ints("axes12", []int64{1, 2}, 2)})
	mask = g.node("Cast", "maskf", []string{mask}, attributeInt("to", 1))
	mask = g.node("Sub", "mask1", []string{g.floats("onef", []float32{1}), mask})
	mask = g.node("Mul", "mask", []string{mask, g.floats("low", []float32{-1e9})})
	for i := range g.Layers {
		x = g.layer(fmt.Sprintf("layer%d.", i), x, mask)
	}
	output, edition := g.odd(x)
	g.node("Identity", output, []string{x})

	body := append(text(g.nodes, 2, "bert"), g.weights...)
	for _, name := range inputs {
		body = bytes(body, 11, value(name, 7, "batch", "sequence"))
	}
	body = bytes(body, 12, value(output, 1, "batch", "sequence", int(g.Hidden)))
	if g.Odd == "summed" {
		body = bytes(body, 12, value("sentence_embedding", 1, "batch", int(g.Hidden)))
	}
	opset := number(nil, 2, edition)
	return bytes(bytes(number(nil, 1, 8), 8, opset), 7, body), g.apart
}

// later counts the tokens that are not padding, from behind its number on.
func (g *graph) later() string {
	pad := g.ints("pad", []int64{1})
	here := g.node("Cast", "here", []string{g.node("Not", "no pad", []string{g.node("Equal", "is pad", []string{"input_ids", pad})})}, attributeInt("to", 6))
	count := g.node("Mul", "counted", []string{g.node("CumSum", "count", []string{here, g.ints("along", []int64{1})}), here})
	return g.node("Add", "later", []string{g.node("Cast", "counts", []string{count}, attributeInt("to", 7)), pad})
}

// odd adds to a model what makes it another one, and returns its output's name and its
// opset. Nothing uses the operations.
func (g *graph) odd(x string) (output string, edition uint64) {
	output, edition = "last_hidden_state", 14
	switch g.Odd {
	case "quantized":
		g.node("MatMulInteger", "odd", []string{"input_ids", "input_ids"})
	case "fused":
		g.nodes = bytes(g.nodes, 1, text(text(text(text(nil, 1, x), 2, "odd"), 4, "BiasGelu"), 7, "com.microsoft"))
	case "from the end":
		g.node("Gather", "odd", []string{"shape", g.ints("last", []int64{-1}, 1)})
	case "scaled":
		g.node("Gemm", "odd", []string{x, x}, attributeFloat("alpha", 0.5))
	case "old softmax":
		g.node("Softmax", "odd", []string{x})
		edition = 12
	case "summed":
		g.node("ReduceSum", "sentence_embedding", []string{x, "axis1"})
	case "half":
		g.tensor("odd", 10, []byte{0, 0}, []int64{1})
	case "judge":
		output = "logits"
	}
	return output, edition
}

// value describes an input or output.
func value(name string, kind uint64, dims ...any) []byte {
	var shape []byte
	for _, d := range dims {
		switch d := d.(type) {
		case string:
			shape = bytes(shape, 1, text(nil, 2, d))
		case int:
			shape = bytes(shape, 1, number(nil, 1, uint64(d)))
		}
	}
	tensor := bytes(number(nil, 1, kind), 2, shape)
	return bytes(text(nil, 1, name), 2, bytes(nil, 1, tensor))
}

func attributeInt(name string, v int64) []byte {
	return number(number(text(nil, 1, name), 3, uint64(v)), 20, 2)
}

func attributeFloat(name string, v float32) []byte {
	a := protowire.AppendFixed32(protowire.AppendTag(text(nil, 1, name), 2, protowire.Fixed32Type), math.Float32bits(v))
	return number(a, 20, 1)
}

func attributeInts(name string, v ...int64) []byte {
	a := text(nil, 1, name)
	for _, x := range v {
		a = number(a, 8, uint64(x))
	}
	return number(a, 20, 7)
}

func sequence(n int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func bytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func number(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}
