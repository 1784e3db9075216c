package library

import (
	"context"
	"slices"
	"strings"
	"sync"

	"maru/rag"
	"maru/rag/lexicon"
	"maru/rag/naming"
)

// titled binds a question to the documents of the first title in it that there are: by their names, or by what their openings
// say. With none, the first title that has a word of no document makes its document missing. decided is false where titles
// tell nothing.
func (l *Library) titled(ctx context.Context, q rag.Query, d *directory, r *naming.Reading) (decided bool, err error) {
	missing := ""
	for _, t := range r.Titles {
		docs := t.Full
		if len(docs) == 0 {
			var lacks bool
			if docs, lacks, err = l.opened(ctx, q, t); err != nil {
				return false, err
			}
			if lacks && missing == "" {
				missing = t.Name
			}
		}
		if len(docs) > 0 {
			closer := false
			if len(docs) > 1 && len(r.Documents) > 0 {
				if closer, err = l.proper(ctx, q, d, r.Others); err != nil {
					return false, err
				}
			}
			r.BindTitle(t, docs, closer)
			return true, nil
		}
	}
	if missing != "" {
		r.Missing, r.Documents = missing, nil
	}
	return missing != "", nil
}

// fewNear is how many candidates may say the rest of a title anywhere.
const fewNear = 2

// opened returns the candidates of a title whose texts begin with the words that their names lack; one or two with the other
// words may say them anywhere. lacks reports that there is no document of the title.
func (l *Library) opened(ctx context.Context, q rag.Query, t naming.Title) (docs []rag.Document, lacks bool, err error) {
	near, first := q, map[string]map[string]int{}
	for _, c := range t.Near {
		near.Documents = append(near.Documents, c.Document.ID)
	}
	for _, c := range t.Near {
		for _, w := range c.Lacks {
			if first[w.Text] == nil {
				if first[w.Text], err = l.firstSaid(ctx, near, w.Text); err != nil {
					return nil, false, err
				}
			}
		}
	}
	anywhere := t.Some && len(t.Near) <= fewNear
	for _, c := range t.Near {
		if !slices.ContainsFunc(c.Lacks, func(w naming.Qualifier) bool {
			at, ok := first[w.Text][c.Document.ID]
			return !c.Genre && !w.Name || w.Head && !t.Some || !ok || at >= opening && !(anywhere && w.Name)
		}) {
			docs = append(docs, c.Document)
		}
	}
	if len(docs) > 0 {
		return docs, false, nil
	}
	for _, w := range t.None {
		if w.Name && len(t.Near) > 0 && !t.Law {
			return nil, true, nil
		}
		if !w.Must || alsoSaid()[strings.ToLower(w.Text)] {
			continue
		}
		said, err := l.saying(ctx, q, w.Text)
		if err != nil {
			return nil, false, err
		}
		treats := func(h rag.Hit) bool { return naming.Holds(rag.Hit{Chunk: rag.Chunk{Text: h.Chunk.Context}}, w.Text) }
		switch {
		case len(said) == 0:
			return nil, true, nil
		case t.Law && slices.ContainsFunc(said, func(h rag.Hit) bool { return cites(h.Chunk.Text, w.Text) }):
			return nil, true, nil
		case t.Kind && len(t.Near) > 0 && !t.Some && !slices.ContainsFunc(said, treats):
			return nil, true, nil
		}
	}
	return nil, false, nil
}

// firstSaid returns the first passages that say a word, by the IDs of their documents.
func (l *Library) firstSaid(ctx context.Context, q rag.Query, word string) (map[string]int, error) {
	said, err := l.saying(ctx, q, word)
	out := map[string]int{}
	for _, h := range said {
		out[h.Document.ID] = h.Chunk.Ordinal
	}
	return out, err
}

// cites reports whether a text refers to a statute by name: 「우주항공법」, 우주항공법 제3조, 우주항공법에 따라.
func cites(text, name string) bool {
	for {
		_, rest, ok := strings.Cut(text, name)
		if !ok {
			return false
		}
		for _, next := range []string{"」", " 제", "제", "에 따", "에 의", " 등"} {
			if strings.HasPrefix(rest, next) {
				return true
			}
		}
		text = rest
	}
}

// alsoSaid has the words for which texts may say another.
var alsoSaid = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, g := range slices.Concat(lexicon.Groups(), lexicon.Translations()) {
		for _, w := range g.Same {
			out[w] = true
		}
	}
	return out
})
