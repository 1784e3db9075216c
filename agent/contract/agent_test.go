package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/contract"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
	"maru/rag"
)

const (
	straight = "scope_validator check_previous_context planner executor evaluator respond"
	side     = "scope_validator check_previous_context planner parallel_executor parallel_executor evaluator respond"
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

func TestStandardIsToldApartFromTheUsers(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(llmtest.Text("올리신 계약서는 5년[1], 표준은 3년이에요[2]."))
	d := newDesk(t, m)
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("우리 계약서 제7조와 표준계약서 제11조를 비교해줘", "ko")
	_ = res
	shown := m.Requests()[0].Messages[0].Content
	if !strings.Contains(shown, "(the user's contract) 개발 계약서") || !strings.Contains(shown, "(the standard contract) 표준 용역계약서") {
		t.Errorf("the model was shown %s", shown)
	}
	if !strings.Contains(res.Text, "올리신 계약서가 아니라 표준계약서") {
		t.Errorf("answer %s", res.Text)
	}
}

func TestOutOfScopeEndsPolitely(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(scope(false))
	d := newDesk(t, m)
	res := d.ask("오늘 점심 메뉴 추천해 줄래?", "ko")
	if d.path() != "scope_validator" || !strings.Contains(res.Text, "계약서에 관한 질문에 답해요") {
		t.Errorf("went %s: %s", d.path(), res.Text)
	}
	m.AssertDone(t)
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

func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	n := 0
	m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
		llm.ForPlan: func(llm.Request) llmtest.Reply {
			n++
			return llmtest.CallTool("hybrid_search", `{"query":"해지 `+strings.Repeat("x", n)+`"}`)
		},
		llm.ForReview: func(llm.Request) llmtest.Reply { return evaluation(false, "더", "제9조") },
		llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("여기까지 찾았어요 [1].") },
	})
	for _, most := range []int{0, 2} {
		n = 0
		d := newDesk(t, m)
		d.cfg.MaxIterations = most
		d.use(m)
		d.add(home, "개발 계약서.txt", leaseKo)
		d.ask("계약 해지와 관련해 유의할 점은?", "ko")
		want := most
		if most == 0 {
			want = 4
		}
		if got := strings.Count(d.path(), "planner"); got != want {
			t.Errorf("max %d: %d rounds", most, got)
		}
	}
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

func TestFollowUps(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("대금이에요 [1].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("제5조 알려줘", "ko")

	// A paragraph alone means the article before.
	m := llmtest.Script(leaning(true, "제5조 제2항은 무엇인가요?"), llmtest.Text("선금이에요 [1]."))
	d.use(m)
	res := d.ask("그럼 2항은?", "ko")
	if len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Quote, "선금") || strings.Contains(res.Sources[0].Quote, "3,000만") {
		t.Errorf("called %v: %+v", d.tools(), res.Sources)
	}
	m.AssertDone(t)

	// The same without a model that rewrites.
	d.use(llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.BadRequest}), llmtest.Text("대금이에요 [1].")))
	if res := d.ask("아까 그 조항 1항은?", "ko"); len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Quote, "3,000만") {
		t.Errorf("called %v: %+v", d.tools(), res.Sources)
	}

	// A question that names its article leans on nothing: no model call for it.
	m = llmtest.Script(llmtest.Text("해지예요 [1]."))
	d.use(m)
	d.ask("제9조 보여줘", "ko")
	m.AssertDone(t)

	// A question that stands alone stays as it is.
	m = llmtest.Script(leaning(false, "다른 것"), llmtest.CallTool("hybrid_search", `{"query":"위약벌"}`), evaluation(true, ""), llmtest.Text("1,000만 원 [1]."))
	d.use(m)
	d.ask("비밀을 어기면 계약 위약벌은 얼마나 내야 하나요?", "ko")
	if q := m.Requests()[1].Messages; strings.Contains(q[len(q)-1].Content, "다른 것") {
		t.Errorf("the question became %q", q[len(q)-1].Content)
	}
}

func TestNoHistoryAsksNoModel(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(scope(true), llmtest.Text(""), llmtest.Text("무엇을 말씀하시는지 알려 주세요."))
	d := newDesk(t, m)
	d.ask("그것은 유효한 건가요?", "ko")
	if n := m.Count(llm.ForRewrite); n != 0 {
		t.Errorf("%d calls to rewrite", n)
	}
}

func TestUploadBecomesTheThreadsContract(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("[1]") }))
	d.add(home, "옛 계약서.txt", strings.ReplaceAll(leaseKo, "3,000만", "9,999만"))
	mine := d.add(home, "새 계약서.txt", leaseKo)
	d.ask("이 계약서 제5조 알려줘", "ko", mine)
	res := d.ask("제5조 1항 보여줘", "ko") // no file this time
	if len(res.Sources) != 1 || res.Sources[0].Document != mine.ID {
		t.Errorf("sources %+v", res.Sources)
	}
	if _, err := d.in.Remove(t.Context(), []string{home}, mine.ID); err != nil {
		t.Fatal(err)
	}
	if res := d.ask("제5조 1항 보여줘", "ko"); len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Quote, "9,999만") {
		t.Errorf("a removed contract is still used: %+v", res.Sources)
	}
}

func TestPlaceWithoutAContractUsesTheStandard(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("대가예요 [1].")))
	res := d.ask("제5조 알려줘", "ko")
	if !strings.HasPrefix(res.Text, "이 대화에서 볼 수 있는 계약서가 없어서 표준계약서에서 찾았어요.") || len(res.Sources) != 1 {
		t.Errorf("%s %v", res.Text, res.Sources)
	}
}

// TestPlaceWithoutAContractIsToldOnce: the notice stands before the first answer
// alone, and questions without a number look at the standard contract as well.
func TestPlaceWithoutAContractIsToldOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	const notice = "이 대화에서 볼 수 있는 계약서가 없어서"
	first := d.ask("지체상금은 얼마야?", "ko")
	if strings.Count(first.Text, notice) != 1 || !strings.Contains(first.Text, "1,000분의 1.25") || strings.Contains(first.Text, "올리신 계약서가 아니라") {
		t.Errorf("first: %s", first.Text)
	}
	second := d.ask("제99조와 제5조 알려줘", "ko")
	if strings.Contains(second.Text, notice) || !strings.Contains(second.Text, "제99조가 없어요") || !strings.Contains(second.Text, "> 1. 착수금: 총액의 30퍼센트") {
		t.Errorf("second: %s", second.Text)
	}
}

// TestQuestionNamesTheContract: of several contracts of a place the one that the
// question names is meant, else the newest.
func TestQuestionNamesTheContract(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("[1]") }))
	other := d.add(home, "비밀유지 계약서.txt", strings.ReplaceAll(leaseKo, "3,000만", "100만"))
	d.in.Now = func() time.Time { return time.Date(2026, 11, 21, 8, 30, 0, 0, time.UTC) }
	newest := d.add(home, "개발 계약서.txt", leaseKo)
	for ask, want := range map[string]string{"비밀유지 계약서 제5조 알려줘": other.ID, "제5조 알려줘": newest.ID, "개발계약서 5조 보여줘": newest.ID} {
		if res := d.ask(ask, "ko"); len(res.Sources) != 1 || res.Sources[0].Document != want {
			t.Errorf("%s: %+v", ask, res.Sources)
		}
	}
}

// TestOtherPlacesContractsStayHidden: a contract of another channel is neither
// found nor named.
func TestOtherPlacesContractsStayHidden(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		for _, m := range r.Messages {
			if strings.Contains(m.Content, "잠수함") {
				t.Errorf("the model sees another channel's contract: %s", m.Content)
			}
		}
		return llmtest.Text("[1]")
	}))
	secret := d.add("channel:fake/T/other", "비밀 인수 계약서.txt", strings.ReplaceAll(leaseKo, "쇼핑몰 개발", "잠수함 건조"))
	d.ask("제1조 알려줘", "ko")
	res := d.ask("이 계약서 제1조 알려줘", "ko", secret) // an id that this place may not read
	for _, s := range append(res.Found, res.Sources...) {
		if s.Document == secret.ID {
			t.Errorf("found %+v", s)
		}
	}
}

func TestInventedCitationsAreRemoved(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("대금은 3,000만 원이에요 [1][7].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	res, err := d.run(d.request("제5조 알려줘", "ko"))
	if err != nil || strings.Contains(res.Text, "[7]") || len(res.Sources) != 1 {
		t.Errorf("%s %v %v", res.Text, res.Sources, err)
	}
}

func TestModelThatRefusesLeavesThePassages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.ContentFilter})))
	d.add(home, "개발 계약서.txt", leaseKo)
	if res := d.ask("제5조 알려줘", "ko"); !strings.Contains(res.Text, "3,000만 원") || len(res.Sources) == 0 {
		t.Errorf("%s", res.Text)
	}
}

func TestModelThatIsAwayFailsTheRunAndItGoesOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: llm.Network}) }))
	d.add(home, "개발 계약서.txt", leaseKo)
	r := d.request("제5조와 제9조 알려줘", "ko")
	_, err := d.run(r)
	var f *agent.Failure
	if !errors.As(err, &f) || f.Code != "model_busy" {
		t.Fatalf("error %v", err)
	}
	d.use(llmtest.Script(llmtest.Text("다시 왔어요 [1][2].")))
	res, err := d.run(r)
	if err != nil || len(res.Sources) != 2 || len(d.tools()) != 0 {
		t.Errorf("%v %v, called %v", res, err, d.tools())
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

func TestCacheAnswersTheSameQuestionOnce(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(int, llm.Request) llmtest.Reply { return llmtest.Text("대금이에요 [1].") })
	d := newDesk(t, m)
	d.cfg.Cache = llm.NewMemoryCache(16, d.in.Now)
	d.use(m)
	d.add(home, "개발 계약서.txt", leaseKo)
	one := d.request("제5조 알려줘", "ko")
	two := d.request("제5조 알려줘", "ko")
	two.Thread = "fake/T/C/2"
	a, err := d.run(one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.run(two)
	if err != nil || a.Text != b.Text || m.Count() != 1 || b.Usage.Calls != 0 {
		t.Errorf("%v: %q and %q, %d calls, the second cost %d", err, a.Text, b.Text, m.Count(), b.Usage.Calls)
	}
}

func TestDeletedMessageIsForgotten(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		for _, msg := range r.Messages {
			if strings.Contains(msg.Content, "비밀번호") {
				t.Error("a deleted message is shown")
			}
		}
		return llmtest.Text("[1]")
	})
	d := newDesk(t, llmtest.Script(llmtest.Text("비밀번호는 안 돼요 [1].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("제5조 알려줘 비밀번호는 1234야", "ko")
	if err := d.agent.Amend(t.Context(), "fake/T/C/1", "m1", "", true); err != nil {
		t.Fatal(err)
	}
	d.use(m)
	d.ask("제9조 알려줘", "ko")
	if err := d.agent.Forget(t.Context(), "fake/T/C/1"); err != nil {
		t.Fatal(err)
	}
}

// TestBuiltInModel is what a newcomer gets without an endpoint.
func TestBuiltInModel(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	d.add(home, "개발 계약서.txt", leaseKo)
	for _, c := range []struct{ ask, language, want string }{
		{"제5조 알려줘", "ko", "3,000만 원"},
		{"제9조는 뭐야?", "ko", "7일 전"},
		{"비밀유지 조항 보여줘", "ko", "5년 동안"},
		{"선금은 몇 퍼센트야?", "ko", "선금 50퍼센트"},
		{"표준계약서의 하자 보수 기간은 얼마나 돼?", "ko", "12개월"},
		{"What is the warranty period in the standard contract?", "en", "12 months"},
		{"제99조 알려줘", "ko", "제99조가 없어요"},
		{"안녕하세요", "ko", "계약서에 관한 질문에 답해요"},
	} {
		res := d.ask(c.ask, c.language)
		if !strings.Contains(res.Text, c.want) {
			t.Errorf("%s: %s\n(%s %v)", c.ask, res.Text, d.path(), d.tools())
		}
	}
}

// TestEventsAreInOrder: what people see live comes before the answer.
func TestEventsAreInOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("대금이에요 [1].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("제5조 알려줘", "ko")
	var names []string
	for _, e := range d.events {
		name := e.Name
		if e.Kind == agent.EventSources || e.Kind == agent.EventToken {
			name = string(e.Kind)
		}
		if e.Kind == agent.EventCustom || name == string(e.Kind) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if got := strings.Join(names, " "); got != "planning tool_selected evaluation_result generating sources token" {
		t.Errorf("events %s", got)
	}
	var e contract.Evaluation
	if err := json.Unmarshal(d.custom("evaluation_result")[0], &e); err != nil || !slices.Equal(e.Explored, []string{"제5조(대금)"}) {
		t.Errorf("%+v %v", e, err)
	}
}
