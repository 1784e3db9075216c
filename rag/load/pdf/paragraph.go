package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/rag"
	"maru/rag/article"
)

// paragraphs joins the lines of a page's text. A line that does not reach the
// width of its neighbours ends a paragraph, as does an empty one.
func paragraphs(text string) []string {
	var out []string
	text = unhyphenate(text)
	whole := wordsWithin(text)
	for part := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		widest := 0
		for _, l := range lines {
			widest = max(widest, fit.Width(l))
		}
		var cur []string
		for _, l := range lines {
			if l = cleanTabs(l); l == "" {
				continue
			}
			if _, begins := article.Heading(l); begins && len(cur) > 0 {
				out, cur = append(out, whole.join(cur)), nil
			}
			cur = append(cur, l)
			if fit.Width(l)*10 < widest*7 || strings.Contains(l, " | ") {
				out, cur = append(out, whole.join(cur)), nil
			}
		}
		if len(cur) > 0 {
			out = append(out, whole.join(cur))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// cleanTabs keeps the wide gaps of a table row as bars.
func cleanTabs(line string) string {
	var parts []string
	for p := range strings.SplitSeq(line, "\t") {
		if p = fit.OneLine(p); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " | ")
}

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

// unhyphenate joins the words that a hyphen cut at the end of a line. The hyphen stays
// where it is the word's own: where the page has the two parts with one elsewhere, and
// between other letters than those of Latin words.
func unhyphenate(text string) string {
	const mark = string(softHyphen)
	if !strings.Contains(text, mark) {
		return text
	}
	parts := strings.Split(text, mark)
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			head, tail := lastWord(parts[i-1]), firstWord(part)
			if head == "" || tail == "" || strings.Contains(text, head+"-"+tail) {
				b.WriteByte('-')
			}
		}
		b.WriteString(part)
	}
	return b.String()
}

func lastWord(s string) string { return s[len(strings.TrimRightFunc(s, latin)):] }

// firstWord is the small Latin letters with which s begins.
func firstWord(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, func(r rune) bool { return latin(r) && unicode.IsLower(r) }))]
}

func latin(r rune) bool { return unicode.Is(unicode.Latin, r) }
