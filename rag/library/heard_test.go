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
