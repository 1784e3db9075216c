package contract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// twoContracts is a place with two contracts; the newest is 다온's.
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
