package contract_test

import (
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

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

// TestThanksAreAnswered: they ask for nothing, and are no question about something else.
func TestThanksAreAnswered(t *testing.T) {
	t.Parallel()
	for text, language := range map[string]string{"고마워!": "ko", "정말 감사합니다 ㅎㅎ": "ko", "thanks a lot!": "en"} {
		d := newDesk(t, llmtest.Script(scope(false)))
		want := map[string]string{"ko": "천만에요", "en": "You're welcome"}[language]
		if res := d.ask(text, language); !strings.HasPrefix(res.Text, want) {
			t.Errorf("%s: %s", text, res.Text)
		}
	}
}

// TestPlainWordsNeedNoModel: words of contracts are in scope at once; words that
// only look like them are for the model to judge.
func TestPlainWordsNeedNoModel(t *testing.T) {
	t.Parallel()
	for text, asked := range map[string]int{
		"위약금 규정이 공정한가요?": 0, "하자 보수 책임은 누구에게 있나요?": 0, "Who bears the liability for delays?": 0, "§ 7 please": 0,
		"내일 점심 같이 하자": 1, "write an article about dogs": 1,
	} {
		m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
			if r.Schema != nil && r.Schema.Name == "contract_scope" {
				return scope(false)
			}
			return llmtest.Fail(&llm.Error{Class: llm.BadRequest})
		})
		d := newDesk(t, m)
		d.ask(text, "ko")
		if n := m.Count(llm.ForRoute); n != asked {
			t.Errorf("%q: the model was asked %d times about the scope, want %d", text, n, asked)
		}
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

// TestPlaceWithoutAContractIsToldOnce: the notice is before the first answer
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

// TestThreadsContractThatIsGone: who heard before sharing a contract that there is none hears that it is gone
// when it is, once, and not that there never was one.
func TestThreadsContractThatIsGone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	const none, gone = "이 대화에서 볼 수 있는 계약서가 없어서", "올리신 계약서가 지워졌거나"
	d.ask("제5조 알려줘", "ko")
	mine := d.add(home, "개발 계약서.txt", leaseKo)
	if res := d.ask("제5조 1항 보여줘", "ko", mine); strings.Contains(res.Text, gone) || !strings.Contains(res.Text, "3,000만") {
		t.Errorf("shared: %s", res.Text)
	}
	if _, err := d.in.Remove(t.Context(), []string{home}, mine.ID); err != nil {
		t.Fatal(err)
	}
	res := d.ask("제5조 알려줘", "ko")
	if !strings.HasPrefix(res.Text, "이 스레드에 "+gone) || strings.Contains(res.Text, none) || strings.Contains(res.Text, "올리신 계약서가 아니라") {
		t.Errorf("removed: %s", res.Text)
	}
	if res := d.ask("제11조 알려줘", "ko"); strings.Contains(res.Text, gone) || !strings.Contains(res.Text, "올리신 계약서가 아니라") {
		t.Errorf("told again: %s", res.Text)
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
