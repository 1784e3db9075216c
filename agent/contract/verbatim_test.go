package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

// TestArticlesByNumberAreQuoted whatever a model says of them: it may add, and what it denies
// of an article that is there is dropped.
func TestArticlesByNumberAreQuoted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, language, model, quote, keeps, drops string }{
		{"제5조 내용이 뭐야?", "ko", "이 계약서에는 제5 조라는 내용을 포함하고 있지 않습니다 [1].", "3,000만 원", "", "포함하고"},
		{"제5조 내용이 뭐야?", "ko", "제5조는 존재하지 않습니다. 부가세는 별도라는 뜻이에요 [1].", "3,000만 원", "별도라는 뜻", "존재하지"},
		{"5조 2항은 뭐야?", "ko", "해당 조항을 계약서에서 찾을 수 없어요.", "선금 50퍼센트", "", "찾을 수"},
		{"What does clause 7 say?", "en", "There is no article 7 in this contract.", "5년", "", "There is no"},
		{"What does clause 7 say?", "en", "Clause 7 is not included in the contract [1]. In short: keep secrets for five years [1].", "5년", "keep secrets", "not included"},
		{"What does Article 7 say?", "en", "The contract does not contain such a clause.", "5년", "", "does not contain"},
		{"제7조 보여줘", "ko", "-", "위약벌", "", "\n-"},
		{"제7조 보여줘", "ko", "해지에 관한 제9조를 함께 보세요 [1]. 제12조는 이 계약서에 없어요.", "위약벌", "제12조는 이 계약서에 없어요", ""},
	} {
		d := newDesk(t, llmtest.Script(llmtest.Text(c.model)))
		d.add(home, "개발 계약서.txt", leaseKo)
		res := d.ask(c.ask, c.language)
		if !strings.Contains(res.Text, c.quote) || len(res.Sources) != 1 {
			t.Errorf("%s: not quoted, or without its source %+v:\n%s", c.ask, res.Sources, res.Text)
		}
		if !strings.Contains(res.Text, c.keeps) || c.drops != "" && strings.Contains(res.Text, c.drops) {
			t.Errorf("%s: of %q became:\n%s", c.ask, c.model, res.Text)
		}
	}
}

// TestAnArticleIsQuotedOnce: without a language model nothing is below the quoted article but its source.
func TestAnArticleIsQuotedOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("제7조 알려줘", "ko")
	if !strings.HasPrefix(res.Text, "**") || strings.Count(res.Text, "위약벌") != 1 || strings.Contains(res.Text, "문서에는") || strings.Contains(res.Text, "옮겼어요") {
		t.Errorf("answered %s", res.Text)
	}
}

// TestOtherQuestionsAreTheModels: a question that asks more of an article than its words is answered by the model.
func TestOtherQuestionsAreTheModels(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(evaluation(true, ""), llmtest.Text("선금은 1,500만 원이에요 [1].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	if res := d.ask("제5조에 따르면 선금으로 얼마를 받을 수 있어?", "ko"); res.Text != "선금은 1,500만 원이에요 [1]." {
		t.Errorf("answered %s", res.Text)
	}
}
