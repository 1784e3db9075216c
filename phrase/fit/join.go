package fit

import (
	"slices"
	"strings"
)

// Dots joins the non-empty parts by a dot, as in a card's footer.
func Dots(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, " · ")
}

// Paragraphs joins two texts as paragraphs; either may be empty.
func Paragraphs(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "\n\n" + b
}

// Distinct removes duplicates and empty strings, keeping the first of each.
func Distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Quoted sanitises a foreign text for a card: one line, no Markdown, bounded.
func Quoted(s string, most int) string {
	return Clip(OneLine(plain.Replace(Visible(s))), most)
}

var plain = strings.NewReplacer("`", "'", "*", "·", "[", "(", "]", ")")
