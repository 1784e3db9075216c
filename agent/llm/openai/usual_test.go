package openai

import (
	"encoding/json"
	"reflect"
	"testing"

	sdk "github.com/sashabaranov/go-openai"
)

// TestUsualChunksReadAsAllOthers compares the short way of a chunk with the long one, by the chunks of go-openai.
func TestUsualChunksReadAsAllOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chunk string
		usual bool
	}{
		"text":          {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"안녕 \"x\"\n\\ 🙂"}}]}`, true},
		"openai":        {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","service_tier":"default","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"a"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"xx"}`, true},
		"end":           {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, true},
		"cut":           {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":null},"finish_reason":"length"}]}`, true},
		"other_end":     {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"eos"}]}`, false},
		"usage":         {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":9}}`, true},
		"usage_openai":  {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":3,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}`, true},
		"usage_zero":    {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":0}}`, true},
		"usage_empty":   {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"a"}}],"usage":{}}`, true},
		"usage_odd":     {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":9.0,"prompt_cache_hit_tokens":4}}`, false},
		"no_choice":     {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}`, false},
		"usage_in_last": {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`, true},
		"calls":         {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`, false},
		"reasoning":     {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"","reasoning_content":"hm"}}]}`, false},
		"refusal":       {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":null,"refusal":"no"}}]}`, false},
		"parts":         {`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":[{"type":"text","text":"a"}]}}]}`, false},
		"number_as_id":  {`{"id":1,"object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"a"}}]}`, false},
		"error":         {`{"error":{"message":"overloaded"}}`, false},
		"no_json":       {`hello`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := usual([]byte(c.chunk))
			if ok != c.usual {
				t.Fatalf("usual is %v: %+v", ok, got)
			}
			if !ok {
				return
			}
			long, err := (&doer{}).plain([]byte(c.chunk))
			if err != nil {
				t.Fatal(err)
			}
			want := chunkOf(t, string(long))
			if got.ID != want.ID || got.Model != want.Model || len(got.Choices) != len(want.Choices) || !reflect.DeepEqual(got.Usage, want.Usage) {
				t.Fatalf("it is\n%+v, and by the long way\n%+v", got, want)
			}
			if len(want.Choices) == 1 && (got.Choices[0].Delta.Content != want.Choices[0].Delta.Content || got.Choices[0].FinishReason != want.Choices[0].FinishReason) {
				t.Errorf("it is\n%+v, and by the long way\n%+v", got, want)
			}
		})
	}
}

func chunkOf(t *testing.T, line string) (out sdk.ChatCompletionStreamResponse) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &out); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return out
}

func BenchmarkChunk(b *testing.B) {
	chunk := []byte(`{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"hello"}}]}`)
	b.Run("usual", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := usual(chunk); !ok {
				b.Fatal("not usual")
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := (&doer{}).plain(chunk); err != nil {
				b.Fatal(err)
			}
		}
	})
}
