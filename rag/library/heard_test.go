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
// surely answers.
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
}
