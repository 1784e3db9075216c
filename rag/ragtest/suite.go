// Package ragtest is the conformance suite of [rag.Index], with scope isolation checked against an oracle. It must
// not know implementations.
package ragtest

import (
	"strings"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag"
)

// Open returns an empty index. If the index survives Close, reopen opens it again; else it is nil.
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
		{"scopes_of_documents", scopes},
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

// most returns the number of repetitions: n, or in a short run, such as the race detector's, a part that covers each
// branch.
func most(t *testing.T, n, short int) int {
	t.Helper()
	if datatest.Short(t) {
		return short
	}
	return n
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
