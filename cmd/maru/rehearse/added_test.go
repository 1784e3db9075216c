package rehearse_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"maru/cmd/maru/rehearse"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/local"
)

// put adds a document of one passage and returns its ID.
func put(t *testing.T, index *local.Index, scope, source, text string) string {
	t.Helper()
	doc, chunks := rag.Own(rag.Document{Title: source, Source: source, Hash: text, At: time.Now()}, []rag.Chunk{{Text: text, Heading: []string{"Top"}}}, scope)
	if err := index.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	return doc.ID
}

// TestAddedDocuments: documents of a shadow are in another scope, under the IDs that they would have there, for whoever reads that
// scope and for nobody else; the ones that they replace are not there.
func TestAddedDocuments(t *testing.T) {
	t.Parallel()
	index, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	const here, elsewhere = "channel:slack/T1/C1", "channel:slack/T1/C2"
	shadow := library.Shadow("r1", library.ShadowNew, here)
	old := put(t, index, here, "휴가.md", "반차는 오전에만 쓸 수 있어요.")
	put(t, index, elsewhere, "주차.md", "주차는 지하 이층에 해요.")
	put(t, index, shadow, "휴가.md", "반차는 오후에도 쓸 수 있어요.")
	put(t, index, shadow, "출장.md", "출장 숙박비는 하루 구만 원이에요.")
	with, changed, err := rehearse.Change{Gone: func(scope, id string) bool { return scope == here && id == old }, Shadow: shadow, As: here}.Index(t.Context(), index)
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	search := func(text string, scopes, documents []string) (texts []string) {
		t.Helper()
		hits, err := with.Search(t.Context(), rag.Query{Text: text, Scopes: scopes, Documents: documents, Limit: 5, Threshold: -1})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if h.Document.Scope == shadow || h.Document.ID != rag.DocumentID(h.Document.Scope, h.Document.Source) || h.Chunk.Document != h.Document.ID || h.Chunk.ID != h.Document.ID+"#0" {
				t.Errorf("a hit is %+v of %+v", h.Chunk, h.Document)
			}
			texts = append(texts, h.Chunk.Text)
		}
		return texts
	}
	if got := search("반차는 언제 쓸 수 있어?", []string{here}, nil); len(got) == 0 || got[0] != "반차는 오후에도 쓸 수 있어요." || slices.Contains(got, "반차는 오전에만 쓸 수 있어요.") {
		t.Errorf("found are %q", got)
	}
	if got := search("출장 숙박비 반차", []string{elsewhere}, nil); slices.ContainsFunc(got, func(s string) bool { return s != "주차는 지하 이층에 해요." }) {
		t.Errorf("another channel finds %q", got)
	}
	trip := rag.DocumentID(here, "출장.md")
	if got := search("숙박비 반차", []string{here, elsewhere}, []string{trip}); len(got) != 1 || got[0] != "출장 숙박비는 하루 구만 원이에요." {
		t.Errorf("in that document are %q", got)
	}
	docs, err := with.Documents(t.Context(), []string{here})
	if err != nil || len(docs) != 2 || slices.ContainsFunc(docs, func(d rag.Document) bool {
		return d.Scope != here || d.Hash == "반차는 오전에만 쓸 수 있어요."
	}) {
		t.Errorf("the documents are %+v, %v", docs, err)
	}
	if some, n, err := with.Some(t.Context(), []string{here}, 1); err != nil || n != 2 || len(some) != 1 || some[0].Scope != here {
		t.Errorf("some are %+v of %d, %v", some, n, err)
	}
	if d, err := with.Document(t.Context(), []string{here}, trip); err != nil || d.ID != trip || d.Scope != here {
		t.Errorf("the document is %+v, %v", d, err)
	}
	if c, d, err := with.Chunk(t.Context(), []string{here}, trip+"#0"); err != nil || c.ID != trip+"#0" || d.ID != trip {
		t.Errorf("the passage is %+v of %+v, %v", c, d, err)
	}
	if list, d, err := with.Passages(t.Context(), []string{here}, old, 0, 9); err != nil || len(list) != 1 || list[0].Document != old || d.Hash != "반차는 오후에도 쓸 수 있어요." {
		t.Errorf("the passages are %+v of %+v, %v", list, d, err)
	}
	if _, err := with.Document(t.Context(), []string{elsewhere}, trip); !errors.Is(err, rag.ErrNotFound) {
		t.Errorf("another channel has it: %v", err)
	}
}

// TestReplacedDocumentKeepsItsPassages: what a new edition of a document says as the old one did is found in it, and nothing of the old one.
func TestReplacedDocumentKeepsItsPassages(t *testing.T) {
	t.Parallel()
	index, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	const here = "channel:slack/T1/C1"
	shadow := library.Shadow("r1", library.ShadowNew, here)
	old := put(t, index, here, "휴가.md", "반차는 오전에만 쓸 수 있어요.")
	put(t, index, here, "주차.md", "주차는 지하 이층에 해요.")
	put(t, index, shadow, "휴가.md", "반차는 오전에만 쓸 수 있어요.")
	gone := func(scope, id string) bool { return scope == here && id == old }
	for name, c := range map[string]struct {
		change rehearse.Change
		only   []string // documents
		want   int
	}{
		"replaced":                  {rehearse.Change{Gone: gone, Shadow: shadow, As: here}, nil, 1},
		"replaced, in it":           {rehearse.Change{Gone: gone, Shadow: shadow, As: here}, []string{old}, 1},
		"removed":                   {rehearse.Change{Gone: gone}, nil, 0},
		"removed, in it":            {rehearse.Change{Gone: gone}, []string{old}, 0},
		"everything is gone":        {rehearse.Change{Gone: func(string, string) bool { return true }}, nil, 0},
		"another document is away":  {rehearse.Change{Gone: func(_, id string) bool { return id != old }}, nil, 1},
		"nothing that is here goes": {rehearse.Change{Gone: func(string, string) bool { return false }}, nil, 1},
	} {
		changed, _, err := c.change.Index(t.Context(), index)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := changed.Search(t.Context(), rag.Query{Text: "반차는 오전에만 쓸 수 있어?", Scopes: []string{here}, Documents: c.only, Limit: 1, Threshold: -1})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, h := range hits {
			if h.Chunk.Text == "반차는 오전에만 쓸 수 있어요." && h.Document.ID == old && h.Document.Scope == here {
				found++
			}
		}
		if found != c.want {
			t.Errorf("%s: found %d times, want %d: %+v", name, found, c.want, hits)
		}
	}
}

// TestShadowsAreCountedWithTheirScope: what a workspace, or a person in it, loses is lost in the copies of rehearsals, too.
func TestShadowsAreCountedWithTheirScope(t *testing.T) {
	t.Parallel()
	index, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	lib := library.New(library.Config{Index: index, Now: time.Now})
	const here, other = "channel:slack/T1/C1", "team:slack/T2"
	id := put(t, index, here, "a.md", "alpha")
	put(t, index, other, "b.md", "beta")
	for _, scope := range []string{here, other} {
		source := map[string]string{here: "a.md", other: "b.md"}[scope]
		doc := rag.DocumentID(scope, source)
		to := library.Shadow("r1", library.ShadowOld, scope)
		if err := lib.Copy(t.Context(), scope, doc, to, library.ShadowID(to, doc)); err != nil {
			t.Fatal(err)
		}
	}
	if err := lib.PurgeTeam(t.Context(), "slack/T1"); err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]int{here: 0, library.Shadow("r1", library.ShadowOld, here): 0, other: 1, library.Shadow("r1", library.ShadowOld, other): 1} {
		if docs, err := index.Documents(t.Context(), []string{scope}); err != nil || len(docs) != want {
			t.Errorf("%s has %+v, %v", scope, docs, err)
		}
	}
	if err := lib.Copy(t.Context(), here, id, other, id); !errors.Is(err, rag.ErrNotFound) {
		t.Errorf("a copy of nothing: %v", err)
	}
}
