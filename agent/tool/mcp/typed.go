package mcp

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// resultText returns what a model reads of a result: its text, and its typed values unless the text is the same as JSON. The values are
// unchecked, but so is the text; both are marked as the server's words.
func resultText(lines []string, content []mcp.Content, values any) string {
	text := strings.Join(lines, "\n")
	raw, err := json.Marshal(values)
	if err != nil || values == nil || repeatsValues(content, values) {
		return text
	}
	return strings.TrimPrefix(text+"\n"+string(raw), "\n")
}

// repeatsValues reports whether the texts of a result are its values: all of them, their only member ("result" of FastMCP), or
// one text for each entry of a list there.
func repeatsValues(content []mcp.Content, values any) bool {
	var texts []string
	for _, part := range content {
		if t, ok := part.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	only := values
	if members, ok := values.(map[string]any); ok && len(members) == 1 {
		for _, only = range members {
		}
	}
	if len(texts) == 1 && (isValue(texts[0], values) || isValue(texts[0], only)) {
		return true
	}
	list, ok := only.([]any)
	if !ok || len(texts) == 0 || len(list) != len(texts) {
		return false
	}
	for i, text := range texts {
		if !isValue(text, list[i]) {
			return false
		}
	}
	return true
}

// isValue reports whether a text is a value: a text itself, or JSON.
func isValue(text string, value any) bool {
	if said, ok := value.(string); ok && strings.TrimSpace(said) == strings.TrimSpace(text) {
		return true
	}
	var read any
	return json.Unmarshal([]byte(text), &read) == nil && reflect.DeepEqual(read, value)
}
