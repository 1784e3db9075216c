package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

func TestArticleNumberGoesStraightToItsArticle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, language, label, says string }{
		{"제5조 알려줘", "ko", "제5조(대금)", "3,000만 원"},
		{"5조 2항은 뭐야?", "ko", "제5조(대금)", "선금 50퍼센트"},
		{"What does Article 7 say?", "en", "제7조(비밀유지)", "5년"},
	} {
		m := llmtest.Script(llmtest.Text("그 조는 이래요 [1]."))
		d := newDesk(t, m)
		d.add(home, "개발 계약서.txt", leaseKo)
		res := d.ask(c.ask, c.language)
		if d.path() != straight || len(d.tools()) != 1 || !strings.HasPrefix(d.tools()[0], "get_article_by_index ") {
			t.Errorf("%s: went %s, called %v", c.ask, d.path(), d.tools())
		}
		if len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Quote, c.says) || !strings.Contains(res.Sources[0].Heading, c.label) || res.Sources[0].Chunk == "" {
			t.Errorf("%s: sources %+v", c.ask, res.Sources)
		}
		if res.Usage.Calls != 1 {
			t.Errorf("%s: %d model calls", c.ask, res.Usage.Calls)
		}
		if c.ask == "5조 2항은 뭐야?" && strings.Contains(res.Sources[0].Quote, "3,000만") {
			t.Errorf("the paragraph is %q", res.Sources[0].Quote)
		}
		for _, name := range []string{"planning", "tool_selected", "evaluation_result", "generating"} {
			if len(d.custom(name)) == 0 {
				t.Errorf("no event %s", name)
			}
		}
		m.AssertDone(t)
	}
}

func TestModelPlansSeveralToolsAtOnce(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(
		scope(true),
		llmtest.CallTool("hybrid_search", `{"query":"선금"}`).And("get_article_by_title", `{"title":"해지"}`),
		evaluation(true, ""),
		llmtest.Text("선금은 50퍼센트예요 [1]."),
	)
	d := newDesk(t, m)
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("돈은 언제 얼마나 먼저 받을 수 있어?", "ko")
	if d.path() != side || len(res.Sources) != 1 {
		t.Errorf("went %s, %v", d.path(), res.Sources)
	}
	if tools := m.Requests()[1].Tools; len(tools) != 4 {
		t.Errorf("%d tools are offered", len(tools))
	}
	m.AssertDone(t)
}

// TestModelThatLooksForWhatThereIsNot: its calls find nothing, so the person's own
// words are searched for, and nobody is told about a number that nobody asked for.
func TestModelThatLooksForWhatThereIsNot(t *testing.T) {
	t.Parallel()
	for _, call := range []llmtest.Reply{
		llmtest.CallTool("get_article_by_index", `{"index":"제77조"}`),
		llmtest.CallTool("get_article_by_index", `{"index":5}`),
		llmtest.CallTool("get_article_by_index", `"{bad"`),
		llmtest.CallTool("drop_tables", `{}`),
		llmtest.CallTool("hybrid_search", `{"query":"qqq"}`),
	} {
		m := llmtest.Script(call, evaluation(true, ""), llmtest.Text("7일 전에 알려요 [1]."))
		d := newDesk(t, m)
		d.add(home, "개발 계약서.txt", leaseKo)
		res := d.ask("계약을 해지하려면 언제 알려야 해?", "ko")
		if strings.Contains(res.Text, "제77조") || len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Quote, "7일 전") {
			t.Errorf("%v: called %v: %s", call.Calls, d.tools(), res.Text)
		}
		m.AssertDone(t)
	}
}

// TestLeaningQuestionIsSearchedWithWhatItLeansOn: the last resort of a question that
// the model did not make whole.
func TestLeaningQuestionIsSearchedWithWhatItLeansOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("[1]")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("제9조 해지 조항 보여줘", "ko")
	d.use(llmtest.Script(leaning(false, "그건 꼭 그래야 해?"), llmtest.CallTool("hybrid_search", `{"query":"qqq"}`), evaluation(true, ""), llmtest.Text("네 [1].")))
	if res := d.ask("그건 꼭 그래야 해?", "ko"); len(res.Found) == 0 || !strings.Contains(res.Found[0].Heading, "제9조") {
		t.Errorf("called %v, found %+v", d.tools(), res.Found)
	}
}

func TestSameCallNeverRunsTwice(t *testing.T) {
	t.Parallel()
	search := llmtest.CallTool("hybrid_search", `{"query":"해지"}`)
	m := llmtest.Script(
		search, evaluation(false, "무엇이 더 필요해요"),
		llmtest.CallTool("hybrid_search", `{ "query" : "해지" }`), evaluation(true, ""), // all duplicates: evaluator
		llmtest.Text("[1]"),
	)
	d := newDesk(t, m)
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("계약을 깨면 어떻게 되나요?", "ko")
	if d.path() != "scope_validator check_previous_context planner executor evaluator planner evaluator respond" || len(d.tools()) != 1 {
		t.Errorf("went %s, called %v", d.path(), d.tools())
	}
	if p := m.Requests()[2].Messages[0].Content; !strings.Contains(p, "Still missing: 무엇이 더 필요해요") || !strings.Contains(p, `hybrid_search {"query":"해지"}`) {
		t.Errorf("the second plan was asked with %s", p)
	}
	m.AssertDone(t)
}

func TestNothingNeededIsAnsweredWithoutLookingUp(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(scope(true), llmtest.Text("찾을 것이 없어요"), llmtest.Text("천만에요!"))
	d := newDesk(t, m)
	res := d.ask("도와줘서 정말 고마워요", "ko")
	if d.path() != "scope_validator check_previous_context planner respond" || res.Text != "천만에요!" {
		t.Errorf("went %s: %s", d.path(), res.Text)
	}
}

// TestModelThatCallsNothingIsNotTrusted: the question is searched for once all the same,
// but where nothing is asked, or where an answer before and its sources hold the answer.
func TestModelThatCallsNothingIsNotTrusted(t *testing.T) {
	t.Parallel()
	silent := func(held bool) llm.Model {
		return llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
			switch {
			case r.Purpose == llm.ForPlan:
				return llmtest.Text("I know this by heart.")
			case r.Purpose == llm.ForRoute:
				return scope(true)
			case r.Purpose == llm.ForRewrite:
				return llmtest.JSON(map[string]any{"depends": true, "question": "해지는 며칠 전에 알려야 하나요?", "held": held})
			case r.Schema != nil:
				return evaluation(true, "")
			case len(r.Passages) == 0:
				return llmtest.Text("이래요.")
			}
			return llmtest.Text("이래요 [1].")
		})
	}
	for _, c := range []struct {
		name, before, ask, language string
		held                        bool
		searches                    int
		says                        string // the passages
	}{
		{name: "question", ask: "계약을 해지하려면 며칠 전에 알려야 해?", language: "ko", searches: 1, says: "7일 전"},
		{name: "request", ask: "위약벌이 얼마인지 알려주면 고맙겠어", language: "ko", searches: 1, says: "1,000만"},
		{name: "topic", ask: "선금", language: "ko", searches: 1, says: "50퍼센트"},
		{name: "polite", ask: "계약의 선금 비율 알려줘, 고마워", language: "ko", searches: 1, says: "50퍼센트"},
		{name: "thanks", ask: "계약서 봐준 거 고마워", language: "ko"},
		{name: "greeting", ask: "안녕하세요", language: "ko"},
		{name: "leaning, held", before: "제9조 해지 조항 보여줘", ask: "그건 며칠 전이었지?", language: "ko", held: true},
		{name: "leaning, not held", before: "제9조 해지 조항 보여줘", ask: "그건 며칠 전이었지?", language: "ko", searches: 1, says: "7일 전"},
		{name: "held by an answer without sources", before: "안녕하세요", ask: "그건 며칠 전이었지?", language: "ko", held: true, searches: 1, says: "7일 전"},
	} {
		d := newDesk(t, silent(c.held))
		d.add(home, "개발 계약서.txt", leaseKo)
		if c.before != "" {
			d.ask(c.before, c.language)
		}
		res := d.ask(c.ask, c.language)
		if tools := d.tools(); len(tools) != c.searches || c.searches > 0 && !strings.HasPrefix(tools[0], "hybrid_search ") {
			t.Errorf("%s: called %v by %s", c.name, tools, d.path())
		}
		if c.says != "" && (len(res.Sources) == 0 || !strings.Contains(res.Sources[0].Quote, c.says)) {
			t.Errorf("%s: %q from %+v", c.name, res.Text, res.Sources)
		}
	}
}

// TestEmptyPlanIsNoFailure: some models reply to tools with nothing at all. Then the
// question itself is searched for, as where a model cannot plan.
func TestEmptyPlanIsNoFailure(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		switch {
		case r.Purpose == llm.ForPlan:
			return llmtest.Fail(&llm.Error{Class: llm.Garbage, Detail: "the reply is empty"})
		case r.Schema != nil:
			return evaluation(true, "")
		}
		return llmtest.Text("3,000만 원이에요 [1].")
	}))
	d.add(home, "개발 계약서.txt", leaseKo)
	if res := d.ask("계약 대금이 얼마예요?", "ko"); !strings.Contains(res.Text, "3,000만") || len(d.tools()) != 1 {
		t.Errorf("%q after %v", res.Text, d.tools())
	}
}

// TestShownContract: who shows a contract with words that it has not is not told that it
// does not say.
func TestShownContract(t *testing.T) {
	t.Parallel()
	for words, language := range map[string]string{"Look at this": "en", "이거 한번 봐줘": "ko", "": "en"} {
		d := newDesk(t, extractive.New())
		text, says := leaseKo, "읽었어요"
		if language == "en" {
			text, says = feesEn, "I have read it"
		}
		doc := d.add(home, "paper.txt", text)
		if res := d.ask(words, language, doc); !strings.Contains(res.Text, says) {
			t.Errorf("%q: %q", words, res.Text)
		}
	}
}
