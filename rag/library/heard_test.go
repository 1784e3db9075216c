package library_test

import (
	"slices"
	"strings"
	"testing"

	"maru/bot"
	"maru/rag"
)

// TestHeardNames: a Korean word is no Latin word of a name where texts say it.
func TestHeardNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	add := func(name, text string) {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	finds := func(want string) {
		t.Helper()
		hits, err := w.lib.Search(t.Context(), rag.Query{Text: "데이터베이스 안내서에서 backup은?", Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(hits, func(h rag.Hit) bool { return h.Document.Source == want }) {
			t.Errorf("finds %v, want %s", hits, want)
		}
	}
	add("database-guide.md", "# Database Guide\n\nA backup is kept for 30 days.\n")
	add("mail-guide.md", "# Mail Guide\n\nA mail is kept for 60 days.\n")
	finds("database-guide.md")
	add("운영.md", "# 운영\n\n데이터베이스의 backup은 60일 둔다.\n")
	finds("운영.md")
}

// TestHeardInOtherLanguages: a document in another language is found by its name's sound, though it shares no other word, unless another one
// surely answers; a name that texts alone say makes nothing missing.
func TestHeardInOtherLanguages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, text := range map[string]string{
		"mobile-style.md":   "# Mobile style\n\nScreens are white.\n",
		"office-lisbon.md":  "# Lisbon office\n\nThe code of the front door changes every Monday.\n",
		"office-berlin.md":  "# Berlin office\n\nThe code of the front door changes every Friday.\n",
		"이용약관.md":           "# 이용약관\n\n환불은 구매한 날부터 7일 안에 한다.\n",
		"한빛소프트_유지보수.md":     "# 한빛소프트 유지보수 계약서\n\n유지보수료는 월 90만 원이다.\n",
		"임대차.md":            "# 임대차계약서\n\n목적물은 수원시 영통구에 있다. 관리비는 월 18만 원이다.\n",
		"maple-lease.md":    "# Lease of Maple House\n\nThe rent is 900 pounds.\n",
		"ashgrove-lease.md": "# Lease of Ashgrove House\n\nThe rent is 700 pounds.\n",
	} {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]string{
		"리스본에서는 출입문 번호가 언제 바뀌어?":               "office-lisbon.md",
		"모바일에서 산 것도 환불은 7일 안에 하나요? 구매했어요":      "이용약관.md",
		"what do we pay HanbitSoft per month?": "한빛소프트_유지보수.md",
	} {
		q := rag.Query{Text: question, Scopes: []string{"public"}}
		hits, err := w.lib.Search(t.Context(), q)
		if err != nil || len(hits) == 0 || hits[0].Document.Source != want {
			t.Errorf("%q finds %v: %v, want %s", question, hits, err, want)
		}
		if a, missing, err := w.lib.Absent(t.Context(), q); err != nil || missing {
			t.Errorf("%q misses %q: %v", question, a.Name, err)
		}
	}
	for question, want := range map[string]bool{"suwon lease: how much is the fee?": false, "green pharmacy lease in Suwon: what's the fee?": false, "lease in Ulsan: how much is the fee?": true, "HanbitSoft manual: who writes it?": false} {
		if a, missing, err := w.lib.Absent(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}}); err != nil || missing != want {
			t.Errorf("%q misses %q: %v", question, a.Name, err)
		}
	}
}

// TestHeardBesideNames: a word that sounds like a name does not keep the document from being found that the question names as typed, by its
// name or by what its text says of its party; everyday words sound like no name.
func TestHeardBesideNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, text := range map[string]string{
		"계약1.md":      "# 공급계약서\n\n하늘철강은 철판을 공급한다. 대금은 20일 안에 준다.\n",
		"계약2.md":      "# 용역계약서\n\n바다기획은 홍보를 맡는다. 대금은 40일 안에 준다.\n",
		"한빛소프트.md":    "# 한빛소프트 유지보수 계약서\n\n유지보수료는 월 90만 원이다.\n",
		"handbook.md": "# Handbook\n\nBrook Ltd gives 20 days of leave.\n",
		"fjord.md":    "# Staff handbook\n\nFjord Ltd gives 25 days of leave.\n",
		"인도네시아.md":    "# 인도네시아 출장 안내\n\n비자는 출발 2주 전에 낸다.\n",
		"claim.md":    "# Claim procedure\n\nSend the form to finance.\n",
		"휴가.md":       "# 휴가 규정\n\n휴가는 한 해에 15일이다.\n",
	} {
		if _, err := w.lib.Add(t.Context(), bot.NewDocument{Scope: "public", Name: name, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]string{
		"하늘철강 계약서에서 HanbitSoft 대금은 언제 줘?":                        "계약1.md",
		"바다기획 계약에서 hanbitsoft 대금은 언제까지야?":                        "계약2.md",
		"How many days does the Brook handbook give HanbitSoft?": "handbook.md",
		"그럼 휴가는 며칠이야?":                                           "휴가.md",
		"How do I get into the office?":                          "",
	} {
		hits, err := w.lib.Search(t.Context(), rag.Query{Text: question, Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, h := range hits {
			if !strings.Contains(got, h.Document.Source) {
				got += h.Document.Source
			}
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
}
