package ragtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"maru/rag"
)

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
		doc.By, doc.Origin, doc.URL, doc.Own = "U1", "a1b2", "https://docs.example.com/휴가", true
		doc.Unread = []rag.Unread{{Name: "in/broken.pdf", Why: "broken"}}[:i%2]
		doc.Reader = 3 * (i / 2)
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
			if d.By != "U1" || d.URL != "https://docs.example.com/휴가" || !d.Own || d.Origin != "a1b2" || d.MIME != "text/plain" || d.At.IsZero() || d.Chunks != 1 || d.Reader != 3*(int(d.Source[3]-'0')/2) {
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

// scopes checks the list of scopes, by which a leaving workspace's documents are found.
func scopes(t *testing.T, open Open) {
	x := start(t, open)
	s, ok := x.(rag.Scoper)
	if !ok {
		t.Fatal("the index cannot name its scopes")
	}
	check := func(when, want string) {
		t.Helper()
		got, err := s.Scopes(t.Context())
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: scopes %q, %v, want %s", when, got, err, want)
		}
	}
	check("of nothing", "")
	var docs []rag.Document
	for _, scope := range []string{"team:slack/T1", "channel:slack/T1/C1", "team:slack/T1", "public"} {
		docs = append(docs, put(t, x, scope, fmt.Sprint("doc", len(docs)), "연차"))
	}
	check("of four documents", "channel:slack/T1/C1 public team:slack/T1")
	for _, d := range docs[:2] {
		if _, err := x.Delete(t.Context(), d.Scope, d.ID); err != nil {
			t.Fatal(err)
		}
	}
	check("without two", "public team:slack/T1")
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
