package library

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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
	if lacks, err = crossed(ctx, l, q, t, first); err != nil || lacks {
		return nil, lacks, err
	}
	for _, w := range t.None {
		korean := false
		if lacks, err = lacking(ctx, l, q, t, w); err == nil && lacks {
			korean, err = inKorean(ctx, l, q, w.Text)
		}
		if err != nil || lacks && !korean {
			return nil, err == nil, err
		}
	}
	return nil, false, nil
}

// crossed reports whether a title combines one document's owner with words that only another owner's document has.
func crossed(ctx context.Context, l *Library, q rag.Query, t naming.Title, first map[string]map[string]int) (bool, error) {
	for _, c := range t.Near {
		if !t.Some || len(c.Lacks) != 1 || !c.Genre {
			continue
		}
		w := c.Lacks[0]
		if _, said := first[w.Text][c.Document.ID]; said || !w.Others || w.Head || isLatin(w.Text) != w.Name || !w.Name && !w.Must {
			continue
		}
		n, err := owned(ctx, l, q, []naming.Candidate{c})
		if err != nil {
			return false, err
		}
		proper := !w.Name
		if w.Name {
			if proper, _, err = capital(ctx, l, q, w.Text); err != nil {
				return false, err
			}
		}
		if n > 0 && proper {
			return true, nil
		}
	}
	return false, nil
}

// lacking reports whether there is no document of a title, since none has a word of it: a statute that no text says, or that
// texts cite, and a document of another kind where owners tell those here apart and the word may be another's. Wherever it may
// not, the document that is here may be meant: the Engineering handbook, 인턴 취업규칙, 재택 규정.
func lacking(ctx context.Context, l *Library, q rag.Query, t naming.Title, w naming.Qualifier) (bool, error) {
	first, _ := utf8.DecodeRuneInString(w.Text)
	others := 2 // candidates with owners
	switch {
	case t.Any, w.Name && unicode.IsLower(first), !w.Name && (!w.Must || alsoSaid()[strings.ToLower(w.Text)]):
		return false, nil
	case t.Law:
		said, err := l.saying(ctx, q, w.Text)
		return len(said) == 0 || slices.ContainsFunc(said, func(h rag.Hit) bool { return cites(h.Chunk.Text, w.Text) }), err
	case w.Name:
		others = max(1, min(others, len(t.Near)))
	case t.Bare, !t.Kind && (w.Head || !t.Some): // it may be a subject
		return false, nil
	default:
		others = max(others, len(t.Near))
	}
	if n, err := owned(ctx, l, q, t.Near); err != nil || n < others {
		return false, err
	}
	if w.Name {
		_, ordinary, err := capital(ctx, l, q, w.Text)
		return !ordinary, err
	}
	said, err := l.saying(ctx, q, w.Text)
	return len(said) == 0, err
}

// mostOwned is how many candidates are asked for their owners.
const mostOwned = 10

// owned returns how many candidates have a word in their names that may be their owner's: one that texts write as a proper name,
// or a Korean one. If the first all have, those after them are taken to.
func owned(ctx context.Context, l *Library, q rag.Query, near []naming.Candidate) (n int, err error) {
	for _, c := range near[:min(len(near), mostOwned)] {
		for _, w := range c.Own {
			name := !isLatin(w)
			if !name {
				if name, _, err = capital(ctx, l, q, w); err != nil {
					return 0, err
				}
			}
			if name {
				n++
				break
			}
		}
	}
	if n == mostOwned {
		n = len(near)
	}
	return n, nil
}

// rarely is how many times as often texts write a proper name with a capital as without one, as the addresses of its owner's
// pages do.
const rarely = 4

// capital reports whether texts write a word with a capital within a sentence, and hardly without: as a proper name. ordinary
// reports that they write it without, too.
func capital(ctx context.Context, l *Library, q rag.Query, word string) (proper, ordinary bool, err error) {
	hits, err := holding(ctx, l, rag.Query{Scopes: q.Scopes}, word)
	large, small := 0, 0
	for _, h := range hits {
		begins := true
		for w := range strings.FieldsSeq(h.Chunk.Text) {
			bare := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
			for _, mark := range []string{"'s", "’s"} {
				bare = strings.TrimSuffix(bare, mark)
			}
			if strings.EqualFold(bare, word) {
				if first, _ := utf8.DecodeRuneInString(bare); unicode.IsLower(first) {
					small++
				} else if !begins {
					large++
				}
			}
			begins = strings.ContainsAny(w[len(w)-1:], ".!?:")
		}
	}
	ordinary = small*rarely > large
	return large > 0 && !ordinary, ordinary, err
}

func isLatin(w string) bool { return w != "" && w[0] < utf8.RuneSelf }

// firstSaid returns the first passages that say a word, by the IDs of their documents.
func (l *Library) firstSaid(ctx context.Context, q rag.Query, word string) (map[string]int, error) {
	said, err := l.saying(ctx, q, word)
	out := map[string]int{}
	for _, h := range said {
		out[h.Document.ID] = h.Chunk.Ordinal
	}
	return out, err
}

// cites reports whether a text refers to a statute by name: 「우주항공법」, 우주항공법 제3조, 우주항공법에 따라, 우주항공법 시행령.
func cites(text, name string) bool {
	for {
		_, rest, ok := strings.Cut(text, name)
		if !ok {
			return false
		}
		for _, next := range []string{"」", " 제", "제", "에 따", "에 의", " 등", " 시행"} {
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
