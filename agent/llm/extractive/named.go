package extractive

import (
	"fmt"
	"slices"
	"strings"

	"maru/agent/llm"
	"maru/phrase/fit"
	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/answer"
	"maru/rag/article"
)

var (
	// paperName are words for the document itself, which say nothing about its part, and for
	// setting parts side by side: who compares wants to read both.
	paperName = pattern.New(`(?i)(?:^|\s)(?:이?랑|하고|와|과)(?:\s|$)|비교|차이점?|다른\S*|달라\p{Hangul}*|다르\p{Hangul}*|compare|differen(?:ce|t)|between|표준|우리|보여\S*|다시|아까|조항|\bsays?\b|계약서?|문서|규정|standard|contract|agreement|document|policy`)
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
	if named := a.named(); len(named) > 0 {
		if len(asked) == 0 || a.asksWithin(named, besides) {
			return ""
		}
		return inFull(named)
	}
	if len(asked) == 0 || len(answer.Subject(paperName.ReplaceAllString(besides, " "))) > 0 {
		return ""
	}
	return inFull(slices.DeleteFunc(slices.Clone(a.req.Passages), func(p llm.Passage) bool { return !isOf(p.Title, asked) }))
}

// named returns the passages of articles that the question names, as the index knows them.
func (a *ask) named() []llm.Passage {
	return slices.DeleteFunc(slices.Clone(a.req.Passages), func(p llm.Passage) bool { return !p.Named })
}

// saysLittle is the weight of a word that says how something is asked rather than what.
const saysLittle = 0.5

// asksWithin reports whether a question asks something of the articles that it names: it has a word that they hold and
// that names neither them nor their document.
func (a *ask) asksWithin(named []llm.Passage, besides string) bool {
	var titles, texts []string
	for _, p := range named {
		titles, texts = append(titles, p.Title), append(texts, answer.Clean(p.Text))
	}
	title, text := answer.Holding(titles...), answer.Holding(texts...)
	return slices.ContainsFunc(answer.Subject(paperName.ReplaceAllString(besides, " ")), func(w rag.Word) bool {
		return w.Weight > saysLittle && title.Match(w) < 1 && text.Match(w) == 1
	})
}

// inFull quotes passages, up to [maxWhole].
func inFull(passages []llm.Passage) string {
	var b strings.Builder
	room := maxWhole
	for _, p := range passages {
		if room <= 0 {
			break
		}
		text := fit.Clip(strings.TrimSpace(answer.Clean(p.Text)), room)
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
