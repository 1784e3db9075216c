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
	paperName = expression(`(?i)(?:^|\s)(?:이?랑|하고|와|과)(?:\s|$)|비교|차이점?|다른\s*점|다른가\p{Hangul}*|달라\p{Hangul}*|다르\p{Hangul}*|compare|comparison|difference|\bdiffer\b|\bdifferent\b|between|표준|우리|보여\S*|다시|아까|조항|\bsays?\b|계약서?|문서|규정|standard|contract|agreement|document|policy`)
)

// lookAt is a wish to look at something, which asks nothing of it yet.
var lookAt = expression(`(?i)이거|이것|파일|첨부|올린|올렸어요?|보냈어요?|공유|한번|한\s번|먼저|일단|봐\s*(?:줘|주세요|줄래|봐)\S*|읽어\s*(?:줘|주세요|봐)?\S*|(?:검토|확인)(?:해|부탁)\s*(?:줘|주세요|드려요|드립니다)?\S*|부탁(?:해|드려)\S*|` +
	`\b(?:(?:have|take)\s+a\s+look|look|read|check|review|see|go|file|attached|attachment|shared|over|through|here|first)\b`)

// namesOnlyPaper reports whether somebody shows a document and asks nothing yet: "이 계약서 봐줘",
// or a file and "Look at this".
func (a *ask) namesOnlyPaper() bool {
	shows := a.shared || lookAt().MatchString(a.question) && paperName().MatchString(a.question)
	if parts, _ := article.Named(a.question); !shows || len(parts) > 0 {
		return false
	}
	return len(subject(lookAt().ReplaceAllString(paperName().ReplaceAllString(a.question, " "), " "))) == 0
}

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
