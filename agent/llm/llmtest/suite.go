package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"maru/agent/llm"
)

// Suite is what every [llm.Model] promises: newModel returns one that answers a
// greeting in words. It does not look at what the words are.
func Suite(t *testing.T, newModel func(t *testing.T) llm.Model) {
	t.Helper()
	hi := llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{
		{Role: llm.System, Content: "You are a test."}, {Role: llm.User, Content: "안녕, hello"},
	}}
	t.Run("has_a_name", func(t *testing.T) {
		if newModel(t).Name() == "" {
			t.Error("no name")
		}
	})
	t.Run("pieces_are_the_whole", func(t *testing.T) {
		var got strings.Builder
		resp, err := newModel(t).Generate(t.Context(), hi, func(s string) {
			if s == "" {
				t.Error("an empty piece")
			}
			got.WriteString(s)
		})
		if err != nil || resp.Message.Content == "" || got.String() != resp.Message.Content {
			t.Errorf("streamed %q, returned %q, %v", got.String(), resp.Message.Content, err)
		}
		if resp.Message.Role != llm.Assistant || resp.Finish != "stop" || resp.Model == "" {
			t.Errorf("role %q, finish %q, model %q", resp.Message.Role, resp.Finish, resp.Model)
		}
	})
	t.Run("needs_no_listener", func(t *testing.T) {
		if _, err := newModel(t).Generate(t.Context(), hi, nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("keeps_the_request", func(t *testing.T) {
		before, err := json.Marshal(hi)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newModel(t).Generate(t.Context(), hi, nil); err != nil {
			t.Error(err)
		}
		if after, err := json.Marshal(hi); err != nil || string(after) != string(before) {
			t.Errorf("the request was changed: %s, %v", after, err)
		}
	})
	t.Run("ended_context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := newModel(t).Generate(ctx, hi, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("side_by_side", func(t *testing.T) {
		m := newModel(t)
		errs := make(chan error, 8)
		for range cap(errs) {
			go func() {
				_, err := m.Generate(t.Context(), hi, func(string) {})
				errs <- err
			}()
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("odd_input", func(t *testing.T) {
		for _, s := range []string{"", "\x00", "\xff\xfe", strings.Repeat("가", 10000), "🙂", "{{.}}", "<|im_end|>"} {
			req := llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.User, Content: s}}}
			if _, err := newModel(t).Generate(t.Context(), req, nil); err != nil {
				t.Errorf("%.20q: %v", s, err)
			}
		}
	})
}
