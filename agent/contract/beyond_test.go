package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
)

func TestQuestionBeyondAnArticlesNumberIsSearchedToo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, language, query string }{
		{"제5조 위반 시 어떻게 돼?", "ko", "위반 시 어떻게 돼?"},
		{"제5조를 어기면 계약을 해지할 수 있어?", "ko", "해지할"},
		{"What is the penalty for breach of Article 5?", "en", "penalty for breach"},
		{"제5조 내용 알려줘", "ko", ""},
		{"제5조 2항은 뭐야?", "ko", ""},
		{"What does Article 5 say?", "en", ""},
		{"제5조와 제7조를 비교해줘", "ko", ""},
	} {
		both := c.query != "" && c.language == "ko" // the contract is Korean: English words find nothing more in it
		answer := "그 조는 이래요 [1]."
		if both {
			answer += " 어기면 이래요 [2]."
		}
		d := newDesk(t, llmtest.Script(llmtest.Text(answer)))
		d.add(home, "개발 계약서.txt", leaseKo)
		res := d.ask(c.ask, c.language)
		if both && (len(res.Sources) < 2 || !strings.Contains(res.Sources[0].Heading, "제5조") || strings.Contains(res.Sources[1].Heading, "제5조")) {
			t.Errorf("%s: sources %+v", c.ask, res.Sources)
		}
		tools := strings.Join(d.tools(), "\n")
		if !strings.Contains(tools, "get_article_by_index ") {
			t.Errorf("%s: called %s", c.ask, tools)
		}
		if found := strings.Contains(tools, "hybrid_search "); found != (c.query != "") || !strings.Contains(tools, c.query) {
			t.Errorf("%s: called %s", c.ask, tools)
		}
	}
}
