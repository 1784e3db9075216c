package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"maru/agent/llm"
)

const maxBatchBytes = 256 << 10

// maxShorter is how often a text that an endpoint refuses is sent again, half as long.
const maxShorter = 3

// Embedder makes vectors by an endpoint. It is safe for concurrent use.
type Embedder struct {
	cfg    Config
	doer   *doer
	family family
	dim    atomic.Int64 // of all vectors, 0 until the first
}

var _ llm.Embedder = (*Embedder)(nil)

// NewEmbedder returns the embedder that cfg names; it does not call the
// endpoint.
func NewEmbedder(cfg Config) (*Embedder, error) {
	cfg = cfg.withDefaults()
	if strings.TrimSpace(cfg.EmbeddingModel) == "" {
		return nil, errors.New("model endpoint: OPENAI_EMBEDDING_MODEL is not set: name the embedding model to use")
	}
	d, err := cfg.connect()
	if err != nil {
		return nil, err
	}
	e := &Embedder{cfg: cfg, doer: d, family: cfg.prefixes()}
	e.dim.Store(int64(cfg.Dimensions))
	return e, nil
}

// Name implements [llm.Embedder].
func (e *Embedder) Name() string { return e.cfg.VectorName() }

// Endpoint returns the host that is asked.
func (e *Embedder) Endpoint() string { return e.cfg.host() }

// Close lets idle connections go.
func (e *Embedder) Close() { e.doer.http.CloseIdleConnections() }

// Embed implements [llm.Embedder]. Vectors of another length than the first
// ones are an error: the endpoint's model was changed, and an index must not
// mix the two.
//
// A batch that the endpoint refuses is sent again in halves, and a single text that it refuses
// half as long: servers limit the texts of a call (TEI to 32) and the tokens of a text (512),
// each with an error of its own. After a time-out only the next call is smaller: the server is
// still busy with this one.
func (e *Embedder) Embed(ctx context.Context, kind llm.TextKind, texts []string) ([][]float32, error) {
	out, all := make([][]float32, 0, len(texts)), texts
	most, lesson := e.most(), false // a refusal may be of what a batch has, and not of how many: it is a lesson once fewer passed
	for shorter := 0; len(texts) > 0; {
		n, size := 0, 0
		for n < len(texts) && n < most && (n == 0 || size+len(texts[n]) <= maxBatchBytes) {
			size += len(texts[n])
			n++
		}
		vs, err := e.batch(ctx, kind, texts[:n])
		switch {
		case err == nil:
			if lesson && shorter == 0 {
				e.atMost(n)
			}
			if lesson = false; shorter > 0 {
				most = e.most()
			}
			out, texts, shorter = append(out, vs...), texts[n:], 0
		case n > 1 && llm.ClassOf(err) == llm.Timeout:
			e.atMost(n / 2)
			return nil, err
		case !tooMuch(err):
			return nil, err
		case n > 1:
			most, lesson = n/2, llm.ClassOf(err) == llm.BadRequest // else one text is too long
		case shorter == maxShorter || len(texts[0]) < 2:
			return nil, withoutEcho(err, all...)
		default:
			shorter++
			texts = append([]string{half(texts[0])}, texts[1:]...)
		}
	}
	return out, nil
}

// most returns how many texts go into one call.
func (e *Embedder) most() int {
	if learned := e.cfg.Refusals.get(e.origin(), e.cfg.Now()).Batch; learned > 0 {
		return min(learned, e.cfg.Batch)
	}
	return e.cfg.Batch
}

func (e *Embedder) origin() string { return e.cfg.origin(e.cfg.EmbeddingModel) }

// atMost bounds the texts of later calls, as of a [Refusals].
func (e *Embedder) atMost(n int) {
	if n < e.most() {
		_ = e.cfg.Refusals.learn(e.origin(), e.cfg.EmbeddingModel, "large batches of texts", quirks{Batch: n}, e.cfg.Now()) // else it is learned again
	}
}

// tooMuch reports whether an endpoint may take less than what it refused with err.
func tooMuch(err error) bool {
	switch llm.ClassOf(err) {
	case llm.BadRequest, llm.ContextLength:
		return true
	}
	return false
}

// half returns the first half of a text, in whole letters.
func half(s string) string { return strings.ToValidUTF8(s[:len(s)/2], "") }

func (e *Embedder) batch(ctx context.Context, kind llm.TextKind, texts []string) ([][]float32, error) {
	k := &call{}
	ctx, done := e.cfg.begin(ctx, k)
	defer done()
	input := make([]string, len(texts))
	for i, t := range texts {
		t = strings.ReplaceAll(strings.ToValidUTF8(t, "\uFFFD"), "\x00", "")
		input[i] = e.family.prefix(kind) + fallback(t, " ") // an empty text is refused
	}
	req := sdk.EmbeddingRequestStrings{Input: input, Model: sdk.EmbeddingModel(e.cfg.EmbeddingModel)}
	if e.cfg.Dimensions > 0 && strings.HasPrefix(e.cfg.EmbeddingModel, "text-embedding-3") {
		req.Dimensions = e.cfg.Dimensions
	}
	if as := e.family.inputType(kind); as != "" {
		req.ExtraBody = map[string]any{"input_type": as}
	}
	start := time.Now()
	got, err := e.doer.client(k).CreateEmbeddings(ctx, req)
	if err != nil {
		err = withoutEcho(e.doer.explain(ctx, err, k, e.cfg.EmbeddingModel), input...)
		llm.Report(ctx, llm.Call{Purpose: llm.ForEmbedding, Model: e.cfg.EmbeddingModel, Endpoint: e.Endpoint(), Took: time.Since(start), Err: err})
		return nil, err
	}
	llm.Report(ctx, llm.Call{Purpose: llm.ForEmbedding, Model: e.cfg.EmbeddingModel, Endpoint: e.Endpoint(), Usage: embedded(got.Usage, input), Took: time.Since(start)})
	return e.order(got.Data, len(texts))
}

// embedded returns what the endpoint counted, or a guess where it counts nothing.
func embedded(u sdk.Usage, input []string) llm.Usage {
	if u.PromptTokens > 0 {
		return llm.Usage{Input: u.PromptTokens}
	}
	out := llm.Usage{Estimated: true}
	for _, s := range input {
		out.Input += guess(s)
	}
	return out
}

// order puts the vectors into the order of the texts and checks them.
func (e *Embedder) order(data []sdk.Embedding, want int) ([][]float32, error) {
	if len(data) != want {
		return nil, e.wrong(fmt.Sprintf("%d vectors for %d texts", len(data), want))
	}
	out := make([][]float32, want)
	if !slices.ContainsFunc(data, func(d sdk.Embedding) bool { return d.Index != 0 }) {
		data = slices.Clone(data)
		for i := range data { // some servers number nothing, and keep the order
			data[i].Index = i
		}
	}
	for _, d := range data {
		if d.Index < 0 || d.Index >= want || out[d.Index] != nil {
			return nil, e.wrong("vectors with wrong numbers")
		}
		n := int64(len(d.Embedding))
		if n == 0 {
			return nil, e.wrong("an empty vector")
		}
		e.dim.CompareAndSwap(0, n)
		if have := e.dim.Load(); have != n {
			return nil, e.wrong(fmt.Sprintf("a vector of %d dimensions, %d were expected: has the embedding model changed?", n, have))
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

func (e *Embedder) wrong(what string) error {
	return &llm.Error{Class: llm.Garbage, Model: e.cfg.EmbeddingModel, Detail: "the endpoint returned " + what}
}
