package openai_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// TestSilentCutIsNoticed: where a server cuts prompts without saying so, the first answer is discarded, later prompts are shortened to
// fit, and the operator is told which setting to change.
func TestSilentCutIsNoticed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		context int
		perWord float64
		before  []int // words of earlier prompts, which fit
		words   int
		stream  bool
		reset   bool
	}{
		"as measured":           {context: 1024, words: 3238},
		"default of Ollama":     {context: 4096, words: 9000},
		"after shorter prompts": {context: 4096, before: []int{300, 900, 2000}, words: 5600},
		"tokens are shorter":    {context: 2048, perWord: 1.6, before: []int{300}, words: 4000},
		"seen by a person":      {context: 1024, words: 3238, stream: true, reset: true},
		"cannot be taken back":  {context: 1024, words: 3238, stream: true},
		"of an unusual size":    {context: 1500, before: []int{4800}, words: 3600},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newContextServer(t, &contextServer{context: tc.context, cuts: true, perWord: tc.perWord})
			var log strings.Builder
			refusals := openai.RefusalsIn(t.TempDir())
			m := contextModel(t, s, func(c *openai.Config) {
				c.Refusals, c.Log = refusals, slog.New(slog.NewTextHandler(&log, nil))
			})
			for _, n := range tc.before {
				if _, err := m.Generate(t.Context(), talk(n), nil); err != nil {
					t.Fatal(err)
				}
			}
			calls := len(s.prompt)
			said, resets := "", 0
			req := talk(tc.words)
			if tc.reset {
				req.Account = &llm.Account{OnReset: func(error) { said = ""; resets++ }}
			}
			var give func(string)
			if tc.stream {
				give = func(piece string) { said += piece }
			}
			resp, err := m.Generate(t.Context(), req, give)
			if err != nil {
				t.Fatal(err)
			}
			mayAgain := !tc.stream || tc.reset
			if mayAgain && (resp.Message.Content != "OK" || len(s.prompt) != calls+2 || tc.stream && (said != "OK" || resets != 1)) {
				t.Errorf("%q after %d calls, shown %q, %d resets", resp.Message.Content, len(s.prompt)-calls, said, resets)
			}
			if mayAgain && resp.Usage.Input <= tc.context {
				t.Errorf("the call that was thrown away is not counted: %+v", resp.Usage)
			}
			if !mayAgain && (said != "what?" || len(s.prompt) != calls+1) {
				t.Errorf("%q after %d calls", said, len(s.prompt)-calls)
			}
			for range 2 {
				calls = len(s.prompt)
				resp, err = m.Generate(t.Context(), talk(tc.words), nil)
				if err != nil || resp.Message.Content != "OK" || len(s.prompt) != calls+1 {
					t.Errorf("later: %q after %d calls, %v", resp.Message.Content, len(s.prompt)-calls, err)
				}
			}
			if !strings.Contains(log.String(), "OLLAMA_CONTEXT_LENGTH") || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("the log says %q", log.String())
			}
			if got := refusals.Withheld("m"); !strings.Contains(got, fmt.Sprint(tc.context)) || !strings.Contains(got, "num_ctx") {
				t.Errorf("doctor says %q", got)
			}
			// Another process knows it as well.
			other := contextModel(t, s, func(c *openai.Config) { c.Refusals = refusals })
			if resp, err := other.Generate(t.Context(), talk(tc.words), nil); err != nil || resp.Message.Content != "OK" {
				t.Errorf("another process: %q, %v", resp.Message.Content, err)
			}
		})
	}
}

// TestNoCutIsImagined: counts that differ from ours for other reasons leave prompts as they are.
func TestNoCutIsImagined(t *testing.T) {
	t.Parallel()
	korean := func(n int) llm.Request {
		return llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{
			{Role: llm.System, Content: "RULES: answer with OK"}, {Role: llm.User, Content: strings.Repeat("회사의 연차휴가 규정은 ", n)}, {Role: llm.Assistant, Content: "네"}, {Role: llm.User, Content: "자세히"},
		}}
	}
	for name, tc := range map[string]struct {
		perWord float64
		cached  bool
		prompts []llm.Request
	}{
		"longer tokens than ours":     {perWord: 0.7, prompts: []llm.Request{talk(300), talk(3000), talk(6000), talk(9000)}},
		"shorter ones":                {perWord: 2.2, prompts: []llm.Request{talk(300), talk(3000), talk(9000)}},
		"another script":              {perWord: 2.4, prompts: []llm.Request{talk(2000), korean(400), korean(1500), talk(2000)}},
		"Hangul of few tokens":        {perWord: 1, prompts: []llm.Request{talk(300), korean(1000), korean(2000), korean(3000), talk(3000)}},
		"words counted as tokens":     {perWord: 0.6, prompts: []llm.Request{talk(700), talk(900), korean(300), korean(500), talk(800)}},
		"what is cached is left out":  {cached: true, prompts: []llm.Request{talk(3000), talk(3000), talk(4000), talk(6000)}},
		"of a prompt that was cached": {cached: true, prompts: []llm.Request{talk(300), talk(6000), talk(6000), talk(7000)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newContextServer(t, &contextServer{perWord: tc.perWord, cached: tc.cached})
			refusals := openai.RefusalsIn("")
			m := contextModel(t, s, func(c *openai.Config) { c.Refusals = refusals })
			for range 3 {
				for _, req := range tc.prompts {
					if _, err := m.Generate(t.Context(), req, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := refusals.Learned(time.Now()); len(got) > 0 {
				t.Errorf("imagined %+v", got)
			}
			if extra := len(s.prompt) - 3*len(tc.prompts); extra > 2 {
				t.Errorf("%d calls in vain", extra)
			}
			last := tc.prompts[len(tc.prompts)-1]
			want := 0
			for _, msg := range last.Messages {
				want += len(strings.Fields(msg.Content))
			}
			if got := len(strings.Fields(s.prompt[len(s.prompt)-1])); got != want {
				t.Errorf("the last prompt has %d words of %d", got, want)
			}
		})
	}
}
