package library

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"maru/phrase/pattern"
	"maru/rag"
)

// asksWhere matches the words of a question about where a rule is written, which do not describe the rule.
var asksWhere = pattern.New(`(?:몇|어느|무슨)\s*(?:번째?\s*)?조\S*|(?:조문|조항|어디|나와|나오|있|없|규정|번호|뭐|알려|찾아)\S*|\s(?:되는|하는|못\s?하게|한다는)\S*|\s(?:거|것|그거)(?:\s|$)`)

// sureTitle is the score from which a title is the requested one: it contains nearly all of the question.
const sureTitle = 0.75

// whichArticle moves the article whose title the question gives (노조법 부당노동행위 몇 조야?) to the front of the hits in the
// named documents, and the body before the addenda. If these documents have no articles, the name may also be a
// subject.
func (l *Library) whichArticle(ctx context.Context, q, bound rag.Query, hits []rag.Hit) ([]rag.Hit, error) {
	if strings.Contains(q.Text, "부칙") {
		return hits, nil
	}
	titled, err := rag.Lookup{Index: l}.ByTitle(ctx, rag.Within{Scopes: q.Scopes, Documents: bound.Documents}, asksWhere.ReplaceAllString(bound.Text, " "))
	if err != nil {
		return nil, err
	}
	for _, t := range titled {
		if t.Score < sureTitle || t.Behind() {
			continue
		}
		first := t.Hits()
		for i := range first {
			first[i].Named = true
		}
		rest := slices.DeleteFunc(slices.Clone(hits), func(h rag.Hit) bool {
			return slices.ContainsFunc(first, func(f rag.Hit) bool { return f.Chunk.ID == h.Chunk.ID })
		})
		hits = append(first, rest...)
		return hits[:min(len(hits), cmp.Or(q.Limit, len(hits)))], nil
	}
	rank := func(h rag.Hit) int {
		switch of := rag.Outline(h.Document, []rag.Chunk{h.Chunk}); {
		case len(of) == 0:
			return 2
		case of[0].Behind():
			return 1
		}
		return 0
	}
	hits = slices.Clone(hits)
	slices.SortStableFunc(hits, func(a, b rag.Hit) int { return cmp.Compare(rank(a), rank(b)) })
	if len(hits) == 0 || rank(hits[0]) == 2 {
		return l.Index.Search(ctx, q)
	}
	return hits, nil
}
