package llm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"maru/agent/llm"
)

// counted is an embedder that knows what it was asked, and fails while it is told to.
type counted struct {
	name string
	fail error
	asks [][]string
}

func (c *counted) Name() string { return c.name }

func (c *counted) Embed(_ context.Context, _ llm.TextKind, texts []string) ([][]float32, error) {
	c.asks = append(c.asks, texts)
	if c.fail != nil {
		return make([][]float32, len(texts)), c.fail // as of a service that answers in part
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = []float32{float32(len(t)), float32(len(c.name))}
	}
	return out, nil
}

func TestAQuestionIsEmbeddedOnce(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	cache := llm.NewVectorCache(time.Minute, func() time.Time { return now })
	small, large := &counted{name: "small"}, &counted{name: "large-model"}
	s, l := cache.Before(small), cache.Before(large)
	one := func(e llm.Embedder, text string, want float32) {
		t.Helper()
		if v, err := e.Embed(t.Context(), llm.QuestionText, []string{text}); err != nil || len(v) != 1 || v[0][0] != float32(len(text)) || v[0][1] != want {
			t.Errorf("%s of %q: %v, %v", e.Name(), text, v, err)
		}
	}
	one(s, "연차는?", 5)
	one(s, "연차는?", 5)
	one(l, "연차는?", 11) // another model's vector is another one
	one(s, "연차는", 5)
	if len(small.asks) != 2 || len(large.asks) != 1 {
		t.Errorf("asked %v and %v", small.asks, large.asks)
	}
	for range 2 {
		if v, err := s.Embed(t.Context(), llm.QuestionText, []string{"연차는?", "a document"}); err != nil || len(v) != 2 {
			t.Errorf("documents: %v, %v", v, err)
		}
	}
	if len(small.asks) != 4 {
		t.Errorf("documents were asked for %d times", len(small.asks)-2)
	}
	now = now.Add(time.Minute)
	one(s, "연차는?", 5)
	if len(small.asks) != 5 {
		t.Errorf("a vector of a minute ago is still there: %v", small.asks)
	}
}

func TestAFailedEmbeddingIsNotKept(t *testing.T) {
	t.Parallel()
	e := &counted{name: "m", fail: errors.New("away")}
	s := llm.NewVectorCache(time.Minute, time.Now).Before(e)
	if _, err := s.Embed(t.Context(), llm.QuestionText, []string{"hello"}); !errors.Is(err, e.fail) {
		t.Errorf("told %v", err)
	}
	e.fail = nil
	if v, err := s.Embed(t.Context(), llm.QuestionText, []string{"hello"}); err != nil || len(v) != 1 || len(v[0]) == 0 || len(e.asks) != 2 {
		t.Errorf("asked %d times: %v, %v", len(e.asks), v, err)
	}
}
