package fit

import (
	"slices"
	"strings"
)

// Dots joins the parts that are not empty by a dot, as a quiet line of a card has them.
func Dots(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, " · ")
}

// Paragraphs puts two texts below each other; either may be empty.
func Paragraphs(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "\n\n" + b
}

// Distinct keeps the first of each, and none that is empty.
func Distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Quoted is a word of somebody else's on a card: one line, no Markdown, bounded.
func Quoted(s string, most int) string {
	s = strings.NewReplacer("`", "'", "*", "·", "[", "(", "]", ")").Replace(Visible(s))
	return Clip(OneLine(s), most)
}
