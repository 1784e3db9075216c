package extractive

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/rag"
)

// excerpt shortens what is quoted to what a reader takes in. Of a row with more columns than that, and
// of a list of commas, it shows the parts that the question names and how it begins; what is left out
// between them is a mark.
func excerpt(text, question string) string {
	parts := strings.SplitAfter(text, ", ")
	if utf8.RuneCountInString(text) <= maxQuote || len(parts) < 3 {
		return fit.Clip(text, maxQuote)
	}
	asked := subject(question)
	names := make([]int, len(parts))
	order := make([]int, len(parts))
	for i, p := range parts {
		order[i] = i
		in := rag.HoldingOf(p)
		for _, w := range asked {
			if in.Match(w) > 0.5 {
				names[i]++
			}
		}
	}
	names[0] = max(names[0], 1<<10) // whose row it is
	slices.SortStableFunc(order, func(a, b int) int { return names[b] - names[a] })
	const gap = len("… ")
	shown, room := map[int]bool{}, maxQuote
	for _, i := range order {
		n := utf8.RuneCountInString(parts[i]) + gap
		if n > room {
			if len(shown) == 0 {
				return fit.Clip(text, maxQuote)
			}
			continue
		}
		shown[i] = true
		room -= n
	}
	var b strings.Builder
	for i, p := range parts {
		switch {
		case shown[i]:
			b.WriteString(p)
		case shown[i-1]:
			b.WriteString("… ")
		}
	}
	return strings.TrimSuffix(strings.TrimSpace(b.String()), ",")
}
