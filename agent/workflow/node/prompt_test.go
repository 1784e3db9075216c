package node_test

import (
	"testing"

	"maru/agent/workflow/node"
	"maru/rag"
)

func TestHeadingOfASourceDoesNotRepeatTheTitle(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		title string
		path  []string
		want  string
	}{
		"title_is_the_first_heading": {"Leave", []string{"Leave", "Carrying over"}, "Carrying over"},
		"title_is_the_only_heading":  {"Leave", []string{"Leave"}, ""},
		"another_heading":            {"Leave", []string{"Days", "Leave"}, "Days › Leave"},
		"no_heading":                 {"Leave", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := node.Sources([]rag.Hit{{
				Chunk: rag.Chunk{ID: "c", Heading: tt.path}, Document: rag.Document{Title: tt.title},
			}})
			if got[0].Title != tt.title || got[0].Heading != tt.want {
				t.Errorf("source is %q, %q; want heading %q", got[0].Title, got[0].Heading, tt.want)
			}
		})
	}
}
