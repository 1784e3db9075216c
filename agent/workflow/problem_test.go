package workflow_test

import (
	"errors"
	"slices"
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

// TestProblemsNameTheirNode: people look for a node by its id, not by its number.
func TestProblemsNameTheirNode(t *testing.T) {
	t.Parallel()
	text := "{\"id\":\"a\",\"name\":\"a\",\"version\":\"1\",\"nodes\":[\n{\"id\":\"begin\",\"node_type\":\"start\"},\n{\"id\":\"search\",\"node_type\":\"nosuch\"}],\"edges\":[]}"
	_, err := workflow.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, schema := shaky()
	found := workflow.CheckFile("a.json", []byte(text), r, schema, nil)
	i := slices.IndexFunc(found, func(p workflow.Problem) bool { return strings.HasPrefix(p.Pointer, "/nodes/1") })
	if i < 0 {
		t.Fatalf("%v", found)
	}
	for language, want := range map[string]string{"en": "node “search” (/nodes/1", "ko": "노드 “search” (/nodes/1"} {
		if got := found[i].In(language); !strings.HasPrefix(got, want) || found[i].Line != 3 {
			t.Errorf("%q at line %d, want %q", got, found[i].Line, want)
		}
	}
}
