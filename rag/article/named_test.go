package article_test

import (
	"strings"
	"testing"

	"maru/rag/article"
)

// TestNamed: what people write for parts of a contract, in lists, ranges and words.
func TestNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ parts, besides string }{
		"제3조부터 제5조까지 알려줘":    {"제3조 제4조 제5조", ", , 알려줘"},
		"제10의2조":             {"제10조의2", ""},
		"제삼조와 제이십일조는?":       {"제3조 제21조", "와 는?"},
		"제십조의2 제1항":          {"제10조의2제1항", ""},
		"제일 조용한 방은?":         {"", "제일 조용한 방은?"},
		"부칙은 뭐야?":            {"부칙", "은 뭐야?"},
		"articles 2 and 6":   {"Article 2 Article 6", ","},
		"What is Article V?": {"Article 5", "What is ?"},
		"Article five(2)":    {"Article 5(2)", ""},
		"Art. 5 and § 6":     {"Article 5 Section 6", "and"},
		"clause 2.2":         {"Section 2.2", ""},
		"Article 5 of May":   {"Article 5", "of May"},
	} {
		parts, besides := article.Named(text)
		var names []string
		for _, p := range parts {
			names = append(names, p.String())
		}
		if got := strings.Join(names, " "); got != want.parts || strings.Join(strings.Fields(besides), " ") != want.besides {
			t.Errorf("%q names %q and says %q besides; want %q, %q", text, got, besides, want.parts, want.besides)
		}
	}
}
