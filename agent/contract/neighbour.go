package contract

import (
	"slices"
	"strings"
	"unicode"

	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/article"
)

var (
	asksNext   = pattern.New(`(?i)(?:다음|바로\s*뒤)(?:에?\s*(?:있는|나오는|오는))?\s*(?:조항|조문|조(?:[^건치]|$))|\b(?:next|following) (?:one|article|section|clause)\b`)
	asksBefore = pattern.New(`(?i)(?:이전|바로\s*앞|앞)(?:에?\s*(?:있는|나오는))?\s*(?:조항|조문|조(?:[^건치]|$))|\b(?:previous|preceding) (?:one|article|section|clause)\b|\b(?:article|section|clause|one) before\b`)
)

// naming replaces a reference to a neighbouring article with its number: "그럼 그 다음 조는?" becomes "그럼
// 그 제6조는?".
func naming(question string, r article.Ref) string {
	for _, re := range []*pattern.Pattern{asksNext, asksBefore} {
		if at := re.FindStringIndex(question); at != nil {
			end := at[0] + len(strings.TrimRightFunc(question[at[0]:at[1]], func(c rune) bool {
				return !strings.ContainsRune("조항문", c) && unicode.Is(unicode.Hangul, c) || c == ' ' || c == '?'
			}))
			return question[:at[0]] + r.String() + question[end:]
		}
	}
	return question
}

// neighbour returns the next or previous article of the contract if the question asks for it ("그럼
// 그 다음 조는?"). It follows the document's order, as 제10조의2 may follow 제10조.
func neighbour(question, of string, articles []rag.Article) (article.Ref, bool) {
	step := 0
	switch {
	case asksNext.MatchString(question):
		step = 1
	case asksBefore.MatchString(question):
		step = -1
	}
	from, ok := article.Parse(of)
	if step == 0 || !ok {
		return article.Ref{}, false
	}
	at := slices.IndexFunc(articles, func(a rag.Article) bool { return a.Ref.Key() == from.Key() })
	if at < 0 || at+step < 0 || at+step >= len(articles) {
		return article.Ref{}, false
	}
	return articles[at+step].Ref, true
}
