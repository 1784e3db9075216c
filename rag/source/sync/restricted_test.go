package sync_test

import (
	"context"
	"slices"
	"testing"

	"maru/bot"
	"maru/rag/source"
)

// wiki is a source whose listing may leave pages out.
type wiki struct {
	pages      map[string]string // texts
	hidden     []string          // that the listing leaves out
	restricted []string
}

func (s *wiki) List(context.Context, string) (source.Page, error) {
	p := source.Page{Cursor: "x", Complete: true, Confirm: true}
	for id := range s.pages {
		if !slices.Contains(s.hidden, id) {
			p.Items = append(p.Items, source.Item{ID: id, Trusted: true, Version: s.pages[id]})
		}
	}
	return p, nil
}

func (s *wiki) Fetch(_ context.Context, it source.Item, _ string) (source.Content, error) {
	text, there := s.pages[it.ID]
	switch {
	case !there:
		return source.Content{}, source.ErrGone
	case slices.Contains(s.restricted, it.ID):
		return source.Content{}, source.ErrRestricted
	}
	return source.Content{Name: it.ID + ".txt", Data: []byte(text)}, nil
}

// TestSourceLeavesOut: what a listing leaves out goes only if it is gone; what becomes restricted goes at once, and is
// counted.
func TestSourceLeavesOut(t *testing.T) {
	t.Parallel()
	s := &wiki{pages: map[string]string{"a": "Text of a.", "b": "Text of b.", "c": "Text of c.", "d": "Text of d."}, restricted: []string{"d"}}
	r := source.Row{Name: "docs", Spec: source.Spec{Kind: source.Confluence, URL: "https://example.com", Scope: bot.ScopePublic, Every: 1 << 40, Pages: 100}}
	w := newWorld(t, r)
	w.open = func(source.Row) (source.Source, error) { return s, nil }
	check := func(when string, want, restricted int) {
		t.Helper()
		w.look()
		n, err := w.store.CountItems(t.Context(), "docs")
		if docs := w.docs(""); err != nil || len(docs) != want || n[source.Restricted] != restricted || n[source.Synced] != want {
			t.Errorf("%s: %v, %v, %v", when, docs, n, err)
		}
	}
	check("first", 3, 1)
	s.hidden = []string{"b"}
	check("left out", 3, 1)
	delete(s.pages, "b")
	check("gone", 2, 1)
	s.pages["c"], s.restricted = "Text of c, for some.", []string{"c"}
	check("c restricted", 1, 2)
	s.pages["d"] = "Text of d, for all."
	check("d open", 2, 1)
}
