package article

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"maru/phrase/pattern"
)

// maxNamed bounds the parts that one text names.
const maxNamed = 12

var (
	rangeKo  = pattern.New(`제?\s*(\d{1,3})\s*조?\s*(?:부터|에서|~|-|–|내지)\s*제?\s*(\d{1,3})\s*조(?:\s*까지)?`)
	rangeEn  = pattern.New(`(?i)\b(?:articles?|sections?|clauses?)\s+(\d{1,3})\s*(?:to|through|-|–)\s*(\d{1,3})\b`)
	listEn   = pattern.New(`(?i)\b(articles|sections|clauses)((?:\s*(?:,|and|&|or)?\s*\d{1,3}\b)+)`)
	digitsEn = pattern.New(`\d{1,3}`)
	partOfEn = pattern.New(`(?i)\bparagraph\s+\(?(\d{1,2})\)?\s+of\s+(article|section|clause)\s+(\d{1,3}(?:[.-]\d{1,3})*)`)
	lone     = Ref{Kind: Addenda, Korean: true} // 부칙 without its number
)

// Named parses the parts named by a person: lists, and ranges expanded, each part once, in order, at most twelve; and
// the remaining text. A lone 부칙 counts, so callers must know that a contract or a law is meant.
func Named(text string) (parts []Ref, besides string) {
	text = InFigures(narrow(text))
	text = partOfEn.ReplaceAllString(text, "$2 $3($1)")
	text = listEn.ReplaceAllStringFunc(text, func(list string) string {
		m := listEn.FindStringSubmatch(list)
		var out []string
		for _, n := range digitsEn.FindAllString(m[2], -1) {
			out = append(out, "Article "+n)
		}
		return strings.Join(out, ", ")
	})
	text = spanned(text, rangeKo, "제%d조")
	text = spanned(text, rangeEn, "Article %d")
	var rest strings.Builder
	note := func(r Ref) {
		if !slices.Contains(parts, r) && len(parts) < maxNamed {
			parts = append(parts, r)
		}
	}
	each(text, note, func(s string) { rest.WriteString(s) })
	if besides = rest.String(); strings.Contains(besides, "부칙") {
		note(lone)
		besides = strings.ReplaceAll(besides, "부칙", " ")
	}
	return parts, besides
}

// spanned expands the articles of a range.
func spanned(text string, re *pattern.Pattern, name string) string {
	return re.ReplaceAllStringFunc(text, func(span string) string {
		m := re.FindStringSubmatch(span)
		from, err1 := strconv.Atoi(m[1])
		to, err2 := strconv.Atoi(m[2])
		if err1 != nil || err2 != nil || to < from || to-from >= maxNamed {
			return span
		}
		var out []string
		for n := from; n <= to; n++ {
			out = append(out, fmt.Sprintf(name, n))
		}
		return strings.Join(out, ", ")
	})
}
