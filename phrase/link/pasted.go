package link

import (
	"slices"
	"strings"

	"maru/phrase/pattern"
)

// Pasted returns the addresses of a given form in a person's text, each once and without
// the punctuation that ends the sentence or the markup around it.
func Pasted(text string, form *pattern.Pattern) []string {
	var out []string
	for _, u := range form.FindAllString(text, -1) {
		if u = strings.TrimRight(u, ".,;:!?)]}*_~"); !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}
