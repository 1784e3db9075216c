package extractive

import (
	"fmt"
	"slices"
	"strings"

	"maru/phrase/fit"
	"maru/rag/article"
)

var (
	// paperName are words for the document itself, which say nothing about its part, and for
	// setting parts side by side: who compares wants to read both.
	paperName = expression(`(?i)(?:^|\s)(?:이?랑|하고|와|과)(?:\s|$)|비교|차이점?|다른\S*|달라\p{Hangul}*|다르\p{Hangul}*|compare|differen(?:ce|t)|between|표준|우리|보여\S*|다시|아까|조항|\bsays?\b|계약서?|문서|규정|standard|contract|agreement|document|policy`)
)

// pointsAtPaper reports whether passages are what is wanted, however the words read
// otherwise: a part of a document is named and nothing else, or a file came without a word.
func (a *ask) pointsAtPaper() bool { return a.shared && a.question == "" || a.whole() != "" }

// maxWhole bounds a passage that is quoted whole, in runes.
const maxWhole = 1600

// whole quotes the passages that a question asks for by their number and nothing
// else: "제5조 알려줘" wants all of 제5조, not its best sentences. "" if the
// question wants something else.
func (a *ask) whole() string {
	asked, besides := article.Named(a.question)
	if len(asked) == 0 || len(subject(paperName().ReplaceAllString(besides, " "))) > 0 {
		return ""
	}
	var b strings.Builder
	room := maxWhole
	for _, p := range a.req.Passages {
		if !isOf(p.Title, asked) || room <= 0 {
			continue
		}
		text := fit.Clip(strings.TrimSpace(clean(p.Text)), room)
		room -= len([]rune(text))
		fmt.Fprintf(&b, "\n> %s [%d]\n", strings.ReplaceAll(text, "\n", "\n> "), p.N)
	}
	return b.String()
}

// isOf reports whether a passage of this title is of one of the parts: of 2.2 also one
// of Article 2, which may number its paragraphs so.
func isOf(title string, parts []article.Ref) bool {
	return slices.ContainsFunc(article.Find(title), func(r article.Ref) bool {
		return slices.ContainsFunc(parts, func(p article.Ref) bool {
			main, _, _ := strings.Cut(p.Key(), "-")
			return r.Key() == p.Key() || !p.Korean && r.Key() == main
		})
	})
}
