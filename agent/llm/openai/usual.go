package openai

import (
	"github.com/go-json-experiment/json"
	sdk "github.com/sashabaranov/go-openai"
)

// usualChunk is a chunk of a stream as OpenAI, vLLM, Ollama and llama.cpp send nearly all: text, the
// end of it, or its usage. Members of the type struct{} must be null or empty.
type usualChunk struct {
	ID          string      `json:"id"`
	Object      string      `json:"object"`
	Created     int64       `json:"created"`
	Model       string      `json:"model"`
	Fingerprint string      `json:"system_fingerprint"`
	Tier        string      `json:"service_tier"`
	Padding     string      `json:"obfuscation"`
	Usage       *usualUsage `json:"usage"`
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

type usualUsage struct {
	Prompt     *uint32 `json:"prompt_tokens"`
	Completion *uint32 `json:"completion_tokens"`
	Total      *uint32 `json:"total_tokens"`
	Read       *struct {
		Cached uint32 `json:"cached_tokens"`
		Audio  uint32 `json:"audio_tokens"`
	} `json:"prompt_tokens_details"`
	Written *struct {
		Reasoning uint32 `json:"reasoning_tokens"`
		Audio     uint32 `json:"audio_tokens"`
		Accepted  uint32 `json:"accepted_prediction_tokens"`
		Rejected  uint32 `json:"rejected_prediction_tokens"`
	} `json:"completion_tokens_details"`
}

// counts returns a usage as [usageOf] reads it.
func (u *usualUsage) counts() *sdk.Usage {
	if u == nil || *u == (usualUsage{}) {
		return nil
	}
	count := func(n *uint32) int {
		if n == nil {
			return 0
		}
		return int(*n)
	}
	out := &sdk.Usage{PromptTokens: count(u.Prompt), CompletionTokens: count(u.Completion), TotalTokens: count(u.Total)}
	if u.Read != nil && u.Read.Cached > 0 {
		out.PromptTokensDetails = &sdk.PromptTokensDetails{CachedTokens: int(u.Read.Cached)}
	}
	return out
}

// usual reads a chunk that has no member but those of [usualChunk]; at all others [doer.plain] must look. The one decoding
// replaces five.
func usual(data []byte) (out sdk.ChatCompletionStreamResponse, ok bool) {
	var c usualChunk
	if json.Unmarshal(data, &c, json.RejectUnknownMembers(true)) != nil || len(c.Choices) > 1 || c.Object != "chat.completion.chunk" {
		return out, false
	}
	out.ID, out.Model, out.Usage = c.ID, c.Model, c.Usage.counts()
	if len(c.Choices) == 0 {
		return out, out.Usage != nil
	}
	said := c.Choices[0]
	switch said.Finish {
	case "", "stop", "length":
	default:
		return out, false
	}
	out.Choices = []sdk.ChatCompletionStreamChoice{{
		Index: said.Index, Delta: sdk.ChatCompletionStreamChoiceDelta{Content: said.Delta.Content}, FinishReason: sdk.FinishReason(said.Finish),
	}}
	return out, true
}
