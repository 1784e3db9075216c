package extractive

import (
	"strings"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/answer"
)

// excerpt shortens what is quoted to what a reader takes in. Of a row with more columns than that, and
// of a list of commas, it shows the parts that the question names and how it begins; what is left out
// between them is a mark.
func excerpt(text, question string) string {
	parts := strings.SplitAfter(text, ", ")
	if utf8.RuneCountInString(text) <= answer.MaxSentence || len(parts) < 3 {
		return fit.Clip(text, answer.MaxSentence)
	}
	asked := answer.Subject(question)
	shown, room := map[int]bool{}, answer.MaxSentence
	show := func(i int) {
		if n := utf8.RuneCountInString(parts[i]) + len("… "); n <= room && !shown[i] {
			shown[i], room = true, room-n
		}
	}
	show(0) // whose row it is
	if !shown[0] {
		return fit.Clip(text, answer.MaxSentence)
	}
	for want := len(asked); want > 0; want-- { // the parts with the most words of the question first
		for i, p := range parts {
			in, n := rag.HoldingOf(p), 0
			for _, w := range asked {
				if in.Match(w) > 0.5 {
					n++
				}
			}
			if n == want {
				show(i)
			}
		}
	}
	var b strings.Builder
	for i, p := range parts {
		switch show(i); {
		case shown[i]:
			b.WriteString(p)
		case shown[i-1]:
			b.WriteString("… ")
		}
	}
	return strings.TrimSuffix(strings.TrimSpace(b.String()), ",")
}
