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

// TestOtherLanguage has plans of steps that name things of another language, and plans in another.
func TestOtherLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, wrote string
		other           bool
	}{
		{"ko", "Find the cause and report it", true}, {"ko", "GitHub Actions 기록 읽기", false}, {"ko", "Read https://example.com/회의", true}, {"ko-KR", "Read it", true},
		{"en", "장애 원인 찾기", true}, {"en", "WX-41 티켓 읽기", true}, {"en", "Post 안녕하세요 in #general", false}, {"en", "Read 출장규정", false},
		{"ko", "WX-41, 12345", false}, {"ko", "", false}, {"", "Read it", false}, {"", "읽기", false}, {"sw", "읽기", false}, {"sw", "Soma", false},
	} {
		if got := node.OtherLanguage(c.language, c.wrote); (len(got) > 0) != c.other {
			t.Errorf("%s: %q: %q", c.language, c.wrote, got)
		}
	}
}
