package queue_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/queue"
)

// vectors is the embedder of a server.
type vectors struct {
	*server
	err error
}

func (v vectors) Embed(ctx context.Context, kind llm.TextKind, texts []string) ([][]float32, error) {
	name := fmt.Sprintf("%s×%d", kind, len(texts))
	_, err := v.Generate(ctx, llm.Request{Messages: []llm.Message{{Content: name}}}, nil)
	if v.err != nil {
		err = v.err
	}
	return make([][]float32, len(texts)), err
}

// TestEmbeddingsShareTheEndpoint: documents are embedded in turns of 16 texts between which answers go first, and the
// vector of a question waits 300 ms for its turn and is sent then.
func TestEmbeddingsShareTheEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(2, time.Second, time.Second) // two slots: vectors beside a reply
		e := queue.New(queue.Config{Limit: 1})
		m, v := e.Model(s), e.Embedder(vectors{server: s})
		var all sync.WaitGroup
		all.Go(func() {
			if out, err := v.Embed(t.Context(), llm.PassageText, make([]string, 40)); err != nil || len(out) != 40 {
				t.Errorf("%d vectors, %v", len(out), err)
			}
		})
		synctest.Wait()
		for _, text := range []string{"answer 1", "answer 2"} {
			all.Go(func() { _, _ = m.Generate(t.Context(), call(text), nil) })
			synctest.Wait()
		}
		start := time.Now()
		all.Go(func() {
			out, err := v.Embed(t.Context(), llm.QuestionText, []string{"q"})
			if took := time.Since(start); err != nil || len(out) != 1 || took != queue.QuestionWait+2*time.Second {
				t.Errorf("a question's vector took %v: %v", took, err)
			}
		})
		all.Wait()
		passage, question := string(llm.PassageText), string(llm.QuestionText)
		want := passage + "×16, " + question + "×1, answer 1, answer 2, " + passage + "×16, " + passage + "×8"
		if got := strings.Join(s.sent, ", "); got != want {
			t.Errorf("sent %s\nwant %s", got, want)
		}
		if st := e.State(); st.InFlight+st.Waiting > 0 {
			t.Errorf("left %+v", st)
		}
	})
}

// TestVectorsTeachOnlyLoad: slow batches do not lower the limit of replies, a refusal for load does.
func TestVectorsTeachOnlyLoad(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want int
	}{"slow": {nil, 8}, "refused": {&llm.Error{Class: llm.RateLimited, Status: 429}, 4}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := queue.New(queue.Config{URL: "https://api.example.com/v1"})
				v := e.Embedder(vectors{newServer(100, 50*time.Second, 0), c.err})
				var all sync.WaitGroup
				for range 8 {
					all.Go(func() { _, _ = v.Embed(t.Context(), llm.PassageText, []string{"a"}) })
				}
				all.Wait()
				if got := e.State().Limit; got != c.want {
					t.Errorf("the limit is %d, want %d", got, c.want)
				}
			})
		})
	}
}
