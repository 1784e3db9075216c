package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"maru/phrase"
	"maru/rag"
	"maru/rag/article"
)

// maxRefs bounds how many parts one question names.
const maxRefs = 12

var (
	rangeKo  = regexp.MustCompile(`제?\s*(\d{1,3})\s*조?\s*(?:부터|에서|~|-|–|내지)\s*제?\s*(\d{1,3})\s*조`)
	rangeEn  = regexp.MustCompile(`(?i)\b(?:articles?|sections?|clauses?)\s+(\d{1,3})\s*(?:to|through|-|–)\s*(\d{1,3})\b`)
	listEn   = regexp.MustCompile(`(?i)\b(articles|sections|clauses)((?:\s*(?:,|and|&|or)?\s*\d{1,3}\b)+)`)
	digits   = regexp.MustCompile(`\d{1,3}`)
	innerKo  = regexp.MustCompile(`(?:^|[^\d조])\s*(?:제\s*)?(\d{1,2})\s*항(?:\s*(?:제\s*)?(\d{1,2})\s*호)?`)
	innerEn  = regexp.MustCompile(`(?i)\bparagraph\s+\(?(\d{1,2})\)?`)
	partOfEn = regexp.MustCompile(`(?i)\bparagraph\s+\(?(\d{1,2})\)?\s+of\s+(article|section|clause)\s+(\d{1,3}(?:[.-]\d{1,3})*)`)
	hasInner = regexp.MustCompile(`조|(?i:article|section|clause)`)
)

// references returns the parts of a contract that a text names, each once, in
// order; of a range all that it spans.
func references(text string) []article.Ref {
	text = partOfEn.ReplaceAllString(text, "$2 $3($1)")
	text = listEn.ReplaceAllStringFunc(text, func(list string) string {
		m := listEn.FindStringSubmatch(list)
		var out []string
		for _, n := range digits.FindAllString(m[2], -1) {
			out = append(out, "Article "+n)
		}
		return strings.Join(out, ", ")
	})
	text = spanned(text, rangeKo, "제%d조")
	text = spanned(text, rangeEn, "Article %d")
	var out []article.Ref
	for _, r := range article.Find(text) {
		if !slices.Contains(out, r) && len(out) < maxRefs {
			out = append(out, r)
		}
	}
	// 부칙 has no number, so Find leaves it to who knows that a contract is meant.
	if addenda, ok := article.Parse("부칙"); ok && strings.Contains(text, "부칙") && !slices.Contains(out, addenda) && len(out) < maxRefs {
		out = append(out, addenda)
	}
	return out
}

// spanned writes the articles of a range one by one.
func spanned(text string, re *regexp.Regexp, name string) string {
	return re.ReplaceAllStringFunc(text, func(span string) string {
		m := re.FindStringSubmatch(span)
		from, err1 := strconv.Atoi(m[1])
		to, err2 := strconv.Atoi(m[2])
		if err1 != nil || err2 != nil || to < from || to-from >= maxRefs {
			return span
		}
		var out []string
		for n := from; n <= to; n++ {
			out = append(out, fmt.Sprintf(name, n))
		}
		return strings.Join(out, ", ")
	})
}

// innerOnly reads a paragraph that is named without its article ("2항은?", "and
// paragraph 2?"): "" if there is none.
func innerOnly(text string) (paragraph, item string) {
	if hasInner.MatchString(text) {
		return "", ""
	}
	if m := innerKo.FindStringSubmatch(text); m != nil {
		return m[1], m[2]
	}
	if m := innerEn.FindStringSubmatch(text); m != nil {
		return m[1], ""
	}
	return "", ""
}

// missing says to a person that a document has no such part, and what it has.
func missing(language, document string, f rag.Found, all []rag.Article) string {
	name := f.Ref.Article().String()
	if f.Missing {
		return phrase.Say(language, "contract.no_part", document, f.Articles[0].Label, innerName(language, f.Ref))
	}
	return phrase.Say(language, "contract.no_article", document, name, has(language, all))
}

// innerName is how a part within an article is written in a language: 제9항, (9).
// 4.2 may be meant for the second paragraph of 4.
func innerName(language string, r article.Ref) string {
	if _, sub, dotted := strings.Cut(r.Number, "-"); dotted && !r.Inner() {
		r.Paragraph = sub
	}
	r.Kind, r.Number, r.Korean = article.Article, "1", language == "ko"
	return strings.TrimPrefix(r.String(), r.Article().String())
}

// has says which articles there are: "제1조–제23조(제10조의2 포함), 부칙, 별표 1".
func has(language string, all []rag.Article) string {
	var plain, subs, extra []string
	for _, a := range all {
		switch {
		case a.Ref.Kind >= article.Annex:
			extra = append(extra, a.Label)
		case strings.Contains(a.Ref.Number, "-"):
			subs = append(subs, a.Label)
		case a.Ref.Kind >= article.Article:
			plain = append(plain, a.Label)
		}
	}
	subs = slices.Compact(subs) // a number may stand twice
	text := ""
	switch n := len(plain); {
	case n == 1:
		text = plain[0]
	case n > 1:
		text = plain[0] + "–" + plain[n-1]
	}
	if n := len(subs); n > 0 && n <= 8 && text != "" {
		text = phrase.Say(language, "contract.with", text, strings.Join(subs, ", "))
	} else if text == "" {
		text = strings.Join(subs[:min(n, 8)], ", ")
	}
	if len(extra) > 0 {
		extra = slices.Compact(extra)
		text = strings.TrimPrefix(text+", "+strings.Join(extra[:min(len(extra), 8)], ", "), ", ")
	}
	return text
}

// contents lists the articles with their titles, for a model.
func contents(all []rag.Article) string {
	var names []string
	for _, a := range all[:min(len(all), 120)] {
		names = append(names, called(a))
	}
	return strings.Join(names, ", ")
}

// called is how people call an article: 제5조(용역 대가), Article 5 (Fees).
func called(a rag.Article) string {
	switch {
	case a.Title == "":
		return a.Label
	case a.Ref.Korean && a.Ref.Kind == article.Article:
		return a.Label + "(" + a.Title + ")"
	}
	return a.Label + " (" + a.Title + ")"
}
