package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

// TestNextArticleIsTheOneBehindTheLast: the order of the contract tells which
// article follows, not what a model writes.
func TestNextArticleIsTheOneBehindTheLast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, language, then, want string }{
		{"제5조 알려줘", "ko", "그럼 그 다음 조는?", "제7조"},
		{"제5조 알려줘", "ko", "다음 조항도 보여줘", "제7조"},
		{"제7조 알려줘", "ko", "바로 앞 조는?", "제5조"},
		{"What does Article 5 say?", "en", "And the next one?", "제7조"},
		{"What does Article 5 say?", "en", "the previous article?", "제2조"},
	} {
		d := newDesk(t, llmtest.Script(llmtest.Text("[1]")))
		d.add(home, "개발 계약서.txt", leaseKo)
		d.ask(c.first, c.language)
		m := llmtest.Script(leaning(true, "제1조는 무엇인가요?"), llmtest.Text("[1]")) // rewritten wrongly
		d.use(m)
		res := d.ask(c.then, c.language)
		if len(res.Found) != 1 || !strings.HasPrefix(res.Found[0].Heading, c.want+"(") {
			t.Errorf("%s %s: called %v", c.first, c.then, d.tools())
		}
		asked := m.Requests()[len(m.Requests())-1]
		if last := asked.Messages[len(asked.Messages)-1].Content; !strings.Contains(last, c.want) {
			t.Errorf("%s %s: whoever answers is asked %q, which does not name the article", c.first, c.then, last)
		}
		m.AssertDone(t)
	}
}

// TestNothingFollowsTheLastArticle: then the model plans.
func TestNothingFollowsTheLastArticle(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("[1]")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("제9조 알려줘", "ko")
	m := llmtest.Script(leaning(true, "제9조 다음에는 무엇이 있나요?"), llmtest.Text("제9조가 마지막이에요 [1]."))
	d.use(m)
	if res := d.ask("그 다음 조는?", "ko"); !strings.Contains(res.Text, "마지막") {
		t.Errorf("called %v: %s", d.tools(), res.Text)
	}
}

// TestNextArticleOfTheStandardContract: who has no contract here reads on in the standard one.
func TestNextArticleOfTheStandardContract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, first, then, want string }{
		{"ko", "제10조 알려줘", "그럼 다음 조는?", "오픈소스"},
		{"ko", "제11조 알려줘", "바로 앞 조는?", "오픈소스"},
		{"en", "Article 10", "and the next one?", "open-source software"},
		{"ko", "제11조 알려줘", "아까 그 조항 다시 보여줘", "3년 동안 남는다"},
		{"en", "Article 11", "show me that clause again", "three years"},
	} {
		d := newDesk(t, extractive.New())
		d.ask(c.first, c.language)
		if got := d.ask(c.then, c.language).Text; !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q", c.first, c.then, got)
		}
	}
}
