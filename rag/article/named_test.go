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
		"제일조부터 제삼조까지":        {"제1조 제2조 제3조", ", ,"},
		"제백오조 제이항 제삼호":       {"제105조제2항제3호", ""},
		"제 이십삼 조의 제일항은?":     {"제23조제1항", "은?"},
		"민법제구조, 제천이백조":       {"제9조 제1200조", "민법 ,"},
		"제일조건은 뭐야?":          {"", "제일조건은 뭐야?"},
		"이 문제 일조에 달린 제사조합?":  {"", "이 문제 일조에 달린 제사조합?"},
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

// TestFindReadsWrittenOutNumbers: a tool is called with them, and a question is searched for by them.
func TestFindReadsWrittenOutNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"제칠조": "제7조", "제십이조 제이항": "제12조제2항", "Article seven": "Article 7"} {
		if got, ok := article.Parse(text); !ok || got.String() != want {
			t.Errorf("%s is %s, %v; want %s", text, got, ok, want)
		}
	}
}
