package load

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/rag"
)

// wholeWords are the words of a page that no end of a line can have cut.
type wholeWords map[string]bool

// wordsWithin lists the words of a page's text that stand within a line.
func wordsWithin(text string) wholeWords {
	w := wholeWords{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for _, s := range words[min(1, len(words)):max(len(words)-1, min(1, len(words)))] {
			w[bare(s)] = true
		}
	}
	return w
}

// join writes lines as one. Korean may be broken between any two syllables and
// a PDF does not say that it was: what follows is the same word if it is but a
// particle, or if the page has the two as a word elsewhere.
func (w wholeWords) join(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 && !w.cut(lines[i-1], l) {
			b.WriteByte(' ')
		}
		b.WriteString(l)
	}
	return b.String()
}

func (w wholeWords) cut(above, below string) bool {
	first, _ := utf8.DecodeRuneInString(below)
	last, _ := utf8.DecodeLastRuneInString(above)
	if !unicode.Is(unicode.Hangul, first) || !unicode.IsLetter(last) && !unicode.IsDigit(last) {
		return false
	}
	head, tail := above[strings.LastIndexByte(above, ' ')+1:], below
	if i := strings.IndexByte(below, ' '); i >= 0 {
		tail = below[:i]
	}
	return rag.IsParticle(bare(tail)) && !alone[bare(tail)] || w[bare(head+tail)]
}

// alone are particles that are words of their own as well.
var alone = map[string]bool{
	"이": true, "가": true, "만": true, "도": true, "나": true, "인": true, "야": true, "들": true, "란": true,
	"과": true, "의": true, "보다": true, "하고": true, "이나": true, "이야": true, "이란": true, "인가": true, "인지": true,
}

// bare is a word without what stands around it.
func bare(word string) string {
	return strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
