package tool

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestPatternsOfStrangers: patterns in the schema of an MCP server's tool are matched in linear time, and one that would
// be too large is an error. With backtracking this test would not end.
func TestPatternsOfStrangers(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 20_000) + "!"
	for _, p := range []string{`^(a+)+$`, `^(a|aa)*$`, `^(a*)*b`, `^([a-z]+)*[0-9]$`, `(.*a){20}b`, `^(a?){500}a{500}b$`} {
		raw, err := json.Marshal(map[string]any{
			"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string", "pattern": p}},
			"patternProperties": map[string]any{p: map[string]any{"type": "integer"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := compile(raw)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if faults := s.check(map[string]any{"x": text}); len(faults) != 1 {
			t.Errorf("%s: %v", p, faults)
		}
		if faults := s.check(map[string]any{text: "no number"}); len(faults) != 0 {
			t.Errorf("%s as a name: %v", p, faults)
		}
	}
	for _, p := range []string{`a{1001}`, `((a{1000}){1000}){1000}`, `(?=a)a`, `(a)\1`, `(`, strings.Repeat("(", 2000) + strings.Repeat(")", 2000)} {
		raw, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"pattern": p}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compile(raw); err == nil {
			t.Errorf("%.30s is taken", p)
		}
	}
}
