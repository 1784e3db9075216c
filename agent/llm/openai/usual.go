package openai

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// usual appends a chunk as go-openai reads it to out, if it has no member but those of [usualChunk]; else
// [doer.plain] must look at it. The one decoding replaces five.
func usual(out, data []byte) ([]byte, bool) {
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
	line := append(out, `data: {"id":`...)
	var err error
	quote := func(s string) {
		if err == nil {
			line, err = jsontext.AppendQuote(line, s)
		}
	}
	quote(c.ID)
	line = append(line, `,"model":`...)
	quote(c.Model)
	line = append(line, `,"choices":[{"index":`...)
	line = strconv.AppendInt(line, int64(said.Index), 10)
	line = append(line, `,"delta":{"content":`...)
	quote(said.Delta.Content)
	line = append(line, `},"finish_reason":`...)
	quote(said.Finish)
	if err != nil {
		return out, false
	}
	return append(line, "}]}\n"...), true
}
