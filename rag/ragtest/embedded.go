package ragtest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/vec"
)

// OpenEmbedding opens an index, the same one each time in a test, with an embedder under a name.
type OpenEmbedding func(t *testing.T, embed rag.Embed, model string) rag.Index

// RunEmbedded checks what an index says about its vectors ([vec.Covered]).
func RunEmbedded(t *testing.T, open OpenEmbedding) {
	var away atomic.Bool
	away.Store(true)
	errAway := errors.New("the model is away")
	known := Concepts(new(atomic.Int64))
	embed := func(ctx context.Context, texts, scopes []string) ([][]float32, error) {
		if away.Load() {
			return nil, errAway
		}
		return known(ctx, texts, scopes)
	}
	x := open(t, embed, "concepts")
	put(t, x, "public", "leave", "연차는 15일입니다.", "병가는 10일입니다.")
	await(t, x, "of a model that is away", func(e vec.Coverage) bool {
		return e.Have == 0 && e.All == 2 && errors.Is(e.Failed, errAway) && strings.Contains(e.String(), "0 of 2 passages have vectors; last failure: the model is away")
	})
	away.Store(false)
	put(t, x, "public", "parking", "주차장은 지하에 있습니다.")
	await(t, x, "of a model that is back", func(e vec.Coverage) bool {
		search(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}}) // the last question was not embedded either
		return e.Complete() && e.All == 3
	})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	slow := func(ctx context.Context, texts, scopes []string) ([][]float32, error) {
		if scopes == nil {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return known(ctx, texts, scopes)
	}
	s := open(t, slow, "concepts")
	began := time.Now()
	hits := search(t, s, rag.Query{Text: "연차", Scopes: []string{"public"}, Wait: 50 * time.Millisecond})
	if took := time.Since(began); len(hits) == 0 || took > 20*time.Second { // the busiest machine is quicker than a model that never answers
		t.Errorf("a question that waits 50 ms for its vector: %d hits in %v", len(hits), took)
	}
	await(t, s, "of a question that did not wait", func(e vec.Coverage) bool { return e.Failed == nil && e.Have > 0 })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	short := func(ctx context.Context, texts, scopes []string) ([][]float32, error) {
		out, err := known(ctx, texts, scopes)
		for i := range out {
			out[i] = out[i][:dimensions/2]
		}
		return out, err
	}
	y := open(t, short, "concepts")
	search(t, y, rag.Query{Text: "연차", Scopes: []string{"public"}})
	await(t, y, "of a model with other dimensions", func(e vec.Coverage) bool {
		return e.Failed != nil && strings.Contains(e.String(), "changed the length of its vectors; give the new model another name")
	})
}

// await waits until an index says something about its vectors.
func await(t *testing.T, x rag.Index, what string, ok func(vec.Coverage) bool) {
	t.Helper()
	by, known := x.(vec.Covered)
	if !known {
		t.Fatalf("%T cannot tell of its vectors", x)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Minute); ; <-tick.C {
		e, err := by.Embedded(t.Context())
		if err == nil && ok(e) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s, %v", what, e, err)
		}
	}
}
