package openai

import (
	"testing"

	"maru/agent/llm"
)

// TestTokensAreGuessed: a syllable is a token, four Latin letters are, of whatever bytes they are made.
func TestTokensAreGuessed(t *testing.T) { // not parallel: it counts allocations
	for text, want := range map[string]int{"": 0, "abcd": 1, "abcde": 2, "휴가": 2, "휴가 abc": 3, "Größe": 2, "👍🏽": 2, "—": 1, "日本語": 3} {
		if got := guess(text); got != want {
			t.Errorf("guess(%q) = %d, want %d", text, got, want)
		}
	}
	tool := llm.Tool{Name: "find", Description: "휴가를 찾는다", Parameters: []byte(`{"type":"object"}`)}
	if got, want := toolTokens(tool), guess(tool.Name+tool.Description)+guess(string(tool.Parameters)); got != want {
		t.Errorf("a tool has %d tokens, want %d", got, want)
	}
	req := llm.Request{Tools: []llm.Tool{tool, tool}, Messages: []llm.Message{{Content: "and then?"}}}
	if n := testing.AllocsPerRun(10, func() { promptTokens(req) }); n > 0 {
		t.Errorf("counting a prompt allocates %v times", n)
	}
}
