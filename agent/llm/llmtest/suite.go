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
	for name, promise := range map[string]func(*testing.T, llm.Model){
		"has_a_name":           named,
		"pieces_are_the_whole": pieces,
		"needs_no_listener":    unheard,
		"keeps_the_request":    keeps,
		"ended_context":        ended,
		"side_by_side":         sideBySide,
		"odd_input":            odd,
	} {
		t.Run(name, func(t *testing.T) { promise(t, newModel(t)) })
	}
}

// hi returns a greeting.
func hi() llm.Request {
	return llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{
		{Role: llm.System, Content: "You are a test."}, {Role: llm.User, Content: "안녕, hello"},
	}}
}

func named(t *testing.T, m llm.Model) {
	if m.Name() == "" {
		t.Error("no name")
	}
}

// pieces come whole: what was streamed is what is returned.
func pieces(t *testing.T, m llm.Model) {
	var got strings.Builder
	resp, err := m.Generate(t.Context(), hi(), func(s string) {
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
}

func unheard(t *testing.T, m llm.Model) {
	if _, err := m.Generate(t.Context(), hi(), nil); err != nil {
		t.Error(err)
	}
}

// keeps: a request may be asked again, so it is not changed.
func keeps(t *testing.T, m llm.Model) {
	request := hi()
	before, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), request, nil); err != nil {
		t.Error(err)
	}
	if after, err := json.Marshal(request); err != nil || string(after) != string(before) {
		t.Errorf("the request was changed: %s, %v", after, err)
	}
}

func ended(t *testing.T, m llm.Model) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Generate(ctx, hi(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// sideBySide: a model is shared by all runs.
func sideBySide(t *testing.T, m llm.Model) {
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() {
			_, err := m.Generate(t.Context(), hi(), func(string) {})
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// odd: what people paste ends in a reply, not in an error.
func odd(t *testing.T, m llm.Model) {
	for _, s := range []string{"", "\x00", "\xff\xfe", strings.Repeat("가", 10000), "🙂", "{{.}}", "<|im_end|>"} {
		req := llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.User, Content: s}}}
		if _, err := m.Generate(t.Context(), req, nil); err != nil {
			t.Errorf("%.20q: %v", s, err)
		}
	}
}
