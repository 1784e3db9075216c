package rag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/rag/article"
)

// ErrNoNumber reports that the text given to [Lookup.ByNumber] names no article.
var ErrNoNumber = errors.New("rag: the text names no article; write it like 제5조, Article 5 or Annex B")

// Within restricts a lookup: to documents, if any are named, else to all of scopes.
type Within struct {
	Scopes    []string
	Documents []string
}

// Lookup finds articles by number or title. It reads an [Index] and is stateless; an unreadable document counts as
// missing.
type Lookup struct{ Index Index }

// Found is the result of a lookup by number.
type Found struct {
	Ref      article.Ref // the parsed ref
	Articles []Article   // matches; several are an ambiguity: other documents, annexes that restart numbering
	Piece    string      // text of the requested 항, 호 or 목 of the first article; else empty
	Missing  bool        // the first article lacks the requested 항, 호 or 목
	Nearest  []Article   // without a match in the body: up to three articles with the nearest numbers
}

const (
	nearest     = 3
	whole       = 1 << 30 // passages: up to the last
	lookupDepth = 40      // passages that a look-up without documents considers
)

// ByNumber finds the articles named in a text: "제10조의2제1항", "Article 5(2)", "Section 3.2", "별표 1", "제2장" (every
// article of it), or a bare "5". Without a number it returns [ErrNoNumber].
func (l Lookup) ByNumber(ctx context.Context, in Within, text string) (Found, error) {
	ref, ok := article.Parse(text)
	if !ok {
		return Found{}, fmt.Errorf("look up %.60q: %w", text, ErrNoNumber)
	}
	f := Found{Ref: ref}
	all, err := l.candidates(ctx, in, text)
	if err != nil {
		return f, fmt.Errorf("look up %s: %w", ref, err)
	}
	f.Articles, ref = matching(all, ref)
	if !slices.ContainsFunc(f.Articles, func(a Article) bool { return !a.Behind() }) {
		f.Nearest = nextTo(all, ref)
	}
	if len(f.Articles) == 0 {
		return f, nil
	}
	text = f.Articles[0].Text()
	if f.Articles[0].Ref.Number != f.Ref.Number && !f.Ref.Inner() {
		if piece, ok := article.Below(text, f.Ref.Number); ok { // 2.1.2 of section 2
			f.Piece = piece
			return f, nil
		}
	}
	if ref.Inner() {
		f.Piece, ok = article.Item(text, ref)
		f.Missing = !ok
	}
	return f, nil
}

// matching returns the articles of a ref. An Article differs from a Section of the same number if the document has
// both, and 3.2 may be the second paragraph of 3.
func matching(all []Article, ref article.Ref) ([]Article, article.Ref) {
	if ref.Kind < article.Article {
		return under(all, ref), ref
	}
	of := func(same func(article.Ref) bool) []Article {
		return slices.DeleteFunc(slices.Clone(all), func(a Article) bool { return !same(a.Ref) })
	}
	if ref.Kind == article.Addenda {
		if out := of(func(r article.Ref) bool { return r.Kind == article.Addenda }); len(out) > 0 {
			return out, ref
		}
		return under(all, ref), ref // addenda of articles alone
	}
	if out := of(func(r article.Ref) bool { return r.Kind == ref.Kind && r.Key() == ref.Key() && r.Word == ref.Word }); len(out) > 0 {
		return out, ref // 별지 1, where there is a 별표 1 too
	}
	if out := of(func(r article.Ref) bool { return r.Kind == ref.Kind && r.Key() == ref.Key() }); len(out) > 0 {
		return out, ref
	}
	if out := of(func(r article.Ref) bool { return r.Key() == ref.Key() }); len(out) > 0 {
		return out, ref
	}
	for i := strings.LastIndex(ref.Number, "-"); i > 0 && !ref.Korean && ref.Paragraph == ""; i = strings.LastIndex(ref.Number[:i], "-") {
		paragraph := ref
		paragraph.Number, paragraph.Paragraph = ref.Number[:i], ref.Number[i+1:]
		if out := of(func(r article.Ref) bool { return r.Key() == paragraph.Key() }); len(out) > 0 {
			return out, paragraph
		}
	}
	// "Article 3" of a document whose sections are 3.1, 3.2 and so on.
	return of(func(r article.Ref) bool { return strings.HasPrefix(r.Key(), ref.Key()+"-") && !r.Korean }), ref
}

// After reports whether an article is in the addenda or an annex, whose numbering restarts.
func (a Article) Behind() bool {
	return a.Ref.Kind < article.Annex && slices.ContainsFunc(a.Heading[:len(a.Heading)-1], func(h string) bool {
		head, ok := article.Heading(h)
		return ok && head.Ref.Kind >= article.Annex
	})
}

// under returns the articles below a chapter or a part.
func under(all []Article, ref article.Ref) []Article {
	return slices.DeleteFunc(slices.Clone(all), func(a Article) bool {
		return !slices.ContainsFunc(a.Heading, func(h string) bool {
			head, ok := numbered(h)
			return ok && head.Ref.Key() == ref.Key()
		})
	})
}

// nextTo returns the articles whose numbers are nearest.
func nextTo(all []Article, ref article.Ref) []Article {
	type scored struct {
		a Article
		d float64
	}
	var out []scored
	for _, a := range all {
		if a.Ref.Article().Key()[0] != ref.Article().Key()[0] || a.Behind() {
			continue // another kind of part
		}
		if d, ok := article.Distance(a.Ref, ref); ok {
			out = append(out, scored{a, d})
		}
	}
	slices.SortStableFunc(out, func(x, y scored) int { return cmp.Compare(x.d, y.d) })
	var list []Article
	for _, s := range out[:min(len(out), nearest)] {
		list = append(list, s.a)
	}
	return list
}

// Titled is an article found by title.
type Titled struct {
	Article

	Score float64 // 1 for an exact title, down to 0.5
}

// ByTitle finds articles by heading title, best first: exact titles, ignoring spaces, then titles containing the
// words. At most ten.
func (l Lookup) ByTitle(ctx context.Context, in Within, title string) ([]Titled, error) {
	all, err := l.candidates(ctx, in, title)
	if err != nil {
		return nil, fmt.Errorf("look up title %.60q: %w", title, err)
	}
	var out []Titled
	for _, a := range all {
		if s := titleScore(a.Title, title); s >= 0.5 {
			out = append(out, Titled{a, s})
		}
	}
	slices.SortStableFunc(out, func(x, y Titled) int { return cmp.Compare(y.Score, x.Score) })
	return out[:min(len(out), 10)], nil
}

// titleScore compares a query with a title.
func titleScore(title, asked string) float64 {
	t, q := squeeze(title), squeeze(asked)
	switch {
	case t == "" || q == "":
		return 0
	case t == q:
		return 1
	case strings.Contains(q, t) && len(t) >= 2*syllable:
		return 0.9 + 0.05*float64(len(t))/float64(len(q)) // prefers the longest title in the question
	}
	var an Analyzer
	have := map[string]bool{}
	an.Document(title, func(term []byte) { have[string(term)] = true })
	words := an.Query(asked)
	list := make([]Evidence, 0, len(words))
	for _, w := range words {
		if w.Weight == 0 {
			continue
		}
		list = append(list, Evidence{Weight: w.Weight, Match: w.HeldBy(have)})
	}
	// Short queries match long titles, so a title's further words cost little.
	return 0.8*Confidence(list) + 0.05*float64(min(len(q), len(t)))/float64(max(len(q), len(t)))
}

// squeeze keeps only letters and digits, folded: 근로 시간ㆍ휴게 and 근로시간·휴게 are equal.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if inName(r) {
			return r
		}
		return -1
	}, fold(text, false))
}

// Outline returns the numbered parts of one document in order.
func (l Lookup) Outline(ctx context.Context, scopes []string, document string) ([]Article, error) {
	chunks, doc, err := l.Index.Passages(ctx, scopes, document, 0, whole)
	if err != nil {
		return nil, fmt.Errorf("outline of %s: %w", document, err)
	}
	return Outline(doc, chunks), nil
}

// candidates returns every article of the named documents, or else the articles found by a search for the text.
func (l Lookup) candidates(ctx context.Context, in Within, text string) ([]Article, error) {
	var all []Article
	for _, id := range in.Documents {
		list, err := l.Outline(ctx, in.Scopes, id)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(in.Documents) > 0 {
		return all, nil
	}
	hits, err := l.Index.Search(ctx, Query{Text: text, Scopes: in.Scopes, Limit: lookupDepth, Threshold: -1, Repeats: true})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, h := range hits {
		head, path, ok := own(h.Chunk)
		key := h.Document.ID + "\x00" + strings.Join(path, "\x00")
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		around, doc, err := l.Index.Passages(ctx, in.Scopes, h.Document.ID, h.Chunk.Ordinal-lookupDepth, h.Chunk.Ordinal+lookupDepth)
		if errors.Is(err, ErrNotFound) {
			continue // deleted since
		}
		if err != nil {
			return nil, err
		}
		for _, a := range Outline(doc, around) {
			if a.Ref.Key() == head.Ref.Key() && samePath(a.Heading, path) {
				all = append(all, a)
			}
		}
	}
	return all, nil
}
