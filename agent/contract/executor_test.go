package contract_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"maru/agent/contract"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

func TestSeveralArticlesAreReadSideBySide(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(llmtest.Text("제5조는 [1], 제9조는 [2]."))
	d := newDesk(t, m)
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("제5조와 제9조 내용 보여줘", "ko")
	if d.path() != side || len(res.Sources) != 2 || !strings.Contains(res.Sources[1].Quote, "7일 전") {
		t.Errorf("went %s, sources %+v", d.path(), res.Sources)
	}
}

func TestWrongNumberIsToldHonestly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, language, want string }{
		{"표준계약서 제24조 알려줘", "ko", "「표준 용역계약서」에는 제24조가 없어요. 이 계약서에 있는 것은 제1조–제23조(제10조의2 포함), 부칙, 별표 1, 별표 2예요."},
		{"표준계약서 제5조의2 알려줘", "ko", "제5조의2가 없어요"},
		{"제99조는 뭐야?", "ko", "「개발 계약서」에는 제99조가 없어요. 이 계약서에 있는 것은 제1조–제9조예요."},
		{"show me Article 40 of the standard contract", "en", "There is no Article 40 in “Standard Services Agreement”; the contract has Article 1–Article 23 (with Article 10-2), Annex A, Annex B."},
	} {
		d := newDesk(t, llmtest.Script()) // no model is asked
		d.add(home, "개발 계약서.txt", leaseKo)
		if res := d.ask(c.ask, c.language); !strings.Contains(res.Text, c.want) || len(res.Sources) > 0 {
			t.Errorf("%s: %s", c.ask, res.Text)
		}
	}
}

func TestMissingParagraphShowsTheArticle(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(llmtest.Text("제5조에는 두 항이 있어요 [1]."))
	d := newDesk(t, m)
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("제5조 제7항 보여줘", "ko")
	if !strings.HasPrefix(res.Text, "「개발 계약서」 제5조에는 제7항이 없어요.") || len(res.Sources) != 1 {
		t.Errorf("%s %v", res.Text, res.Sources)
	}
}

// TestMissingPartIsNamed in the words of the person's language.
func TestMissingPartIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ask, language, want string }{
		{"Article 5(9) of the standard contract?", "en", "Article 5 of “Standard Services Agreement” has no paragraph (9)."},
		{"Section 4.2 of the standard contract?", "en", "Article 4 of “Standard Services Agreement” has no paragraph (2)."},
		{"표준계약서 제5조 제9항은?", "ko", "「표준 용역계약서」 제5조에는 제9항이 없어요."},
		{"표준계약서 제5조 제2항 제9호는?", "ko", "「표준 용역계약서」 제5조에는 제2항제9호가 없어요."},
	} {
		d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("[1]") }))
		if res := d.ask(c.ask, c.language); !strings.HasPrefix(res.Text, c.want) {
			t.Errorf("%s: %s", c.ask, res.Text)
		}
	}
}

// TestParagraphIsQuotedWithItsMark: brackets and all.
func TestParagraphIsQuotedWithItsMark(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("[1]")))
	res := d.ask("Article 5(2) of the standard contract", "en")
	if len(res.Sources) != 1 || !strings.HasPrefix(res.Sources[0].Quote, "(2) The Client pays the fee in three parts:\n(a)") {
		t.Errorf("%+v", res.Sources)
	}
}

// TestAnnexAloneIsOnlyLookedUp: its letter is no topic to search for.
func TestAnnexAloneIsOnlyLookedUp(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("[1]")))
	d.add(home, "agreement.txt", "Article 1. Aim\nThe work of Annex A.\n\nArticle 2. Fee\n100.\n\nArticle 3. End\nIn May.\n\nAnnex A (Work)\nA shop on the web.\n")
	if d.ask("Show me Annex A", "en"); len(d.tools()) != 1 {
		t.Errorf("called %v", d.tools())
	}
}

// TestEveryArticleOfTheStandardContracts looks every article up by its number,
// in both languages.
func TestEveryArticleOfTheStandardContracts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("[1]") }))
	docs, err := d.index.Documents(t.Context(), []string{contract.StandardScope})
	if err != nil || len(docs) != 2 {
		t.Fatalf("%v, %v", docs, err)
	}
	for _, doc := range docs {
		all, err := rag.Lookup{Index: d.index}.Outline(t.Context(), []string{contract.StandardScope}, doc.ID)
		if err != nil || len(all) < 26 {
			t.Fatalf("%s: %d articles, %v", doc.Title, len(all), err)
		}
		language, form := "en", "What does %s of the standard contract say?"
		if strings.HasSuffix(doc.Title, "계약서") {
			language, form = "ko", "표준계약서 %s 알려줘"
		}
		for _, a := range all {
			res := d.ask(strings.Replace(form, "%s", a.Label, 1), language)
			if len(res.Sources) == 0 || !strings.Contains(res.Sources[0].Quote, strings.SplitN(a.Text(), "\n", 2)[0]) || res.Sources[0].Document != doc.ID {
				t.Errorf("%s: %s, sources %+v", a.Label, res.Text, res.Sources)
			}
			if !strings.Contains(res.Text, "표준계약서(") && !strings.Contains(res.Text, "from the standard contract") {
				t.Errorf("%s: the answer does not say that it is the standard's: %s", a.Label, res.Text)
			}
		}
	}
}

func TestBrokenDocumentsAreNotAnAnswer(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("?")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.cfg.Documents = failing{d.index}
	d.cfg.Model = llmtest.Script(llmtest.CallTool("hybrid_search", `{"query":"해지"}`))
	a, err := contract.New(d.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context(), d.request("계약을 깨면 어떻게 되나요?", "ko"), nil); !errors.Is(err, errDown) {
		t.Errorf("error %v", err)
	}
}

var errDown = errors.New("the index is down")

type failing struct{ rag.Index }

func (failing) Search(context.Context, rag.Query) ([]rag.Hit, error) { return nil, errDown }
