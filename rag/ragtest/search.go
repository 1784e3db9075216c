package ragtest

import (
	"fmt"
	"strings"
	"testing"

	"maru/rag"
)

func finds(t *testing.T, open Open) {
	x := start(t, open)
	library(t, x)
	for _, c := range []struct{ question, want string }{
		{"연차는 며칠이야?", "연차는 1년에"},
		{"How many days of annual leave do I have?", "annual leave"},
		{"재택근무를 며칠이나 할 수 있나요?", "재택근무는"},
		{"laptop replacement", "Laptops"},
		{"ＬＡＰＴＯＰ", "Laptops"},
		{"연차", "연차는"},
		{"get user name", "getUserName"},
		{"제 51 조의 2 과태료", "제51조의2"},
	} {
		hits := search(t, x, rag.Query{Text: c.question, Scopes: []string{"public"}})
		if len(hits) == 0 || !strings.Contains(hits[0].Chunk.Text, c.want) {
			t.Errorf("%q found %q, want %q first", c.question, texts(hits), c.want)
		}
	}
}

// namedArticle queries articles by the name of their document: others share the number, longer names contain shorter
// ones, and spaces vary.
func namedArticle(t *testing.T, open Open) {
	x := start(t, open)
	law := func(scope, name string) {
		chunks := []rag.Chunk{
			{Heading: []string{"제5조(배치)"}, Context: name + " > 제5조(배치)", Text: "청원경찰은 시설의 경비에 배치한다. " + strings.Repeat("청원경찰법 제5조와 제50조에 따른 청원경찰법 시행령. ", 3)},
			{Heading: []string{"제5조의2(복무)"}, Context: name + " > 제5조의2(복무)", Text: "청원경찰의 복무에는 다른 법을 준용한다."},
		}
		doc, chunks := rag.Own(rag.Document{Title: name, Source: name}, chunks, scope)
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"청원경찰법", "청원경찰법 시행령", "청원경찰법 시행규칙", "병역법"} {
		law("public", name)
	}
	law("secret", "국정원직원법")
	for _, c := range []struct{ ask, document, heading string }{
		{"청원경찰법 제5조", "청원경찰법", "제5조(배치)"},
		{"청원경찰법시행령 제 5 조의 2에는 뭐라고 되어 있어?", "청원경찰법 시행령", "제5조의2(복무)"},
		{"병역법제5조가 궁금해", "병역법", "제5조(배치)"},
		{"청원경찰법 시행규칙에서 복무 규정은 어디에 있나요?", "청원경찰법 시행규칙", "제5조의2(복무)"},
	} {
		hits := search(t, x, rag.Query{Text: c.ask, Scopes: []string{"public"}})
		if len(hits) == 0 || hits[0].Document.Title != c.document || hits[0].Chunk.Heading[0] != c.heading {
			t.Errorf("%s: found %s, want %s of %s first", c.ask, texts(hits), c.heading, c.document)
		}
	}
	for _, h := range search(t, x, rag.Query{Text: "국정원직원법 제5조", Scopes: []string{"public"}, Threshold: -1}) {
		if h.Document.Scope != "public" || h.Score == 1 {
			t.Errorf("a name from another scope counts: %v of %s", h.Score, h.Document.Title)
		}
	}
}

func offTopic(t *testing.T, open Open) {
	x := start(t, open)
	library(t, x)
	for _, q := range []string{"", "   ", "?!", "그게 뭐야?", "what is it", "비트코인 시세 알려줘", "Who won the world cup in 2018?"} {
		if hits := search(t, x, rag.Query{Text: q, Scopes: []string{"public"}}); len(hits) != 0 {
			t.Errorf("%q found %q (%.2f), want nothing", q, texts(hits), hits[0].Score)
		}
	}
	if hits := search(t, x, rag.Query{Text: "연차"}); len(hits) != 0 {
		t.Errorf("no scopes found %q, want nothing", texts(hits))
	}
}

func onlyDocuments(t *testing.T, open Open) {
	x := start(t, open)
	put(t, x, "public", "a", "연차 규정 하나")
	b := put(t, x, "public", "b", "연차 규정 둘")
	secret := put(t, x, "secret", "c", "연차 규정 셋")
	hits := search(t, x, rag.Query{Text: "연차 규정", Scopes: []string{"public"}, Documents: []string{b.ID, secret.ID, b.ID}})
	if texts(hits) != "연차 규정 둘" {
		t.Errorf("found %q, want only b's", texts(hits))
	}
}

func limits(t *testing.T, open Open) {
	x := start(t, open)
	for i := range 12 {
		put(t, x, "public", fmt.Sprint("doc", i), fmt.Sprintf("연차 규정 %d번째 이야기", i))
	}
	put(t, x, "public", "twin", "연차 규정 3번째 이야기")
	for _, c := range []struct{ limit, want int }{{0, 5}, {1, 1}, {8, 8}, {50, 12}} {
		if hits := search(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}, Limit: c.limit}); len(hits) != c.want {
			t.Errorf("limit %d found %d, want %d", c.limit, len(hits), c.want)
		}
	}
	if hits := search(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}, Limit: 50, Repeats: true}); len(hits) != 13 {
		t.Errorf("with repeats found %d, want 13", len(hits))
	}
}
