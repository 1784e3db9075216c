package rag_test

import (
	"strings"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/load"
	"maru/rag/local"
)

// TestArticlesOfOddLayouts: what people ask for by number is found however a contract writes its headings.
func TestArticlesOfOddLayouts(t *testing.T) {
	t.Parallel()
	const lease = "임대차 계약서\n\n제1관 통칙\n제 1 조 (목적) 이 계약은 임대차를 정한다.\n제2조【보증금】 보증금은 1억원이다.\n제３조（차임） 차임은 월 50만원이다.\n제4조〔기간〕 기간은 2년이다.\n" +
		"제2관 보칙\n제5조\n(해지)\n제1항 갑은 제4조(기간)에 따른 기간이 지나면 해지한다.\n제2항 을은 언제든지 해지한다.\n부   칙\n이 계약은 오늘부터 시행한다.\n[별표 제1호] 수수료표\n수수료는 만원이다.\n[별지 제1호 서식] 신청서\n이름을 적는다.\n[붙임 1] 명세서\n열쇠 두 개.\n"
	const service = "SERVICES AGREEMENT\n\nARTICLE I\nDEFINITIONS\nServices means the work.\nARTICLE II\nTerm and Renewal\nThe term is two years.\nARTICLE THREE\nFEES\nThe fee is USD 900.\nExhibit 1 - Prices\nUSD 9 each.\nSchedule 1 - Services\nCleaning.\n"
	const licence = "LICENSE AGREEMENT\n\n1. Definitions\n1.1 Software means the program.\n2. Grant of License\n2.1 Licensor grants a licence.\n2.1.1 One site only.\n2.1.2 It is not transferable.\n2.2 Licensee shall not copy.\n3. Payment\n3.1 Fees are due in thirty days.\n4. Warranty\n4.1 Limited warranty\n4.1.1 The Software works.\n4.1.2 Replacement only.\n"
	index, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	in := rag.Ingester{Loader: load.New(load.Config{}), Index: index, Now: time.Now}
	look := rag.Lookup{Index: index}
	for _, c := range []struct {
		text string
		asks map[string]string
	}{
		{lease, map[string]string{
			"제1조": "목적: 이 계약은 임대차를 정한다.", "제 2 조": "보증금: 보증금은 1억원이다.", "3조": "차임: 차임은 월 50만원이다.", "제4조": "기간: 기간은 2년이다.",
			"제5조 제2항": "해지: 제2항 을은 언제든지 해지한다.", "제5조 1항": "해지: 제1항 갑은 제4조(기간)에 따른 기간이 지나면 해지한다.", "제5조": "해지: 제1항 갑은 제4조(기간)에 따른 기간이 지나면 해지한다.\n제2항 을은 언제든지 해지한다.",
			"부칙": ": 이 계약은 오늘부터 시행한다.", "별표 1": "수수료표: 수수료는 만원이다.", "별지 제1호": "신청서: 이름을 적는다.", "붙임 1": "명세서: 열쇠 두 개.", "제2관": "해지: 제1항 갑은 제4조(기간)에 따른 기간이 지나면 해지한다.\n제2항 을은 언제든지 해지한다.",
		}},
		{service, map[string]string{
			"Article I.": "DEFINITIONS: Services means the work.", "Article 2": "Term and Renewal: The term is two years.", "article 3": "FEES: The fee is USD 900.", "Exhibit 1": "Prices: USD 9 each.", "Schedule 1": "Services: Cleaning.",
		}},
		{licence, map[string]string{
			"2.1.2": "Grant of License: 2.1.2 It is not transferable.", "Section 2.1": "Grant of License: 2.1 Licensor grants a licence.\n2.1.1 One site only.\n2.1.2 It is not transferable.", "2.2": "Grant of License: 2.2 Licensee shall not copy.",
			"clause 4.1.2": "Limited warranty: 4.1.2 Replacement only.", "3.1": "Payment: 3.1 Fees are due in thirty days.",
		}},
	} {
		name, _, _ := strings.Cut(c.text, "\n")
		doc, _, err := in.Add(t.Context(), rag.File{Scope: "team", Name: name + ".txt", Data: []byte(c.text)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for ask, want := range c.asks {
			f, err := look.ByNumber(t.Context(), rag.Within{Scopes: []string{"team"}, Documents: []string{doc.ID}}, ask)
			got := ""
			if err == nil && len(f.Articles) == 1 {
				if got = f.Articles[0].Title + ": "; f.Piece != "" {
					got += f.Piece
				} else {
					got += f.Articles[0].Text()
				}
			}
			if got != want {
				t.Errorf("%s of %s: %q, want %q; %d articles, missing %v, %v", ask, name, got, want, len(f.Articles), f.Missing, err)
			}
		}
	}
}
