package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm/extractive"
)

// TestContractsThatContradict: two contracts of a channel that give other figures for the same are both shown with their
// dates. The standard contract, which everybody's differs from, contradicts nothing.
func TestContractsThatContradict(t *testing.T) {
	t.Parallel()
	supply := func(rate string) string {
		return "제1조(목적) 이 계약은 물품의 공급을 정한다.\n\n제2조(납품) 을은 발주일부터 7일 이내에 납품한다.\n\n제3조(지체상금) 지체상금은 지체일수 1일마다 대금의 1000분의 " + rate + "으로 한다.\n\n제4조(해지) 갑은 30일 전에 알리고 해지할 수 있다.\n"
	}
	lateFee := func(days string) string {
		return "Article 1 (Purpose) This agreement covers services.\n\nArticle 2 (Fees) The fees are paid within 30 days.\n\nArticle 3 (Termination) Either party may terminate with " + days + " days of written notice.\n\nArticle 4 (Law) The law of Korea applies.\n"
	}
	for name, c := range map[string]struct {
		files          map[string]string
		question, lang string
		says, silent   []string
	}{
		"in Korean": {
			map[string]string{"하늘상사 공급계약서.md": supply("1"), "누리상사 공급계약서.md": supply("3")}, "지체상금은 지체일수 1일마다 대금의 얼마야?", "ko",
			[]string{"다르게 적혀", "하늘상사 공급계약서", "누리상사 공급계약서", "1000분의 1", "1000분의 3", "(2026-11-21)"}, nil,
		},
		"in English": {
			map[string]string{"acme-agreement.md": lateFee("30"), "globex-agreement.md": lateFee("60")}, "With how many days of written notice may either party terminate?", "en",
			[]string{"disagree", "acme-agreement", "globex-agreement", "30 days", "60 days", "(2026-11-21)"}, nil,
		},
		"one is named": {
			map[string]string{"하늘상사 공급계약서.md": supply("1"), "누리상사 공급계약서.md": supply("3")}, "하늘상사 공급계약서에서 지체상금은 지체일수 1일마다 대금의 얼마야?", "ko", []string{"1000분의 1"}, []string{"다르게 적혀"},
		},
		"they agree": {
			map[string]string{"하늘상사 공급계약서.md": supply("1"), "누리상사 공급계약서.md": supply("1")}, "지체상금은 지체일수 1일마다 대금의 얼마야?", "ko", []string{"1000분의 1"}, []string{"다르게 적혀"},
		},
		"the standard differs": {
			map[string]string{"하늘상사 공급계약서.md": supply("7")}, "지체상금을 표준계약서와 비교해줘", "ko", nil, []string{"다르게 적혀"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, extractive.New())
			for file, text := range c.files {
				d.add(home, file, text)
			}
			res, err := d.run(d.request(c.question, c.lang))
			if err != nil {
				t.Fatal(err)
			}
			got := res.Text // people see the numbers of the passages until the answer stands
			for _, s := range c.says {
				if !strings.Contains(got, s) {
					t.Errorf("lacks %q:\n%s", s, got)
				}
			}
			for _, s := range c.silent {
				if strings.Contains(got, s) {
					t.Errorf("says %q:\n%s", s, got)
				}
			}
		})
	}
}
