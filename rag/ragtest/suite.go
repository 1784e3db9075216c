// Package ragtest is the suite that every [rag.Index] must pass: the contract
// of rag.Index as tests, with scope isolation held against an oracle. It knows
// no implementation.
package ragtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/rag"
)

// Open makes an empty index. When the index outlives a Close, reopen opens it
// again; nil means that it does not.
type Open func(t *testing.T) (index rag.Index, reopen func(t *testing.T) rag.Index)

// Run runs the whole suite.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"finds_korean_and_english", finds},
		{"named_article_comes_first", namedArticle},
		{"off_topic_finds_nothing", offTopic},
		{"put_replaces", replaces},
		{"delete_is_idempotent", deletes},
		{"documents_newest_first", documents},
		{"chunk_by_id", chunkByID},
		{"passages_in_order", passages},
		{"only_these_documents", onlyDocuments},
		{"only_these_tags_and_days", filters},
		{"tags_and_days_are_those_of_the_last_put", retagged},
		{"filters_are_the_oracles", filterOracle},
		{"limit_and_repeats", limits},
		{"bad_put_changes_nothing", badPut},
		{"cancelled_put_changes_nothing", cancelled},
		{"scopes_are_isolated", isolation},
		{"scores_do_not_tell_of_other_scopes", silence},
		{"readers_see_whole_documents", concurrent},
		{"closed_index_refuses", closed},
		{"survives_reopening", reopening},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open)
		})
	}
}

// Doc makes a document of these passages.
func Doc(scope, source string, passages ...string) (rag.Document, []rag.Chunk) {
	chunks := make([]rag.Chunk, len(passages))
	at := 0
	for i, p := range passages {
		chunks[i] = rag.Chunk{Text: p, Context: source, Heading: []string{source}, Page: i + 1, Start: at, End: at + len(p)}
		at += len(p) + 1
	}
	doc := rag.Document{Source: source, Title: source, MIME: "text/plain", Hash: source, Size: int64(at), At: time.Unix(1_700_000_000, 0).UTC()}
	return rag.Own(doc, chunks, scope)
}

func put(t *testing.T, x rag.Index, scope, source string, passages ...string) rag.Document {
	t.Helper()
	doc, chunks := Doc(scope, source, passages...)
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatalf("put %s: %v", source, err)
	}
	return doc
}

func search(t *testing.T, x rag.Index, q rag.Query) []rag.Hit {
	t.Helper()
	hits, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %q: %v", q.Text, err)
	}
	for i, h := range hits {
		if h.Score < 0 || h.Score > 1 {
			t.Fatalf("score %v of %s is not in [0,1]", h.Score, h.Chunk.ID)
		}
		if h.Chunk.Document != h.Document.ID || !strings.HasPrefix(h.Chunk.ID, h.Document.ID+"#") {
			t.Fatalf("hit %d: passage %s does not belong to %s", i, h.Chunk.ID, h.Document.ID)
		}
	}
	return hits
}

func texts(hits []rag.Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Chunk.Text)
	}
	return strings.Join(out, " / ")
}

func start(t *testing.T, open Open) rag.Index {
	x, _ := open(t)
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func library(t *testing.T, x rag.Index) {
	put(t, x, "public", "leave", "연차는 1년에 15일입니다.", "병가는 1년에 10일까지 유급입니다.", "재택근무는 일주일에 최대 3일까지 할 수 있습니다.")
	put(t, x, "public", "handbook", "Employees receive 15 days of annual leave every year.", "Laptops are replaced every three years.", "getUserName returns the name; see HTTP_PORT.")
	put(t, x, "public", "law", "제51조의2(과태료) 정당한 사유 없이 신고하지 아니한 자에게는 과태료를 부과한다.", "제52조(벌칙) 거짓으로 신고한 자는 벌금에 처한다.")
}

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

// namedArticle asks for articles by the name of their document: others have the
// same number, longer names hold shorter ones, and spaces are anybody's guess.
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

func replaces(t *testing.T, open Open) {
	x := start(t, open)
	put(t, x, "public", "rules", "연차는 15일입니다.", "옛날 규정 이야기")
	doc := put(t, x, "public", "rules", "연차는 20일입니다.")
	hits := search(t, x, rag.Query{Text: "연차 옛날 규정", Scopes: []string{"public"}, Threshold: -1})
	if got := texts(hits); got != "연차는 20일입니다." {
		t.Errorf("after a second put: %q", got)
	}
	docs, err := x.Documents(t.Context(), []string{"public"})
	if err != nil || len(docs) != 1 || docs[0].Chunks != 1 || docs[0].ID != doc.ID {
		t.Errorf("documents %+v, %v; want the new one alone", docs, err)
	}
}

func deletes(t *testing.T, open Open) {
	x := start(t, open)
	doc := put(t, x, "public", "rules", "연차는 15일입니다.")
	for _, c := range []struct {
		scope string
		want  bool
	}{{"other", false}, {"public", true}, {"public", false}} {
		got, err := x.Delete(t.Context(), c.scope, doc.ID)
		if err != nil || got != c.want {
			t.Errorf("delete in %s = %v, %v; want %v", c.scope, got, err, c.want)
		}
	}
	if hits := search(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}, Threshold: -1}); len(hits) != 0 {
		t.Errorf("found %q after delete", texts(hits))
	}
	put(t, x, "public", "rules", "연차는 16일입니다.")
	if hits := search(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}}); len(hits) != 1 {
		t.Errorf("a deleted document cannot be put again: %q", texts(hits))
	}
}

func documents(t *testing.T, open Open) {
	x := start(t, open)
	for i := range 5 {
		doc, chunks := Doc("s"+strconv.Itoa(i%2), "doc"+strconv.Itoa(i), "내용")
		doc.At = doc.At.Add(time.Duration(i) * time.Hour)
		doc.By, doc.Origin = "U1", "a1b2"
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		scopes []string
		want   string
	}{{nil, ""}, {[]string{"s1"}, "doc3 doc1"}, {[]string{"s0", "s1", "s1"}, "doc4 doc3 doc2 doc1 doc0"}} {
		docs, err := x.Documents(t.Context(), c.scopes)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range docs {
			got = append(got, d.Source)
			if d.By != "U1" || d.Origin != "a1b2" || d.MIME != "text/plain" || d.At.IsZero() || d.Chunks != 1 {
				t.Errorf("%s came back as %+v", d.Source, d)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("documents of %v: %v, want %s", c.scopes, got, c.want)
		}
		some(t, x, c.scopes, docs)
	}
}

// some checks an index that samples against the list of all.
func some(t *testing.T, x rag.Index, scopes []string, all []rag.Document) {
	t.Helper()
	s, ok := x.(rag.Sampler)
	if !ok {
		return
	}
	few, total, err := s.Some(t.Context(), scopes, 2)
	if err != nil || total != len(all) || len(few) != min(2, len(all)) {
		t.Errorf("some of %v: %d of %d, %v; want 2 of %d", scopes, len(few), total, err, len(all))
	}
	for _, d := range few {
		if !slices.ContainsFunc(all, func(a rag.Document) bool { return a.ID == d.ID && a.Scope == d.Scope }) {
			t.Errorf("some of %v: %s is none of them", scopes, d.ID)
		}
	}
}

func chunkByID(t *testing.T, open Open) {
	x := start(t, open)
	doc, chunks := Doc("public", "leave", "첫째", "둘째")
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	got, of, err := x.Chunk(t.Context(), []string{"else", "public"}, chunks[1].ID)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(chunks[1]) || of.ID != doc.ID || of.Source != "leave" {
		t.Errorf("chunk came back as %+v of %+v, %v", got, of, err)
	}
	for _, c := range []struct {
		scopes []string
		id     string
	}{{[]string{"else"}, chunks[1].ID}, {nil, chunks[1].ID}, {[]string{"public"}, doc.ID + "#9"}, {[]string{"public"}, "nonsense"}, {[]string{"public"}, ""}} {
		if _, _, err := x.Chunk(t.Context(), c.scopes, c.id); !errors.Is(err, rag.ErrNotFound) {
			t.Errorf("chunk %q for %v: %v, want ErrNotFound", c.id, c.scopes, err)
		}
	}
}

func passages(t *testing.T, open Open) {
	x := start(t, open)
	doc, chunks := Doc("public", "leave", "하나", "둘", "셋", "넷")
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to int
		want     string
	}{{0, 4, "하나 둘 셋 넷"}, {1, 3, "둘 셋"}, {-5, 1, "하나"}, {2, 1 << 30, "셋 넷"}, {3, 2, ""}, {9, 12, ""}, {0, -1, ""}} {
		got, of, err := x.Passages(t.Context(), []string{"else", "public"}, doc.ID, c.from, c.to)
		var texts []string
		for _, p := range got {
			texts = append(texts, p.Text)
		}
		if err != nil || of.ID != doc.ID || strings.Join(texts, " ") != c.want {
			t.Errorf("passages %d to %d: %q of %q, %v, want %q", c.from, c.to, texts, of.ID, err, c.want)
		}
	}
	for _, scopes := range [][]string{nil, {"else"}} {
		if _, _, err := x.Passages(t.Context(), scopes, doc.ID, 0, 4); !errors.Is(err, rag.ErrNotFound) {
			t.Errorf("passages for %v: %v, want ErrNotFound", scopes, err)
		}
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

func badPut(t *testing.T, open Open) {
	x := start(t, open)
	put(t, x, "public", "rules", "연차는 15일입니다.")
	good, chunks := Doc("public", "rules", "연차는 99일입니다.")
	for name, bad := range map[string]func() (rag.Document, []rag.Chunk){
		"no_id":         func() (rag.Document, []rag.Chunk) { d := good; d.ID = ""; return d, chunks },
		"no_scope":      func() (rag.Document, []rag.Chunk) { d := good; d.Scope = ""; return d, chunks },
		"foreign_chunk": func() (rag.Document, []rag.Chunk) { c := chunks[0]; c.Document = "other"; return good, []rag.Chunk{c} },
		"nameless_chunk": func() (rag.Document, []rag.Chunk) {
			c := chunks[0]
			c.ID = ""
			return good, []rag.Chunk{c}
		},
	} {
		if doc, c := bad(); x.Put(t.Context(), doc, c) == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if got := texts(search(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}})); got != "연차는 15일입니다." {
		t.Errorf("after failed puts: %q", got)
	}
}

func cancelled(t *testing.T, open Open) {
	x := start(t, open)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	doc, chunks := Doc("public", "rules", "연차는 15일입니다.")
	if err := x.Put(ctx, doc, chunks); !errors.Is(err, context.Canceled) {
		t.Errorf("put with a cancelled context: %v", err)
	}
	if hits := search(t, x, rag.Query{Text: "연차", Scopes: []string{"public"}}); len(hits) != 0 {
		t.Errorf("a cancelled put left %q", texts(hits))
	}
}

func closed(t *testing.T, open Open) {
	x, _ := open(t)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	doc, chunks := Doc("public", "rules", "연차")
	if x.Put(t.Context(), doc, chunks) == nil {
		t.Error("a closed index took a document")
	}
	if _, err := x.Search(t.Context(), rag.Query{Text: "연차", Scopes: []string{"public"}}); err == nil {
		t.Error("a closed index answered")
	}
}

func concurrent(t *testing.T, open Open) {
	x := start(t, open)
	const rounds = 60
	put(t, x, "public", "moving", "연차 판 0 가", "연차 판 0 나")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				hits, err := x.Search(t.Context(), rag.Query{Text: "연차 판", Scopes: []string{"public"}, Repeats: true, Threshold: -1})
				if err != nil || len(hits) != 2 {
					t.Errorf("a reader saw %d passages (%v), want always two", len(hits), err)
					return
				}
				if a, b := strings.Fields(hits[0].Chunk.Text), strings.Fields(hits[1].Chunk.Text); a[2] != b[2] {
					t.Errorf("a reader saw half of two editions: %v %v", a, b)
					return
				}
			}
		})
	}
	for i := 1; i <= rounds; i++ {
		put(t, x, "public", "moving", fmt.Sprintf("연차 판 %d 가", i), fmt.Sprintf("연차 판 %d 나", i))
		put(t, x, "other", fmt.Sprint("noise", i), "연차 판 소음")
	}
	close(stop)
	wg.Wait()
}

func reopening(t *testing.T, open Open) {
	x, reopen := open(t)
	if reopen == nil {
		_ = x.Close()
		t.Skip("this index is not persistent")
	}
	library(t, x)
	gone := put(t, x, "public", "gone", "지운 이야기")
	put(t, x, "public", "leave", "연차는 1년에 16일입니다.")
	if _, err := x.Delete(t.Context(), "public", gone.ID); err != nil {
		t.Fatal(err)
	}
	q := rag.Query{Text: "연차 annual leave 과태료 지운 이야기", Scopes: []string{"public"}, Threshold: -1, Limit: 20}
	before := search(t, x, q)
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = reopen(t)
		if after := search(t, x, q); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("after reopening:\n%v\nwas:\n%v", after, before)
		}
	}
	_ = x.Close()
}
