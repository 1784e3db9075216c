package openai

import (
	"github.com/go-json-experiment/json"
	sdk "github.com/sashabaranov/go-openai"
)

// usualChunk is a chunk of a stream as OpenAI, vLLM, Ollama and llama.cpp send nearly all: text, or the
// end of it. Members of the type struct{} must be null or empty.
type usualChunk struct {
	ID          string    `json:"id"`
	Object      string    `json:"object"`
	Created     int64     `json:"created"`
	Model       string    `json:"model"`
	Fingerprint string    `json:"system_fingerprint"`
	Tier        string    `json:"service_tier"`
	Padding     string    `json:"obfuscation"`
	Usage       *struct{} `json:"usage"`
	Choices     []struct {
		Index int `json:"index"`
		Delta struct {
			Role    string    `json:"role"`
			Content string    `json:"content"`
			Refusal *struct{} `json:"refusal"`
		} `json:"delta"`
		Logprobs *struct{} `json:"logprobs"`
		Finish   string    `json:"finish_reason"`
	} `json:"choices"`
}

// usual reads a chunk that has no member but those of [usualChunk]; at all others [doer.plain] must look. The one decoding
// replaces five.
func usual(data []byte) (out sdk.ChatCompletionStreamResponse, ok bool) {
	var c usualChunk
	if json.Unmarshal(data, &c, json.RejectUnknownMembers(true)) != nil || len(c.Choices) != 1 || c.Object != "chat.completion.chunk" {
		return out, false
	}
	said := c.Choices[0]
	switch said.Finish {
	case "", "stop", "length":
	default:
		return out, false
	}
	out.ID, out.Model = c.ID, c.Model
	out.Choices = []sdk.ChatCompletionStreamChoice{{
		Index: said.Index, Delta: sdk.ChatCompletionStreamChoiceDelta{Content: said.Delta.Content}, FinishReason: sdk.FinishReason(said.Finish),
	}}
	return out, true
}
