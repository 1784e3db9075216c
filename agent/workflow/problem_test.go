package workflow_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"maru/agent/workflow"
)

// TestProblemsInKorean: what is wrong and what to do are in the reader's language, beside the place.
func TestProblemsInKorean(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no_json":         `{"id": "a",`,
		"nothing":         ` `,
		"another_program": `{"name":"x","nodes":[{"type":"n8n-nodes-base.webhook","typeVersion":1}],"connections":{}}`,
		"unknown_members": `{"id":"a","name":"a","version":"1","nodez":[],"x":1,"nodes":[{"id":1,"node_type":"start"},{"id":"b","prompt":"x"}],"edges":{}}`,
	} {
		_, err := workflow.Parse([]byte(text))
		var found workflow.Problems
		if !errors.As(err, &found) {
			t.Fatalf("%s: %v", name, err)
		}
		for _, p := range found {
			message, hint := p.Said("ko")
			for _, said := range []string{message, hint} {
				if !strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
					t.Errorf("%s: %q is not Korean", name, said)
				}
			}
			if english := p.In("en"); english != p.String() || !strings.Contains(english, p.Message) {
				t.Errorf("%s: in English %q, %q", name, english, p.Message)
			}
			if p.Line > 0 && !strings.Contains(p.In("ko"), "번째 줄") {
				t.Errorf("%s: %q lacks its line", name, p.In("ko"))
			}
		}
		if name == "another_program" && len(found) != 1 {
			t.Errorf("%d problems: %v", len(found), found)
		}
	}
}
