package rag_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/load"
	"maru/rag/local"
)

// contracts indexes the samples in testdata and returns their IDs by file name.
func contracts(t *testing.T) (rag.Index, map[string]string) {
	t.Helper()
	index, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	in := rag.Ingester{Loader: load.New(load.Config{}), Index: index, Now: time.Now}
	ids := map[string]string{}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		data, err := os.ReadFile("testdata/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		doc, _, err := in.Add(t.Context(), rag.File{Scope: "team", Name: f.Name(), Data: data}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ids[f.Name()] = doc.ID
	}
	return index, ids
}

const (
	korean  = "근로계약서.txt"
	english = "services-agreement.md"
	licence = "licence.txt"
)

func labels(list []rag.Article) string {
	var out []string
	for _, a := range list {
		out = append(out, strings.TrimSpace(a.Label+" "+a.Title))
	}
	return strings.Join(out, "; ")
}

func TestOutline(t *testing.T) {
	t.Parallel()
	index, ids := contracts(t)
	look := rag.Lookup{Index: index}
	for name, want := range map[string]string{
		korean:  "제1조 목적; 제2조 정의; 제9조 근로시간; 제10조 휴게; 제10조의2 재택근무; 제11조 연차 유급휴가; 제12조 경조사 휴가; 제1조 시행일; 별표 1 경조사 휴가 일수; 별표 1의2 경조금",
		english: "Article 1 Definitions; Article 5 Fees and Payment; Section 5.3 Expenses; ARTICLE VI TERMINATION; Annex B Price List",
		licence: "1 Grant; 2.1 Licence Fee; 2.2 Audit Rights; 3 Liability",
	} {
		list, err := look.Outline(t.Context(), []string{"team"}, ids[name])
		if err != nil || labels(list) != want {
			t.Errorf("%s (%v):\n got %s\nwant %s", name, err, labels(list), want)
		}
	}
	if _, err := look.Outline(t.Context(), []string{"other"}, ids[korean]); !errors.Is(err, rag.ErrNotFound) {
		t.Errorf("another scope's outline: %v", err)
	}
}

func TestByNumber(t *testing.T) {
	t.Parallel()
	index, ids := contracts(t)
	look := rag.Lookup{Index: index}
	for _, c := range []struct{ name, ask, articles, piece string }{
		{korean, "제9조", "제9조 근로시간", ""},
		{korean, "9조", "제9조 근로시간", ""},
		{korean, "제 10 조의 2", "제10조의2 재택근무", ""},
		{korean, "10-2", "제10조의2 재택근무", ""},
		{korean, "제10조", "제10조 휴게", ""},
		{korean, "제9조제2항", "제9조 근로시간", "② 회사는 직원과 합의하여 1주 12시간까지 연장할 수 있다."},
		{korean, "제10조의2 제1항 제2호 나목", "제10조의2 재택근무", "나. 회사가 인정한 때"},
		{korean, "제10조의2제1항제2호의2", "제10조의2 재택근무", "2의2. 재난으로 출근이 어려운 때"},
		{korean, "제2조제2호", "제2조 정의", "2. \"직원\"이란 제4조에 따라 채용된 사람을 말한다."},
		{korean, "제9조제3항", "제9조 근로시간", "missing"},
		{korean, "제1조", "제1조 목적; 제1조 시행일", ""},
		{korean, "별표 1", "별표 1 경조사 휴가 일수", ""},
		{korean, "별표1의2", "별표 1의2 경조금", ""},
		{korean, "제2장", "제9조 근로시간; 제10조 휴게; 제10조의2 재택근무; 제11조 연차 유급휴가; 제12조 경조사 휴가", ""},
		{korean, "제2절", "제11조 연차 유급휴가; 제12조 경조사 휴가", ""},
		{korean, "제99조", "near 제12조 경조사 휴가; 제11조 연차 유급휴가; 제10조의2 재택근무", ""},
		{english, "Article 5", "Article 5 Fees and Payment", ""},
		{english, "Article 5(b)(ii)", "Article 5 Fees and Payment", "(ii) allows the Consultant to suspend the Services."},
		{english, "Section 5.3", "Section 5.3 Expenses", ""},
		{english, "article vi", "near Article 5 Fees and Payment; Section 5.3 Expenses; ARTICLE VI TERMINATION", ""},
		{english, "Article VI", "ARTICLE VI TERMINATION", ""},
		{english, "Annex B", "Annex B Price List", ""},
		{english, "Article 9", "near ARTICLE VI TERMINATION; Section 5.3 Expenses; Article 5 Fees and Payment", ""},
		{licence, "Section 2.2", "2.2 Audit Rights", ""},
		{licence, "Section 2", "2.1 Licence Fee; 2.2 Audit Rights", ""},
		{licence, "clause 3", "3 Liability", ""},
	} {
		in := rag.Within{Scopes: []string{"team"}, Documents: []string{ids[c.name]}}
		f, err := look.ByNumber(t.Context(), in, c.ask)
		if errors.Is(err, rag.ErrNoNumber) && c.ask == "article vi" {
			continue // lower-case Roman numbers are words
		}
		if err != nil {
			t.Errorf("%s: %v", c.ask, err)
			continue
		}
		got := labels(f.Articles)
		if len(f.Articles) == 0 {
			got = "near " + labels(f.Nearest)
		}
		piece := f.Piece
		if f.Missing {
			piece = "missing"
		}
		if got != c.articles || piece != c.piece {
			t.Errorf("%s:\n got %s | %s\nwant %s | %s", c.ask, got, piece, c.articles, c.piece)
		}
	}
	if _, err := look.ByNumber(t.Context(), rag.Within{Scopes: []string{"team"}}, "휴가"); !errors.Is(err, rag.ErrNoNumber) {
		t.Errorf("no number: %v", err)
	}
	f, err := look.ByNumber(t.Context(), rag.Within{Scopes: []string{"other"}, Documents: []string{ids[korean]}}, "제9조")
	if err != nil || len(f.Articles)+len(f.Nearest) != 0 {
		t.Errorf("another scope sees %s near %s, %v", labels(f.Articles), labels(f.Nearest), err)
	}
}

func TestByNumberInAllDocuments(t *testing.T) {
	t.Parallel()
	index, _ := contracts(t)
	f, err := rag.Lookup{Index: index}.ByNumber(t.Context(), rag.Within{Scopes: []string{"team"}}, "Article 5")
	if err != nil || labels(f.Articles) != "Article 5 Fees and Payment" {
		t.Errorf("found %s, %v", labels(f.Articles), err)
	}
	if a := f.Articles[0]; a.Document.Title != "Consulting Services Agreement" || !strings.Contains(a.Text(), "suspend the Services") {
		t.Errorf("article of %q: %q", a.Document.Title, a.Text())
	}
}

func TestByTitle(t *testing.T) {
	t.Parallel()
	index, ids := contracts(t)
	look := rag.Lookup{Index: index}
	for _, c := range []struct{ name, ask, want string }{
		{korean, "연차유급휴가", "제11조 연차 유급휴가"},
		{korean, "휴게", "제10조 휴게"},
		{korean, "경조사 휴가", "제12조 경조사 휴가"},
		{korean, "재택근무 조항이 뭐야?", "제10조의2 재택근무"},
		{korean, "위약금", ""},
		{english, "payment", "Article 5 Fees and Payment"},
		{english, "Termination", "ARTICLE VI TERMINATION"},
		{english, "price list", "Annex B Price List"},
	} {
		list, err := look.ByTitle(t.Context(), rag.Within{Scopes: []string{"team"}, Documents: []string{ids[c.name]}}, c.ask)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(list) > 0 {
			got = labels([]rag.Article{list[0].Article})
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.ask, got, c.want)
		}
	}
}

// A long article is cut with an overlap; read as a whole it says nothing twice.
func TestLongArticleIsReadWhole(t *testing.T) {
	t.Parallel()
	index, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	var body strings.Builder
	for i := range 120 {
		fmt.Fprintf(&body, "%d번째 문장은 손해배상의 범위를 정한다. ", i)
	}
	in := rag.Ingester{Loader: load.New(load.Config{}), Index: index, Now: time.Now}
	text := "제1조(손해배상) " + strings.TrimSpace(body.String()) + "\n제2조(관할) 서울중앙지방법원으로 한다.\n"
	doc, _, err := in.Add(t.Context(), rag.File{Scope: "team", Name: "긴 계약.txt", Data: []byte(text)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	look := rag.Lookup{Index: index}
	f, err := look.ByNumber(t.Context(), rag.Within{Scopes: []string{"team"}, Documents: []string{doc.ID}}, "제1조")
	if err != nil || len(f.Articles) != 1 || len(f.Articles[0].Chunks) < 3 {
		t.Fatalf("found %+v, %v", f.Articles, err)
	}
	if got, want := f.Articles[0].Text(), strings.TrimSpace(body.String()); got != want {
		t.Errorf("the article reads %d bytes, want %d: %.200q", len(got), len(want), got)
	}
}
