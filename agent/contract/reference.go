package contract

import (
	"slices"
	"strings"

	"maru/phrase"
	"maru/phrase/pattern"
	"maru/rag"
	"maru/rag/article"
)

// maxRefs limits the parts that one question may reference.
const maxRefs = 12

var (
	innerKo  = pattern.New(`(?:^|[^\d조])\s*(?:제\s*)?(\d{1,2})\s*항(?:\s*(?:제\s*)?(\d{1,2})\s*호)?`)
	innerEn  = pattern.New(`(?i)\bparagraph\s+\(?(\d{1,2})\)?`)
	hasInner = pattern.New(`조|(?i:article|section|clause)`)
)

// references returns the parts of a contract that a text names, in order and without duplicates. A
// range is expanded.
func references(text string) []article.Ref {
	parts, _ := article.Named(text)
	return parts
}

// innerOnly returns the paragraph and item of a reference without an article ("2항은?", "and
// paragraph 2?"), or "".
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

// missing tells a person that a document lacks a part, and lists the parts it has.
func missing(language, document string, f rag.Found, all []rag.Article) string {
	name := f.Ref.Article().String()
	if f.Missing {
		return phrase.Say(language, "contract.no_part", document, f.Articles[0].Label, innerName(language, f.Ref))
	}
	return phrase.Say(language, "contract.no_article", document, name, has(language, all))
}

// innerName formats a part within an article in a language: 제9항, (9). 4.2 may mean paragraph 2 of
// section 4.
func innerName(language string, r article.Ref) string {
	if _, sub, dotted := strings.Cut(r.Number, "-"); dotted && !r.Inner() {
		r.Paragraph = sub
	}
	r.Kind, r.Number, r.Korean = article.Article, "1", language == "ko"
	return strings.TrimPrefix(r.String(), r.Article().String())
}

// has summarises the articles of a document: "제1조–제23조(제10조의2 포함), 부칙, 별표 1", "Section 1.1–Section
// 9.4, Annex A".
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
	subs = slices.Compact(subs) // a number may occur twice
	text := ""
	switch n := len(plain); {
	case n == 1:
		text = plain[0]
	case n > 1:
		text = plain[0] + "–" + plain[n-1]
	}
	if n := len(subs); n > 0 && n <= 8 && text != "" {
		text = phrase.Say(language, "contract.with", text, strings.Join(subs, ", "))
	} else if text == "" && n > 8 { // every section has subsections: 1.1 to 300.5
		text = subs[0] + "–" + subs[n-1]
	} else if text == "" {
		text = strings.Join(subs, ", ")
	}
	if len(extra) > 0 {
		extra = slices.Compact(extra)
		text = strings.TrimPrefix(text+", "+strings.Join(extra[:min(len(extra), 8)], ", "), ", ")
	}
	return text
}

// contents lists numbers and titles of articles for a model.
func contents(all []rag.Article) string {
	var names []string
	for _, a := range all[:min(len(all), 120)] {
		names = append(names, called(a))
	}
	return strings.Join(names, ", ")
}

// called formats an article's name for people: 제5조(용역 대가), Article 5 (Fees).
func called(a rag.Article) string {
	switch {
	case a.Title == "":
		return a.Label
	case a.Ref.Korean && a.Ref.Kind == article.Article:
		return a.Label + "(" + a.Title + ")"
	}
	return a.Label + " (" + a.Title + ")"
}
