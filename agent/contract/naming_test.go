package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
)

// twoContracts returns a place with two contracts; the newest is 다온's.
func twoContracts(t *testing.T, model llm.Model) *desk {
	t.Helper()
	d := newDesk(t, model)
	d.add(home, "누리 용역계약서.txt", leaseKo)
	d.in.Now = func() time.Time { return time.Date(2026, 11, 21, 8, 30, 0, 0, time.UTC) }
	d.add(home, "다온 유지보수 계약서.txt", strings.ReplaceAll(leaseKo, "3,000만", "100만"))
	return d
}

func quoting() llm.Model {
	return llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
		if r.Schema != nil {
			return leaning(true, "제5조는 어떤가요?")
		}
		var all strings.Builder
		for _, p := range r.Passages {
			fmt.Fprintf(&all, "[%d] ", p.N)
		}
		return llmtest.Text(strings.TrimSpace(all.String()))
	})
}

// TestSeveralContractsAreReadEach: who names two contracts, or asks about both, is
// shown what each of them says.
func TestSeveralContractsAreReadEach(t *testing.T) {
	t.Parallel()
	for _, ask := range []string{
		"누리 용역계약서와 다온 유지보수 계약서의 제5조 1항을 비교해줘",
		"누리 계약서와 다온 계약서의 제5조 1항은 뭐가 달라?",
	} {
		d := twoContracts(t, quoting())
		res := d.ask(ask, "ko")
		var titles []string
		for _, f := range res.Found {
			titles = append(titles, f.Title)
		}
		slices.Sort(titles)
		if strings.Join(titles, ", ") != "누리 용역계약서, 다온 유지보수 계약서" || len(res.Sources) != 2 {
			t.Errorf("%s: found in %v, called %v", ask, titles, d.tools())
		}
	}
}

// TestContractIsKnownByAWordOfItsTitle: also by a follow-up question.
func TestContractIsKnownByAWordOfItsTitle(t *testing.T) {
	t.Parallel()
	d := twoContracts(t, quoting())
	for _, c := range []struct{ ask, amount string }{
		{"다온 계약서 제5조 1항 알려줘", "100만"}, {"그럼 누리 계약서는?", "3,000만"}, {"다온 쪽 제5조 1항은?", "100만"},
	} {
		res := d.ask(c.ask, "ko")
		if len(res.Found) == 0 || !strings.Contains(res.Found[0].Quote, c.amount) {
			t.Errorf("%s: called %v, found %+v", c.ask, d.tools(), res.Found)
		}
	}
}

// TestNamesOfContractsAreNotSearchedFor: they say where to look, not what for.
func TestNamesOfContractsAreNotSearchedFor(t *testing.T) {
	t.Parallel()
	d := twoContracts(t, quoting())
	if d.ask("다온 유지보수 계약서 제5조 알려줘", "ko"); len(d.tools()) != 1 {
		t.Errorf("called %v", d.tools())
	}
}

// TestWhichOfSeveralContractsIsTold: once, where nobody said which one is meant.
func TestWhichOfSeveralContractsIsTold(t *testing.T) {
	t.Parallel()
	const notice = "가장 최근에 올라온 「다온 유지보수 계약서」에서 찾았어요. 다른 계약서는 이름을 함께 써서 물어봐 주세요: 「누리 용역계약서」"
	d := twoContracts(t, quoting())
	for i, c := range []struct {
		ask  string
		told bool
	}{{"제5조 알려줘", true}, {"제7조 알려줘", false}, {"누리 용역계약서 제7조 알려줘", false}} {
		if res := d.ask(c.ask, "ko"); strings.Contains(res.Text, notice) != c.told {
			t.Errorf("%d %s: %s", i, c.ask, res.Text)
		}
	}
	d = newDesk(t, quoting())
	d.add(home, "다온 유지보수 계약서.txt", leaseKo)
	if res := d.ask("제5조 알려줘", "ko"); strings.Contains(res.Text, "여러 개") {
		t.Errorf("one contract: %s", res.Text)
	}
}

// TestContractsOfOneThread: a thread's contract is known by its kind, and what is in another one than
// the newest is shown with a word on whose it is.
func TestContractsOfOneThread(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	lease := d.add(home, "임대차계약서.txt", "제1조(목적) 4층을 빌린다.\n\n제2조(차임) 월 250만 원이다.\n\n제3조(보증금) 보증금은 3,000만 원이다.\n")
	work := d.add(home, "개발계약서.txt", leaseKo)
	d.ask("제1조 알려줘", "ko", work)
	d.ask("제1조 알려줘", "ko", lease)
	for ask, want := range map[string]string{
		"제2조는 뭐야?": "250만 원", "개발 용역계약서의 제2조는?": "2027년", "개발계약 제1조 알려줘": "쇼핑몰", "임대차의 제1조 알려줘": "4층",
	} {
		if res := d.ask(ask, "ko"); !strings.Contains(res.Text, want) || strings.Contains(res.Text, "보여 드릴게요") {
			t.Errorf("%s: %q, want %q", ask, res.Text, want)
		}
	}
	for language, ask := range map[string]string{"ko": "제7조 알려줘", "en": "Article 7"} {
		res := d.ask(ask, language)
		note := map[string]string{"ko": "「임대차계약서」에는 제7조가 없어요. 이 계약서에 있는 것은 제1조–제3조예요. 「개발계약서」에 있는 것을 보여 드릴게요.", "en": "Here is what “개발계약서” says instead."}[language]
		if !strings.Contains(res.Text, note) || !strings.Contains(res.Text, "5년") || d.streamed() != res.Text {
			t.Errorf("%s: %q, people saw %q", ask, res.Text, d.streamed())
		}
	}
}

// TestTwoContractsOfAThread: a question to both is answered from each without a model, one that names a contract
// is not answered from the other, and a file that is handed over is asked about by itself.
func TestTwoContractsOfAThread(t *testing.T) {
	t.Parallel()
	for language, c := range map[string]struct {
		one, two     string // contracts
		away, second string // said between them
		fee          string
		questions    map[string][]string // what must be said; "!" before what must not
	}{
		"ko": {
			one:    "가람 계약서.txt\n가람빌딩 임대차 계약서\n\n제1조(목적) 3층 사무실을 빌린다.\n\n제2조(기간) 기간은 2년으로 한다.\n\n제9조(관할) 다툼은 서울중앙지방법원에서 다룬다.\n",
			two:    "나래 계약서.txt\n나래 번역 용역 계약서\n\n제1조(목적) 설명서를 번역한다.\n\n제2조(기간) 기간은 6개월로 한다.\n\n제3조(대금) 대금은 1,200만 원으로 한다.\n",
			second: "이것도 봐줘. 대금이 얼마야?", away: "오늘 날씨 어때?", fee: "1,200만",
			questions: map[string][]string{
				"두 계약서의 기간을 비교해줘": {"6개월"}, "두 계약의 기간은?": {"2년", "6개월"}, "두 계약서의 차이가 뭐야?": {"가람 계약서", "나래 계약서", "!가람빌딩"},
				"나래 계약서 제9조는?": {"「나래 계약서」에는 제9조가 없어요", "!관할", "!법원"}, "제9조 알려줘": {"보여 드릴게요", "법원"},
			},
		},
		"en": {
			one:    "garam-lease.txt\nGaram Office Lease\n\nArticle 1 (Purpose) The office is leased.\n\nArticle 2 (Term) The term is two years.\n\nArticle 9 (Jurisdiction) Disputes go to the court of Seoul.\n",
			two:    "narae-translation.txt\nNarae Translation Agreement\n\nArticle 1 (Purpose) Manuals are translated.\n\nArticle 2 (Term) The term is six months.\n\nArticle 3 (Fee) The fee is 12,000,000 won.\n",
			second: "Here is another one. How much is the fee?", away: "How is the weather?", fee: "12,000,000",
			questions: map[string][]string{
				"Compare the term of both contracts": {"two years", "six months"}, "How do the two contracts differ?": {"garam-lease", "narae-translation", "!Lease\n"},
				"What does Article 9 of the Narae agreement say?": {"There is no Article 9 in “narae-translation”", "!Seoul"}, "Article 9": {"instead", "Seoul"},
			},
		},
	} {
		for question, wants := range c.questions {
			d := newDesk(t, extractive.New())
			name, text, _ := strings.Cut(c.one, "\n")
			d.ask("제1조 Article 1", language, d.add(home, name, text))
			d.ask(c.away, language)
			name, text, _ = strings.Cut(c.two, "\n")
			if got := d.ask(c.second, language, d.add(home, name, text)).Text; !strings.Contains(got, c.fee) {
				t.Errorf("%s: %s", c.second, got)
			}
			res, err := d.run(d.request(question, language)) // citations are numbered again at the end
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range wants {
				no, not := strings.CutPrefix(want, "!")
				if strings.Contains(res.Text, no) == not {
					t.Errorf("%s, %q: %s", question, want, res.Text)
				}
			}
		}
	}
}
